import KeyturnBase
import KeyturnJose
import KeyturnVerify
import KeyturnWire
import Testing

@testable import Keyturn

@Suite("Service clients: where their tokens come from")
struct ServiceKindTests {
    let world = BoxWorld()

    struct Failed: Error {}

    private func key(_ algorithm: SignatureAlgorithm = .es256) throws -> AssertionKey {
        AssertionKey(keyID: "k1", signingKey: try .generate(algorithm))
    }

    @Test func `delegated: the closure is asked once however many wait, with an empty store`() async throws {
        let asked = Locked<[String]>([])
        let store = FragileTokenStore()
        let clock = world.clock
        let client = world.client(
            .delegated(uniqueID: "user-1") { id in
                try await Task.sleep(for: .milliseconds(20))
                let count = asked.withLock { asked in
                    asked.append(id)
                    return asked.count
                }
                return DelegatedToken(accessToken: "made-\(count)", expiresInSeconds: 600)
            }, application: nil, store: store)
        let tokens = try await ServiceTokenTests.together(50) { try await client.accessToken() }
        #expect(Set(tokens) == ["made-1"])
        #expect(asked.withLock { $0 } == ["user-1"])
        #expect(await store.contents.count == 1)
        clock.advance(600)
        #expect(try await client.accessToken() == "made-2")
        #expect(await world.service.requests.isEmpty)
    }

    @Test func `delegated: what the closure throws is the cause`() async throws {
        let client = world.client(.delegated(uniqueID: "u") { _ in throw Failed() })
        let error = await #expect(throws: AuthError(.delegateFailed, "")) { try await client.accessToken() }
        #expect(error?.cause is Failed)
        let typed = world.client(.delegated(uniqueID: "u") { _ in throw AuthError(.signedOut, "nobody") })
        await #expect(throws: AuthError(.signedOut, "")) { try await typed.accessToken() }
        for text in ["", "a b", "a\r\nX: y", "ä"] {
            let bad = world.client(
                .delegated(uniqueID: "u") { _ in DelegatedToken(accessToken: text, expiresInSeconds: nil) })
            await #expect(throws: AuthError(.delegateFailed, "")) { try await bad.accessToken() }
        }
    }

