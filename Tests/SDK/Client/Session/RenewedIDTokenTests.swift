import KeyturnBase
import KeyturnVerify
import Testing

@testable import Keyturn

@Suite("ID tokens that come with a renewal")
struct RenewedIDTokenTests {
    private let lines = Locked<[String]>([])

    private func signedIn(_ world: World) async throws -> Keyturn {
        let lines = lines
        let auth = Keyturn(
            .openID(issuer: FakeService.issuer, clientID: FakeService.clientID), name: "default",
            storage: .custom(world.store), browser: FakeBrowser(service: world.service), transport: world.service,
            ambient: world.clock.ambient, logger: KeyturnLogger { _, text in lines.withLock { $0.append(text) } })
        try await auth.authorize(redirectURI: World.redirectURI)
        await world.service.set { $0.renewsIDToken = true }
        return auth
    }

    private func hasTold(_ text: String) async -> Bool {
        let lines = lines
        return await eventually { lines.withLock { $0.contains { $0.contains(text) } } }
    }

    @Test func `another user's token is an error, is told, and the tokens beside it are not handed out`() async throws {
        let world = try World()
        let auth = try await signedIn(world)
        let before = try #require(await auth.keeper.machine.record)
        world.clock.advance(600)
        await world.service.set { $0.subject = "mallory" }
        let error = await #expect(throws: AuthError(.tokenMisdirected, "")) { try await auth.accessToken() }
        #expect(error?.detail.contains("§12.2") == true)
        #expect(await hasTold("session: a renewal named another user"))
        let record = try #require(await auth.keeper.machine.record)
        #expect(record.accessToken == before.accessToken && record.refreshToken == before.refreshToken)
        #expect(auth.cachedAccessToken() == nil)
        #expect(await auth.idToken?.subject == "andy")
        // The user signs in again, and is not held up by it.
        #expect(await auth.state == .signedIn(.interactionRequired))
        await world.service.set { $0.subject = "andy" }
        try await auth.authorizeIfNeeded(redirectURI: World.redirectURI)
        #expect(try await auth.fetchAPI() == 200)
    }

    @Test func `a token for somebody else's client is told, and the session goes on`() async throws {
        let world = try World()
        let auth = try await signedIn(world)
        let before = await auth.idToken
        world.clock.advance(600)
        await world.service.set { $0.claims["aud"] = "other" }
        let token = try await auth.accessToken()
        #expect(await world.service.validAccessTokens.contains(token))
        #expect(await hasTold("session: the renewed ID token is not used (token.misdirected)"))
        #expect(await auth.idToken == before)
        #expect(await auth.state == .signedIn(.fresh))
    }

    @Test func `a token that cannot be read says nothing about whose it is`() throws {
        var record = SessionMachineTests.record()
        let claims: [String: JSONValue] = ["sub": "andy", "iss": "i", "iat": .number(1.5), "exp": .number(2.5)]
        record.idToken = IDToken(stored: ManagedSession.jwt(claims))
        #expect(record.idToken?.subject == "andy" && record.idToken?.expiresAt == UnixTime(rawValue: 2))
        func names(_ idToken: String?) -> Bool {
            TokenGrant(accessToken: "a", expiresInSeconds: nil, refreshToken: nil, idToken: idToken, scope: nil)
                .names(anotherThan: record)
        }
        #expect(names(ManagedSession.jwt(["sub": "bert"])))
        for same in [nil, "", "opaque", "a.b.c.d.e", ManagedSession.jwt(["sub": "andy"]), ManagedSession.jwt([:])] {
            #expect(!names(same), "\(same ?? "none")")
        }
        record.idToken = nil
        #expect(!names(ManagedSession.jwt(["sub": "bert"])))
    }

    @Test func `the token of a user in many groups is read again`() throws {
        let groups = (0..<1_200).map { JSONValue.string("group-\($0)") }
        let claims: [String: JSONValue] = [
            "sub": "andy", "iss": "i", "iat": 1, "exp": 2, "groups": .array(groups),
        ]
        #expect(IDToken(stored: ManagedSession.jwt(claims))?.claims["groups"] == .array(groups))
    }
}
