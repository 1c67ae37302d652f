import Foundation
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

@Suite("Apps of one vendor, OpenID Connect Native SSO")
struct NativeSSOTests {
    private static let exchange = "urn:ietf:params:oauth:grant-type:token-exchange"
    private static let scopes = "openid profile email offline_access device_sso api.read"

    /// The first app of the vendor.
    private static let mail = app("mail")
    private static let calendar = app("calendar")
    /// Not registered for token exchange.
    private static let notes = app("notes", grants: ["authorization_code", "refresh_token"])
    /// Wants two factors.
    private static let vault = app("vault") { $0.defaultACRValues = ["urn:keyturn:acr:mfa"] }
    /// Somebody else's.
    private static let game = app("game", firstParty: false)

    private static func app(
        _ id: String, firstParty: Bool = true, grants: [String] = ["authorization_code", "refresh_token", exchange],
        _ configure: (inout ClientMetadata) -> Void = { _ in }
    ) -> Client {
        TestClients.make(id, method: "none", secret: nil, firstParty: firstParty, native: true) {
            $0.grantTypes = grants
            $0.scope = scopes
            configure(&$0)
        }
    }

    private func start(_ onStatement: (@Sendable (String) -> Void)? = nil) async throws -> TestServer {
        try await TestServer.start(
            clients: [Self.mail, Self.calendar, Self.notes, Self.vault, Self.game], onStatement: onStatement)
    }

    private func first(
        _ server: TestServer, _ client: Client = mail, scope: String = "openid offline_access device_sso",
        in browser: ScriptedBrowser? = nil
    ) async throws -> TokenResponse {
        try await server.tokens(client, in: browser) { $0.scope = scope }
    }

    private func form(
        _ tokens: TokenResponse, _ server: TestServer, _ changes: [String: String?] = [:]
    ) -> FormParameters {
        var exchange = TokenExchangeRequest(subjectToken: Secret(tokens.idToken ?? ""), subjectTokenType: .idToken)
        exchange.actorToken = Secret(tokens.deviceSecret ?? "")
        exchange.actorTokenType = .deviceSecret
        exchange.audience = [server.issuer]
        exchange.scope = "openid offline_access"
        var form = FormParameters()
        for field in TokenRequest.tokenExchange(exchange).parameters.all {
            form.append(field.name, changes[field.name] ?? field.value)
        }
        return form
    }

    private func second(
        _ tokens: TokenResponse, _ server: TestServer, as client: Client = calendar, _ changes: [String: String?] = [:]
    ) async throws -> EndpointAnswer {
        try await server.post("/oauth2/token", form(tokens, server, changes), as: client)
    }

    @Test func `the second app is signed in as the first one's person, in the same way, without a page`() async throws {
        let server = try await start()
        let tokens = try await first(server)
        let before = TestServer.claims(tokens.idToken.map { Secret($0) })
        #expect(tokens.deviceSecret != nil && before["ds_hash"] != nil && before["sid"] != nil)
        server.clock.advance(7_200)
        for type in ["urn:openid:params:token-type:device-secret", "urn:x-oath:params:oauth:token-type:device-secret"] {
            let answer = try await second(tokens, server, ["actor_token_type": type])
            #expect(answer.status == 200, "\(answer.body)")
            #expect(answer.json["issued_token_type"] == "urn:ietf:params:oauth:token-type:access_token")
            #expect(answer.json["scope"] == "openid offline_access" && answer.json["device_secret"] == nil)
            let claims = TestServer.claims(answer.json["id_token"]?.stringValue.map { Secret($0) })
            for name in ["sub", "auth_time", "amr", "acr", "sid"] { #expect(claims[name] == before[name], "\(name)") }
            #expect(claims["aud"] == "calendar" && claims["ds_hash"] == nil && claims["nonce"] == nil)
            let renewed = try await server.refresh(answer.json["refresh_token"]?.stringValue, Self.calendar)
            #expect(renewed.status == 200)
        }
        let refreshed = try await server.refresh(tokens.refreshToken, Self.mail)
        #expect(refreshed.json["device_secret"]?.stringValue == tokens.deviceSecret)
        await server.stop()
    }

    @Test func `what the second app has ends with the first one's session`() async throws {
        let server = try await start()
        let tokens = try await first(server)
        let answer = try await second(tokens, server)
        let token = answer.json["refresh_token"]?.stringValue
        let revocation = FormParameters(["token": tokens.refreshToken ?? ""])
        #expect(try await server.post("/oauth2/revoke", revocation, as: Self.mail).status == 200)
        #expect(try await server.refresh(token, Self.calendar).error == "invalid_grant")
        let access = answer.json["access_token"]?.stringValue
        #expect(try await server.get("/oauth2/userinfo", token: access).status == 401)
        #expect(try await second(tokens, server).error == "invalid_grant")
        await server.stop()
    }

    @Test func `what has no offline access ends with the browser's session, in both apps`() async throws {
        let server = try await start()
        let browser = server.browser()
        let tokens = try await first(server, scope: "openid device_sso", in: browser)
        let answer = try await second(tokens, server)
        #expect(answer.json["scope"] == "openid")
        _ = try await browser.submit(try await browser.open("/logout"), ["action": "logout"])
        #expect(
            try await server.refresh(answer.json["refresh_token"]?.stringValue, Self.calendar).error == "invalid_grant")
        #expect(try await second(tokens, server).error == "invalid_grant")
        await server.stop()
    }

