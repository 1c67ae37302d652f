import KeyturnBase
import KeyturnVerify
import KeyturnWire
import Testing

@testable import Keyturn

@Suite("Service clients: where tokens are kept")
struct TokenStoreTests {
    let world = BoxWorld()

    private var kinds: [ServiceCredential] {
        [
            BoxWorld.enterprise, .clientCredentials(), .clientCredentials(subject: .user("1")),
            .clientCredentials(subject: .user("2")), .clientCredentials(subject: .enterprise("2")),
            .clientCredentials(scope: Scope(names: ["a"])), .clientCredentials(resource: ["a"]),
            .delegated(uniqueID: "1") { _ in DelegatedToken(accessToken: "d1", expiresInSeconds: 900) },
            .delegated(uniqueID: "2") { _ in DelegatedToken(accessToken: "d2", expiresInSeconds: 900) },
            .threeLegged(uniqueID: "1", tokens: ServiceTokenTests.given(world)),
            .threeLegged(uniqueID: "1|2", tokens: ServiceTokenTests.given(world)),
        ]
    }

    @Test func `no two subjects, kinds, applications or services share a record`() async throws {
        let store = FragileTokenStore()
        for kind in kinds { _ = try await world.client(kind, store: store).accessToken() }
        #expect(await store.contents.count == kinds.count)
        let other = ServiceApplication(clientID: "OTHER", clientSecret: "x")
        _ = try await world.client(application: other, store: store).accessToken()
        _ = try await world.client(configuration: .keyturn(issuer: "https://id.example.com"), store: store)
            .accessToken()
        #expect(await store.contents.count == kinds.count + 2)
    }

    @Test func `an empty store is no obstacle for any kind, and what is stored is used by the next run`() async throws {
        let directory = try TemporaryDirectory()
        for kind in kinds {
            let first = try await world.client(kind, store: .file(directory.locations)).accessToken()
            let before = await world.service.tokenRequests
            let again: ServiceCredential
            if case .tokens(let id, _) = kind.kind { again = .threeLegged(uniqueID: id) } else { again = kind }
            #expect(try await world.client(again, store: .file(directory.locations)).accessToken() == first)
            #expect(await world.service.tokenRequests == before)
        }
        #expect(directory.contents.contains { $0.hasSuffix("/key") })
        for name in directory.contents where name.contains("session.") {
            let text = String(decoding: try directory.read(name), as: UTF8.self)
            #expect(!text.contains("access-"), "sealed")
        }
    }

    @Test func `two people in one file store never overwrite each other`() async throws {
        let directory = try TemporaryDirectory()
        let store = SessionTokenStore.file(directory.locations)
        for (id, token) in [("ann", "a-1"), ("bob", "b-1")] {
            let tokens = ServiceTokens(
                accessToken: token, refreshToken: nil, obtainedAt: world.clock.now, expiresInSeconds: 900)
            _ = try await world.client(.threeLegged(uniqueID: id, tokens: tokens), store: store).accessToken()
        }
        #expect(try await world.client(.threeLegged(uniqueID: "ann"), store: store).accessToken() == "a-1")
        let bob = world.client(.threeLegged(uniqueID: "bob"), store: store)
        #expect(try await bob.accessToken() == "b-1")
        try await bob.destroy()
        #expect(try await world.client(.threeLegged(uniqueID: "ann"), store: store).accessToken() == "a-1")
    }

    @Test func `a store that takes nothing costs nobody a token, and is a problem of its own`() async throws {
        let store = FragileTokenStore()
        await store.set(writable: false)
        let client = world.client(store: store)
        #expect(try await client.accessToken() == "access-1")
        #expect(try await client.accessToken() == "access-1")
        let problem = await client.storageProblem
        #expect(problem?.code == .storeUnavailable && problem?.cause is FragileTokenStore.Broken)
        await store.set()
        world.clock.advance(3_600)
        #expect(try await client.accessToken() == "access-2")
        #expect(await client.storageProblem == nil)
        #expect(await store.contents.values.map(\.accessToken) == ["access-2"])
    }

    @Test func `a store that cannot be read stops only those whose tokens are nowhere else`() async throws {
        let store = FragileTokenStore()
        await store.set(readable: false)
        #expect(try await world.client(store: store).accessToken() == "access-1")
        let lost = world.client(.threeLegged(uniqueID: "u"), store: store)
        await #expect(throws: AuthError(.storeUnavailable, "")) { try await lost.accessToken() }
        let given = world.client(.threeLegged(uniqueID: "u", tokens: ServiceTokenTests.given(world)), store: store)
        #expect(try await given.accessToken() == "given-access")
    }