    @Test(arguments: [SignatureAlgorithm.rs256, .rs384, .rs512, .es256, .es384, .es512])
    func `assertion: the statement says what is documented, and no more`(_ algorithm: SignatureAlgorithm) async throws {
        let key = try key(algorithm)
        let client = world.client(.assertion(key, subject: .user("77")))
        _ = try await client.accessToken()
        let form = FakeBox.form(try #require(await world.service.sent("/oauth2/token").first))
        let jws = try UnverifiedJWS(try #require(form["assertion"]))
        #expect(jws.header.members == ["alg": .string(algorithm.rawValue), "kid": "k1", "typ": "JWT"])
        let claims = try jws.verify(
            with: VerificationKey(key.signingKey.publicKey, algorithm: key.signingKey.algorithm)
        ).claims()
        let jti = try #require(claims["jti"]?.stringValue)
        #expect((16...128).contains(jti.count))
        #expect(
            claims == [
                "iss": "CID", "sub": "77", "box_sub_type": "user", "aud": "https://api.box.com/oauth2/token",
                "jti": .string(jti), "exp": .integer(world.clock.now.rawValue + 30),
            ])
    }

    @Test(arguments: [-63_072_000 as Int64, -90, 90, 63_072_000])
    func `assertion: a wrong clock is made good by the answer's date`(_ wrongBy: Int64) async throws {
        await world.service.setClock(aheadSeconds: 0)
        let client = world.client(.assertion(try key(), subject: .enterprise("1")), wrongBy: wrongBy)
        #expect(try await client.accessToken() == "access-1")
        let sent = await world.service.sent("/oauth2/token").map { FakeBox.claims(FakeBox.form($0)["assertion"] ?? "") }
        #expect(sent.count == 2)
        #expect(Set(sent.compactMap { $0["jti"]?.stringValue }).count == 2, "each has a name of its own")
        #expect(sent.last?["exp"]?.integerValue == world.clock.now.rawValue + 30)
        world.clock.advance(4_000)
        _ = try await client.accessToken()
        #expect(await world.service.tokenRequests == 3, "the clock is known from now on")
        #expect(world.pauses.withLock { $0 }.isEmpty)
    }

    @Test func `assertion: a statement that is never in time is not made for ever`() async throws {
        let refusal = FakeBox.json(
            ["error": "invalid_grant", "error_description": "the 'jti' claim was used"], status: 400)
        for _ in 0..<9 { await world.service.fail("/oauth2/token", .answer(refusal)) }
        let client = world.client(.assertion(try key(), subject: .enterprise("1")))
        let error = await #expect(throws: AuthError(.refused, "")) { try await client.accessToken() }
        #expect(error?.server?.code == "invalid_grant")
        #expect(await world.service.tokenRequests == 1 + Limits.assertionCorrections)
    }

    @Test func `assertion: another refusal is the last word at once`() async throws {
        let refusal = FakeBox.json(["error": "invalid_grant", "error_description": "no such user"], status: 400)
        await world.service.fail("/oauth2/token", .answer(refusal))
        let client = world.client(.assertion(try key(), subject: .user("9")))
        await #expect(throws: AuthError(.refused, "")) { try await client.accessToken() }
        #expect(await world.service.tokenRequests == 1)
    }

    @Test func `37: private_key_jwt is for the issuer alone, with a jti and an end`() async throws {
        let key = try key()
        let application = ServiceApplication(clientID: "CID", authentication: .privateKeyJWT(key))
        let client = world.client(
            .clientCredentials(), application: application, configuration: .keyturn(issuer: "https://id.example.com"))
        _ = try await client.accessToken()
        let request = try #require(await world.service.requests.first)
        #expect(request.url == "https://id.example.com/oauth2/token")
        let form = FakeBox.form(request)
        #expect(form["client_assertion_type"] == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
        #expect(form["client_secret"] == nil)
        let jws = try UnverifiedJWS(try #require(form["client_assertion"]))
        #expect(jws.header.type == "client-authentication+jwt" && jws.header.keyID == "k1")
        let claims = try jws.verify(
            with: VerificationKey(key.signingKey.publicKey, algorithm: key.signingKey.algorithm)
        ).claims()
        let now = world.clock.now.rawValue
        #expect(
            claims == [
                "iss": "CID", "sub": "CID", "aud": "https://id.example.com", "iat": .integer(now),
                "exp": .integer(now + 30), "jti": claims["jti"] ?? .null,
            ])
        #expect(claims["jti"]?.stringValue?.count == 32)
    }

    @Test func `private_key_jwt at a service that knows no issuer is refused before anything is sent`() async throws {
        let application = ServiceApplication(clientID: "CID", authentication: .privateKeyJWT(try key()))
        await #expect(throws: AuthError(.unsupported, "")) {
            try await world.client(application: application).accessToken()
        }
        await #expect(throws: AuthError(.misconfigured, "")) {
            try await world.client(application: nil).accessToken()
        }
        await #expect(throws: AuthError(.misconfigured, "")) {
            try await world.client(configuration: .box(apiURL: "http://api.example.com")).accessToken()
        }
        #expect(await world.service.requests.isEmpty)
    }

    @Test func `37: a wrong clock is made good for private_key_jwt too`() async throws {
        await world.service.fail(
            "/oauth2/token", .answer(FakeBox.json(["error": "invalid_client"], status: 401)))
        let application = ServiceApplication(clientID: "CID", authentication: .privateKeyJWT(try key()))
        let client = world.client(
            .clientCredentials(), application: application, configuration: .keyturn(issuer: "https://id.example.com"),
            wrongBy: -500)
        _ = try await client.accessToken()
        let sent = await world.service.sent("/oauth2/token").map {
            FakeBox.claims(FakeBox.form($0)["client_assertion"] ?? "")
        }
        #expect(sent.map { $0["iat"]?.integerValue } == [world.clock.now.rawValue - 500, world.clock.now.rawValue])
    }

    @Test func `three-legged: the container's session does it, and its own service renews it`() async throws {
        let home = try World()
        let auth = try await home.signedIn()
        let client = ServiceClient(
            .threeLegged(auth), configuration: .keyturn(issuer: FakeService.issuer), transport: home.service,
            ambient: home.clock.ambient)
        let request = HTTPRequest(url: FakeService.issuer + "/api")
        #expect(try await client.acting(as: "7").send(request).status == 200)
        await home.service.forgetAccessTokens()
        #expect(try await client.send(request).status == 200)
        #expect(await home.renewals == 1)
        #expect(
            await home.service.requests.last { $0.url == request.url }?.headers.contains { $0.name == "As-User" }
                == false)
        try await client.destroy()
        #expect(await auth.state.isSignedIn == false)
        await #expect(throws: AuthError(.clientDestroyed, "")) { try await client.send(request) }
    }

    @Test func `the console's file is read, its key opened`() throws {
        let json: JSONValue = [
            "boxAppSettings": [
                "clientID": "CID", "clientSecret": "SEC",
                "appAuth": [
                    "publicKeyID": "k1", "privateKey": .string(TranscriptKey.encrypted), "passphrase": "correct",
                ],
            ],
            "enterpriseID": "801346",
        ]
        let settings = try AppSettings(parsing: json.serialized)
        #expect(settings.application.clientID == "CID")
        #expect(settings.key?.keyID == "k1")
        #expect(settings.key?.signingKey.algorithm == .rs256)
        #expect(settings.subject == .enterprise("801346"))
        #expect(!"\(settings)".contains("SEC"))
        for broken: JSONValue in [
            [:], ["boxAppSettings": ["clientID": "CID"]],
            [
                "boxAppSettings": [
                    "clientID": "CID", "clientSecret": "SEC",
                    "appAuth": [
                        "publicKeyID": "k", "privateKey": .string(TranscriptKey.encrypted), "passphrase": "wrong",
                    ],
                ]
            ],
        ] {
            #expect(throws: AuthError(.misconfigured, "")) { try AppSettings(parsing: broken.serialized) }
        }
    }
}
