import Crypto
import Identity
import KeyturnBase
import KeyturnJose
import KeyturnWire
import Model
import ServerTesting
import Testing

/// A key of an app, and the requests that it signs.
private struct AppKey {
    let key = P256.Signing.PrivateKey()

    var publicKey: JSONWebKey {
        get throws {
            let point = Array(key.publicKey.rawRepresentation)
            return try JSONWebKey([
                "kty": "EC", "crv": "P-256", "x": .string(Base64URL.encode(point[..<32])),
                "y": .string(Base64URL.encode(point[32...])),
            ])
        }
    }

    /// A request with a new challenge; everything about it can be chosen.
    func request(
        _ server: TestServer, type: String = AppToAppNames.requestType, action: String = AppToAppNames.action,
        purpose: String = "app2app_request", secondsOff: Int64 = 0, showing shown: AppKey? = nil
    ) async throws -> String {
        let body: JSONValue = ["purpose": .string(purpose)]
        let answer = try await server.send(
            "POST", "/oauth2/challenge", headers: [("Content-Type", "application/json")],
            body: String(decoding: body.serialized, as: UTF8.self))
        let challenge = try #require(answer.json["result"]?["token"]?.stringValue, "\(answer.body)")
        let draft = BiometricRequestDraft(
            type: type, action: action, keyID: "key-of-the-app", algorithm: .es256,
            publicKey: try (shown ?? self).publicKey, challenge: challenge, deviceInfo: nil,
            issuedAt: server.clock.now + secondsOff, seconds: 60)
        return draft.request(
            signature: Array(try key.signature(for: draft.signingInput).rawRepresentation))
    }
}

@Suite("One app signs another one in, by the requests of Authgear's wire")
struct AppToAppTests {
    private static func client(_ id: String, _ configure: (inout ClientMetadata) -> Void = { _ in }) -> Client {
        TestClients.make(id, method: "none", secret: nil, firstParty: true) {
            $0.redirectURIs = ["https://\(id).example/back"]
            $0.grantTypes = ["authorization_code", "refresh_token", GrantType.appToApp.rawValue]
            configure(&$0)
        }
    }

    private static let bank = client("bank")
    private static let shop = client("shop")
    private static let plain = client("plain") { $0.grantTypes = ["authorization_code", "refresh_token"] }
    private static let foreign = TestClients.make("foreign", method: "none", secret: nil) {
        $0.redirectURIs = ["https://foreign.example/back"]
        $0.grantTypes = ["authorization_code", "refresh_token", GrantType.appToApp.rawValue]
    }
    private let pkce = PKCE(ambient: .live)

    private func start() async throws -> TestServer {
        try await TestServer.start(clients: [Self.bank, Self.shop, Self.plain, Self.foreign])
    }

    /// Signs in at a client, and binds the session to a key.
    private func session(
        _ server: TestServer, _ key: AppKey?, at client: Client = bank
    ) async throws -> (refreshToken: String, answer: EndpointAnswer) {
        let proof = PKCE(ambient: .live)
        let response = try await server.signIn(client, proof: proof)
        guard case .code(let code) = response.outcome else { throw TestFailure("refused: \(response.outcome)") }
        var form = TokenRequest.authorizationCode(
            code: Secret(code), redirectURI: client.metadata.redirectURIs?.first, codeVerifier: proof.codeVerifier
        ).parameters
        if let key { form.append(AppToAppNames.deviceKey, try await key.request(server)) }
        let answer = try await server.post("/oauth2/token", form, as: client)
        return (answer.json["refresh_token"]?.stringValue ?? "", answer)
    }

    private func approve(
        _ server: TestServer, _ refreshToken: String, _ jwt: String, for client: Client = shop,
        redirectURI: String? = nil
    ) async throws -> EndpointAnswer {
        try await server.post(
            "/oauth2/token",
            FormParameters([
                "grant_type": GrantType.appToApp.rawValue, "refresh_token": refreshToken, "jwt": jwt,
                "redirect_uri": redirectURI ?? client.metadata.redirectURIs?.first,
                "code_challenge": pkce.codeChallenge, "code_challenge_method": "S256",
            ]), as: client)
    }

    private func redeem(
        _ server: TestServer, _ code: String, _ client: Client = shop, verifier: PKCE? = nil, redirectURI: String? = nil
    ) async throws -> EndpointAnswer {
        try await server.redeem(code, client, proof: verifier ?? pkce, redirectURI: redirectURI)
    }

    @Test func `a code comes back, whose session is the same user's and ends with the first`() async throws {
        let server = try await start()
        let key = AppKey()
        let (token, _) = try await session(server, key)
        let approved = try await approve(server, token, try await key.request(server))
        #expect(approved.status == 200, "\(approved.body)")
        #expect(approved.json.objectValue?.count == 1)
        let code = try #require(approved.json["code"]?.stringValue)
        let answer = try await redeem(server, code)
        #expect(answer.status == 200, "\(answer.body)")
        let access = try #require(answer.json["access_token"]?.stringValue)
        let user = try await server.get("/oauth2/userinfo", token: access)
        #expect(user.json["sub"]?.stringValue == TestServer.subject.rawValue)
        #expect(try await server.refresh(token, Self.bank).status == 200, "the first session goes on")
        let other = try #require(answer.json["refresh_token"]?.stringValue)
        let renewed = try await server.refresh(other, Self.shop)
        #expect(renewed.status == 200)
        _ = try await server.services.stores.grants.endAll(
            of: TestServer.subject, reason: .logout, at: server.clock.now)
        #expect(try await server.refresh(renewed.json["refresh_token"]?.stringValue, Self.shop).status == 400)
        await server.stop()
    }