    @Test func `a refresh token that could not be stored is used from memory, not the old one from the store`()
        async throws
    {
        let store = FragileTokenStore()
        await world.service.give(refreshToken: "given-refresh")
        let client = world.client(.threeLegged(uniqueID: "u", tokens: ServiceTokenTests.given(world)), store: store)
        _ = try await client.accessToken()
        await store.set(writable: false)
        world.clock.advance(3_600)
        #expect(try await client.accessToken() == "access-1")
        world.clock.advance(3_600)
        #expect(try await client.accessToken() == "access-2")
        let sent = await world.service.sent("/oauth2/token").map { FakeBox.form($0)["refresh_token"] }
        #expect(sent == ["given-refresh", "refresh-1"])
    }

    @Test func `destroying says that the store could not be cleared, after everything else`() async throws {
        let store = FragileTokenStore()
        let client = world.client(store: store)
        _ = try await client.accessToken()
        await store.set(writable: false)
        await #expect(throws: AuthError(.storeUnavailable, "")) { try await client.destroy() }
        #expect(await world.service.revoked == ["access-1"])
        await store.set()
        try await client.destroy()
        #expect(await store.contents.isEmpty)
    }

    @Test func `nobody has given access yet`() async throws {
        let client = world.client(.threeLegged(uniqueID: "u"))
        await #expect(throws: AuthError(.signedOut, "")) { try await client.accessToken() }
        #expect(await world.service.requests.isEmpty)
    }

    @Test func `a refresh token that is refused ends the session in memory and store`() async throws {
        let store = FragileTokenStore()
        let client = world.client(.threeLegged(uniqueID: "u", tokens: ServiceTokenTests.given(world)), store: store)
        _ = try await client.accessToken()
        world.clock.advance(3_600)
        let error = await #expect(throws: AuthError(.sessionEnded, "")) { try await client.accessToken() }
        #expect(error?.server?.description == "gone")
        #expect(await store.contents.isEmpty)
        #expect(await world.service.tokenRequests == 1)
        await #expect(throws: AuthError(.signedOut, "")) { try await client.accessToken() }
    }

    @Test func `what another process renewed meanwhile is taken up`() async throws {
        let store = FragileTokenStore()
        await world.service.give(refreshToken: "given-refresh")
        let first = world.client(.threeLegged(uniqueID: "u", tokens: ServiceTokenTests.given(world)), store: store)
        _ = try await first.accessToken()
        world.clock.advance(3_600)
        let second = world.client(.threeLegged(uniqueID: "u"), store: store)
        #expect(try await second.accessToken() == "access-1")
        #expect(try await first.accessToken() == "access-1")
        #expect(await world.service.tokenRequests == 1)
    }

    @Test func `two processes that renew at once: the lock lets one ask`() async throws {
        let directory = try TemporaryDirectory()
        await world.service.give(refreshToken: "given-refresh")
        let first = world.client(
            .threeLegged(uniqueID: "u", tokens: ServiceTokenTests.given(world)), store: .file(directory.locations))
        _ = try await first.accessToken()
        let second = world.client(.threeLegged(uniqueID: "u"), store: .file(directory.locations))
        _ = try await second.accessToken()
        world.clock.advance(3_600)
        let gate = Gate()
        await world.service.fail("/oauth2/token", .held(gate))
        async let one = first.accessToken()
        await gate.someoneArrives()
        async let other = second.accessToken()
        try await Task.sleep(for: .milliseconds(50))
        await gate.open()
        #expect(try await [one, other] == ["access-1", "access-1"])
        #expect(await world.service.tokenRequests == 1)
    }

    @Test func `damaged tokens are not taken for none`() async throws {
        let sessions = MemoryStore()
        let store = SessionTokenStore(sessions)
        let name = try #require(BoxWorld.enterprise.storageName(at: .box, of: BoxWorld.application))
        let record = StoredRecord(generation: Generation(signIn: "x", number: 1), contents: Array("{}".utf8))
        _ = try await sessions.write(record, for: name, when: .always)
        await #expect(throws: AuthError(.storeUnavailable, "")) { try await store.read(name) }
        #expect(try await world.client(store: store).accessToken() == "access-1")
        #expect(try await store.read(name)?.accessToken == "access-1")
    }

    @Test func `tokens come back from their stored form as they were`() throws {
        let tokens = ServiceTokens(
            accessToken: "a", refreshToken: "r", obtainedAt: UnixTime(rawValue: 5), expiresAt: UnixTime(rawValue: 9),
            scope: Scope(names: ["x", "y"]),
            restrictedTo: [RestrictedObject(scope: "x", resource: "https://api.box.com/2.0/files/1")],
            issuedTokenType: .accessToken)
        #expect(ServiceTokens(serialized: tokens.serialized) == tokens)
        for broken in ["", "{}", "[]", #"{"version":2,"access_token":"a","obtained_at":1}"#] {
            #expect(ServiceTokens(serialized: Array(broken.utf8)) == nil)
        }
    }
}