    @Test func `45: a stolen refresh token that comes back ends what came of its session as well`() async throws {
        let server = try await start()
        let tokens = try await first(server)
        let derived = try await second(tokens, server).json["refresh_token"]?.stringValue
        _ = try await server.refresh(tokens.refreshToken, Self.mail)
        let next = try await server.refresh(tokens.refreshToken, Self.mail).json["refresh_token"]?.stringValue
        _ = try await server.refresh(next, Self.mail)
        server.clock.advance(200)
        #expect(try await server.refresh(tokens.refreshToken, Self.mail).error == "invalid_grant")
        #expect(try await server.refresh(derived, Self.calendar).error == "invalid_grant")
        await server.stop()
    }

    @Test func `only the operator's own apps that are registered for it share sign-ins`() async throws {
        let server = try await start()
        let tokens = try await first(server)
        #expect(try await second(tokens, server, as: Self.game).error == "unauthorized_client")
        #expect(try await second(tokens, server, as: Self.notes).error == "unauthorized_client")
        #expect(try await second(tokens, server, as: Self.vault).error == "interaction_required")
        let others = try await first(server, Self.game)
        #expect(others.deviceSecret == nil)
        #expect(TestServer.claims(others.idToken.map { Secret($0) })["ds_hash"] == nil)
        let unasked = try await first(server, scope: "openid offline_access")
        #expect(unasked.deviceSecret == nil)
        await server.stop()
    }

    @Test func `58, 67: tokens that do not belong together, or to this, are refused`() async throws {
        let server = try await start()
        let tokens = try await first(server)
        let other = try await first(server)
        let cases: [([String: String?], String)] = [
            (["actor_token": other.deviceSecret], "invalid_grant"),
            (["subject_token": other.idToken], "invalid_grant"),
            (["subject_token": tokens.accessToken], "invalid_grant"),
            (["actor_token": tokens.refreshToken], "invalid_grant"),
            (["actor_token": "AAAA"], "invalid_grant"),
            (["subject_token_type": "urn:ietf:params:oauth:token-type:access_token"], "invalid_request"),
            (["requested_token_type": "urn:ietf:params:oauth:token-type:refresh_token"], "invalid_request"),
            (["audience": "https://elsewhere.example"], "invalid_target"),
            (["scope": "unheard-of"], "invalid_scope"),
            (["scope": "device_sso"], "invalid_scope"),
        ]
        for (changes, error) in cases {
            var form = form(tokens, server, changes)
            for (name, value) in changes where form.values(name).isEmpty { form.append(name, value) }
            let answer = try await server.post("/oauth2/token", form, as: Self.calendar)
            #expect(answer.error == error, "\(changes.keys)")
        }
        // A refresh token is no device secret, nor the other way round.
        #expect(try await server.refresh(tokens.deviceSecret, Self.mail).error == "invalid_grant")
        await server.stop()
    }

    @Test func `50: the second app's refresh token is bound to the second app's key`() async throws {
        let server = try await start()
        let tokens = try await first(server)
        let prover = Prover(server)
        let form = form(tokens, server)
        let answer = try await server.post(
            "/oauth2/token", form, as: Self.calendar, headers: [("DPoP", try prover.proof())])
        #expect(answer.json["token_type"] == "DPoP")
        let token = answer.json["refresh_token"]?.stringValue
        #expect(try await server.refresh(token, Self.calendar).error == "invalid_grant")
        #expect(try await prover.refresh(token, Self.calendar, prover.proof()).status == 200)
        await server.stop()
    }

    @Test func `of fifty sign-ins and the end of the first session at once, none outlives it`() async throws {
        let server = try await start()
        let tokens = try await first(server)
        let answers = try await withThrowingTaskGroup(of: String?.self) { group in
            for number in 0..<50 {
                group.addTask {
                    guard number != 25 else {
                        let revocation = FormParameters(["token": tokens.refreshToken ?? ""])
                        _ = try await server.post("/oauth2/revoke", revocation, as: Self.mail)
                        return nil
                    }
                    return try await second(tokens, server).json["refresh_token"]?.stringValue
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        for token in answers.compactMap(\.self) {
            #expect(try await server.refresh(token, Self.calendar).error == "invalid_grant")
        }
        await server.stop()
    }

    @Test func `a device secret that asks for session after session is held up`() async throws {
        let server = try await start()
        let tokens = try await first(server)
        for number in 1...60 { #expect(try await second(tokens, server).status == 200, "\(number)") }
        #expect(try await second(tokens, server).error == "temporarily_unavailable")
        server.clock.advance(3_600)
        #expect(try await second(tokens, server).status == 200)
        await server.stop()
    }
}
