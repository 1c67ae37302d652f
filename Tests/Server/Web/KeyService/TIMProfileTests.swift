import Foundation
import KeyturnBase
import KeyturnJose
import KeyturnWire
import ServerTesting
import Testing
@testable import Identity
@testable import Model

@Suite("Clients of Trifork Identity Manager")
struct TIMProfileTests {
    private static let tim = profiled(
        TestClients.make("tim", method: "none", secret: nil, firstParty: true, native: true))

    /// The same client, with the profile.
    private static func profiled(_ client: Client) -> Client {
        Client(
            id: client.id, metadata: client.metadata, secretDigests: client.secretDigests,
            isFirstParty: client.isFirstParty, profile: .tim)
    }

    /// As such a client reads it: three parts, and in the second a text `sub`.
    private func claims(_ token: Secret?) -> JSONValue { TestServer.claims(token) }

    private func refresh(_ server: TestServer, _ token: Secret?, scope: String? = nil) async throws -> EndpointAnswer {
        try await server.refresh(token?.exposed(), Self.tim, scope: scope)
    }

    @Test func `both tokens are JWTs with a text sub, and every answer has a refresh token`() async throws {
        let server = try await TestServer.start(clients: [Self.tim])
        let tokens = try await server.tokens(Self.tim)
        for token in [Secret(tokens.accessToken), tokens.refreshToken.map { Secret($0) }] {
            let claims = claims(token)
            #expect(claims["sub"]?.stringValue == TestServer.subject.rawValue)
            #expect(claims["iss"]?.stringValue == server.issuer)
            #expect((claims["exp"]?.integerValue ?? 0) > server.clock.now.rawValue)
        }
        let stored = tokens.refreshToken.map { Secret($0) }
        #expect(
            claims(stored)["exp"]?.integerValue == (server.clock.now + server.services.project.idleSeconds).rawValue)
        for scope in [nil, "openid profile", "openid profile what-nobody-registered"] {
            let answer = try await refresh(server, stored, scope: scope)
            #expect(answer.status == 200, "\(answer.body)")
            #expect(answer.json["refresh_token"]?.stringValue?.split(separator: ".").count == 3)
            #expect(answer.json["id_token"] != nil && answer.json["expires_in"] == 600)
        }
        #expect(try await refresh(server, stored, scope: "nothing-of-this").error == "invalid_scope")
        await server.stop()
    }

    @Test func `the stored token survives refreshes in the session, and the session's age moves on`() async throws {
        let server = try await TestServer.start(
            clients: [Self.tim], project: { Project(id: "test", name: "Test", issuer: $0, idleSeconds: 40_000) })
        let stored = try await server.tokens(Self.tim).refreshToken.map { Secret($0) }
        var current = stored
        for _ in 0..<5 {
            server.clock.advance(3_600)
            let answer = try await refresh(server, current)
            #expect(answer.status == 200)
            current = answer.json["refresh_token"]?.stringValue.map { Secret($0) }
        }
        #expect(try await refresh(server, stored).status == 200)
        // The stored one ends when it said; the newest goes on.
        server.clock.advance(server.services.project.idleSeconds - 5 * 3_600)
        #expect(try await refresh(server, stored).error == "invalid_grant")
        #expect(try await refresh(server, current).status == 200)
        await server.stop()
    }

    @Test func `46, 48: fifty uses at once all come through, and none of them gets more than was granted`() async throws
    {
        let server = try await TestServer.start(clients: [Self.tim])
        let token = try await server.tokens(Self.tim) { $0.scope = "openid profile" }.refreshToken.map { Secret($0) }
        let answers = try await withThrowingTaskGroup(of: EndpointAnswer.self) { group in
            for _ in 0..<50 { group.addTask { try await self.refresh(server, token, scope: "openid profile email") } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.allSatisfy { $0.status == 200 && $0.json["scope"] == "openid profile" })
        #expect(try await refresh(server, token).status == 200)
        await server.stop()
    }

    @Test func `49, 51: it ends with logout, revocation and its time, whichever copy is shown`() async throws {
        let server = try await TestServer.start(clients: [Self.tim]) {
            Project(id: "test", name: "Test", issuer: $0, idleSeconds: 1_000, absoluteSeconds: 2_500)
        }
        let first = try await server.tokens(Self.tim).refreshToken
        let second = try await refresh(server, first.map { Secret($0) }).json["refresh_token"]?.stringValue
        #expect(
            try await server.post("/oauth2/revoke", FormParameters(["token": second ?? ""]), as: Self.tim).status == 200
        )
        for token in [first, second] {
            #expect(try await refresh(server, token.map { Secret($0) }).error == "invalid_grant")
        }
        // Logout everywhere.
        let out = try await server.tokens(Self.tim).refreshToken.map { Secret($0) }
        _ = try await server.services.stores.grants.endEverything(
            of: TestServer.subject, reason: .logout, at: server.clock.now)
        #expect(try await refresh(server, out).error == "invalid_grant")
        // However often it is used, it does not outlive its absolute end.
        var token = try await server.tokens(Self.tim).refreshToken.map { Secret($0) }
        for _ in 0..<3 {
            server.clock.advance(800)
            let answer = try await refresh(server, token)
            #expect(answer.status == 200)
            token = answer.json["refresh_token"]?.stringValue.map { Secret($0) }
        }
        #expect(claims(token)["exp"]?.integerValue == (server.clock.now + 100).rawValue)
        server.clock.advance(100)
        #expect(try await refresh(server, token).error == "invalid_grant")
        await server.stop()
    }

    @Test func `50, 58: it is no other kind of token, and no other token is one`() async throws {
        let server = try await TestServer.start(clients: [Self.tim])
        let tokens = try await server.tokens(Self.tim)
        let refreshToken = try #require(tokens.refreshToken)
        #expect(try await server.get("/oauth2/userinfo", token: refreshToken).status == 401)
        #expect(try await server.get("/keyservice/v1/keys", token: refreshToken).status == 401)
        let browser = server.browser()
        let hinted = try await browser.open("/oauth2/end_session?id_token_hint=\(refreshToken)")
        #expect(hinted.status != 303)
        let bearer = "\(server.services.project.id):\(refreshToken)"
        #expect(try await server.call("GET", "/v1/auth/me", bearer: bearer).status == 401)
        for token in [tokens.accessToken, tokens.idToken ?? ""] {
            #expect(try await refresh(server, Secret(token)).error == "invalid_grant")
        }
        #expect(
            try await server.refresh(refreshToken, TestClients.tool).error == "invalid_grant", "another client's")
        // What it holds is not to be had without it, and what is around it cannot be changed.
        let parts = refreshToken.split(separator: ".").map(String.init)
        var claims = try #require(claims(Secret(refreshToken)).objectValue)
        claims["exp"] = .integer(server.clock.now.rawValue + 1_000_000_000)
        let forged = [parts[0], Base64URL.encode(JSONValue.object(claims).serialized), parts[2]].joined(separator: ".")
        #expect(try await refresh(server, Secret(forged)).error == "invalid_grant")
        let none = Base64URL.encode(Array(#"{"alg":"none","typ":"rt+jwt"}"#.utf8))
        #expect(try await refresh(server, Secret("\(none).\(parts[1]).")).error == "invalid_grant")
        for part in [0, 2] {
            var cut = parts
            cut[part] = String(cut[part].dropLast())
            #expect(try await refresh(server, Secret(cut.joined(separator: "."))).error == "invalid_grant")
        }
        #expect(try await refresh(server, Secret(refreshToken)).status == 200)
        await server.stop()
    }

    @Test func `what is inside a token opens nothing by itself, but ends the session`() async throws {
        let server = try await TestServer.start(clients: [Self.tim])
        let whole = try #require(try await server.tokens(Self.tim).refreshToken)
        let inside = try #require(claims(Secret(whole))["rt"]?.stringValue)
        for path in ["/oauth2/app_session_token", "/v1/approvals"] {
            for (token, isGood) in [(whole, true), (inside, false)] {
                let body: JSONValue = ["refresh_token": .string(token)]
                let answer = try await server.send(
                    "POST", path, headers: [("Content-Type", "application/json")],
                    body: String(decoding: body.serialized, as: UTF8.self))
                #expect((answer.status == 200) == isGood, "\(path): \(answer.body)")
            }
        }
        #expect(try await refresh(server, Secret(inside)).error == "invalid_grant")
        #expect(try await refresh(server, Secret(whole)).status == 200)
        #expect(try await server.post("/oauth2/revoke", FormParameters(["token": inside]), as: Self.tim).status == 200)
        #expect(try await refresh(server, Secret(whole)).error == "invalid_grant")
        await server.stop()
    }

    @Test func `the profile gives nothing to a client with a secret, or to somebody else's`() async throws {
        let clients = [
            Self.profiled(
                TestClients.make("kept", method: "client_secret_post", secret: TestClients.webSecret, firstParty: true)),
            Self.profiled(TestClients.make("foreign", method: "none", secret: nil, native: true)),
        ]
        let server = try await TestServer.start(clients: clients)
        for client in clients {
            let token = try await server.tokens(client).refreshToken
            #expect(token?.contains(".") == false)
            let next = try await server.refresh(token, client).json["refresh_token"]?.stringValue
            #expect(next != nil && next != token)
        }
        await server.stop()
    }

    @Test func `discovery below a realm names the address that it was asked for below`() async throws {
        let server = try await TestServer.start()
        let usual = try await server.get("/.well-known/openid-configuration")
        for realm in ["bank", "Bank-2.test_x"] {
            let answer = try await server.get("/auth/realms/\(realm)/.well-known/openid-configuration")
            let issuer = "\(server.issuer)/auth/realms/\(realm)"
            #expect(answer.status == 200 && answer.json["issuer"]?.stringValue == issuer)
            #expect(answer.json["authorization_endpoint"]?.stringValue == issuer + "/oauth2/authorize")
            #expect(answer.json["token_endpoint"]?.stringValue == issuer + "/oauth2/token")
            for same in ["jwks_uri", "userinfo_endpoint", "revocation_endpoint", "keyturn_project_id"] {
                #expect(answer.json[same] == usual.json[same] && usual.json[same] != nil, "\(same)")
            }
            #expect(answer.json["backchannel_logout_supported"] == nil, "logout tokens name the server's own issuer")
            #expect(answer.headers["access-control-allow-origin"] == "*")
        }
        for path in [
            "/auth/realms//.well-known/openid-configuration", "/auth/realms/a/b/.well-known/openid-configuration",
        ] {
            #expect(try await server.get(path).status == 404)
        }
        await server.stop()
    }

    @Test func `a realm's issuer and token endpoint are audiences of what clients sign, where there is such a realm`() {
        var project = Project(id: "test", name: "Test", issuer: "https://id.example")
        let realm = "https://id.example/auth/realms/bank"
        #expect(project.isIssuer("https://id.example") && !project.isIssuer(realm), "there are no realms")
        project.realms = KeyServiceSettings(realms: ["bank"])
        #expect(project.isIssuer(realm) && project.isTokenEndpoint(realm + "/oauth2/token"))
        #expect(project.isTokenEndpoint("https://id.example/oauth2/token"))
        for foreign in [
            "https://id.example/auth/realms/other", realm + "/", realm + "/x", "https://id.example/auth/realms/",
            "https://id.example.org/auth/realms/bank", "https://id.example/",
        ] {
            #expect(!project.isIssuer(foreign) && !project.isTokenEndpoint(foreign + "/oauth2/token"), "\(foreign)")
        }
    }

    @Test func `tokens of a realm name it, and are this server's in everything else`() async throws {
        let server = try await TestServer.start(clients: [Self.tim])
        let realm = "/auth/realms/bank"
        let pkce = PKCE(ambient: .live)
        let response = try await server.signIn(Self.tim, proof: pkce)
        guard case .code(let code) = response.outcome else { throw TestFailure("refused: \(response.outcome)") }
        let form = TokenRequest.authorizationCode(
            code: Secret(code), redirectURI: Self.tim.metadata.redirectURIs?.first, codeVerifier: pkce.codeVerifier
        ).parameters
        let answer = try await server.post(realm + "/oauth2/token", form, as: Self.tim)
        #expect(answer.status == 200, "\(answer.body)")
        for name in ["access_token", "refresh_token", "id_token"] {
            let token = answer.json[name]?.stringValue.map { Secret($0) }
            #expect(claims(token)["iss"]?.stringValue == server.issuer + realm, "\(name)")
        }
        let access = answer.json["access_token"]?.stringValue ?? ""
        #expect(try await server.get("/oauth2/userinfo", token: access).status == 200)
        let refresh = FormParameters([
            "grant_type": "refresh_token", "refresh_token": answer.json["refresh_token"]?.stringValue,
        ])
        let here = try await server.post("/oauth2/token", refresh, as: Self.tim)
        #expect(claims(here.json["id_token"]?.stringValue.map { Secret($0) })["iss"]?.stringValue == server.issuer)
        #expect(try await server.post("/auth/realms/a b/oauth2/token", refresh, as: Self.tim).status != 200)
        var again = server.request(Self.tim, proof: PKCE(ambient: .live))
        again.idTokenHint = answer.json["id_token"]?.stringValue
        again.prompt = "none"
        let refused = try #require(try TestServer.callback(try await server.authorize(again, in: server.browser())))
        guard case .refused(let problem) = refused.outcome else { throw TestFailure("not refused") }
        #expect(problem.code == .loginRequired && refused.issuer == server.issuer, "the hint was read")
        await server.stop()
    }
}