    @Test func `12: a stolen code is worth nothing without the verifier of the app that asked, and counts once`()
        async throws
    {
        let server = try await start()
        let key = AppKey()
        let (token, _) = try await session(server, key)
        let approved = try await approve(server, token, try await key.request(server))
        let code = try #require(approved.json["code"]?.stringValue)
        #expect(try await redeem(server, code, verifier: PKCE(ambient: .live)).error == "invalid_grant")
        #expect(try await server.redeem(code, Self.shop, proof: nil).error == "invalid_grant")
        #expect(try await redeem(server, code, redirectURI: "https://bank.example/back").error == "invalid_grant")
        #expect(
            try await redeem(server, code, Self.bank, redirectURI: "https://shop.example/back").error
                == "invalid_grant")
        #expect(try await redeem(server, code + "x").error == "invalid_grant")
        let good = try await redeem(server, code)
        #expect(good.status == 200)
        #expect(try await redeem(server, code).error == "invalid_grant")
        #expect(
            try await server.refresh(good.json["refresh_token"]?.stringValue, Self.shop).error == "invalid_grant",
            "the second use ended the session")
        #expect(try await server.refresh(token, Self.bank).status == 200)
        await server.stop()
    }

    @Test func `a code that is late is worth nothing`() async throws {
        let server = try await start()
        let key = AppKey()
        let (token, _) = try await session(server, key)
        let approved = try await approve(server, token, try await key.request(server))
        let code = try #require(approved.json["code"]?.stringValue)
        server.clock.advance(Limits.codeSeconds)
        #expect(try await redeem(server, code).error == "invalid_grant")
        await server.stop()
    }

    @Test func `clients of others, and addresses that are not registered, are refused`() async throws {
        let server = try await start()
        let key = AppKey()
        let (token, _) = try await session(server, key)
        for (client, error) in [(Self.foreign, "unauthorized_client"), (Self.plain, "unauthorized_client")] {
            let refused = try await approve(server, token, try await key.request(server), for: client)
            #expect(refused.error == error, "\(client.id)")
        }
        for address in ["https://evil.example/back", "https://bank.example/back", "https://shop.example/back?x=1"] {
            let refused = try await approve(
                server, token, try await key.request(server), redirectURI: address)
            #expect(refused.error == "invalid_request", "\(address)")
        }
        let (other, _) = try await session(server, nil, at: Self.plain)
        #expect(try await approve(server, other, try await key.request(server)).error == "unauthorized_client")
        await server.stop()
    }

    @Test func `a request counts once, in its time, for its purpose, and with the session's own key`() async throws {
        let server = try await start()
        let key = AppKey()
        let (token, _) = try await session(server, key)
        let jwt = try await key.request(server)
        #expect(try await approve(server, token, jwt).status == 200)
        #expect(try await approve(server, token, jwt).error == "invalid_grant", "replayed")
        let other = AppKey()
        let bad = [
            try await other.request(server), try await other.request(server, showing: key),
            try await key.request(server, type: BiometricNames.requestType),
            try await key.request(server, action: "authenticate"),
            try await key.request(server, purpose: "biometric_request"),
            try await key.request(server, secondsOff: -3_600), try await key.request(server, secondsOff: 3_600),
            "", "a.b.c",
        ]
        for (index, jwt) in bad.enumerated() {
            let refused = try await approve(server, token, jwt)
            #expect(refused.status == 400 && refused.error?.hasPrefix("invalid_") == true, "\(index): \(refused.body)")
        }
        let late = try await key.request(server)
        server.clock.advance(Limits.challengeSeconds + 1)
        #expect(try await approve(server, token, late).error == "invalid_grant")
        await server.stop()
    }

    @Test func `a session without a key signs no app in, and another user's key none either`() async throws {
        let server = try await start()
        let (token, _) = try await session(server, nil)
        let key = AppKey()
        #expect(try await approve(server, token, try await key.request(server)).error == "invalid_grant")
        let (bound, _) = try await session(server, key)
        #expect(!bound.isEmpty)
        #expect(try await approve(server, token, try await key.request(server)).error == "invalid_grant")
        await server.stop()
    }

    @Test func `a bad key at the redemption costs no code`() async throws {
        let server = try await start()
        let key = AppKey()
        // Of a wrong type, or for another purpose.
        let wrong = [
            try await key.request(server, type: "JWT"), try await key.request(server, purpose: "biometric_request"),
        ]
        let proof = PKCE(ambient: .live)
        let response = try await server.signIn(Self.bank, proof: proof)
        guard case .code(let code) = response.outcome else { throw TestFailure("refused: \(response.outcome)") }
        for jwt in wrong {
            var form = TokenRequest.authorizationCode(
                code: Secret(code), redirectURI: Self.bank.metadata.redirectURIs?.first,
                codeVerifier: proof.codeVerifier
            ).parameters
            form.append(AppToAppNames.deviceKey, jwt)
            #expect(try await server.post("/oauth2/token", form, as: Self.bank).error == "invalid_grant")
        }
        #expect(try await server.redeem(code, Self.bank, proof: proof).status == 200)
        await server.stop()
    }
}
