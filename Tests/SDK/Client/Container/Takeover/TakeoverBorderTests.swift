import KeyturnBase
import KeyturnWire
import Testing

@testable import Keyturn

@Suite("Whose session is taken over, and by whom")
struct TakeoverBorderTests {
    @Test func `an own session counts, and nothing else is looked at`() async throws {
        let world = try DescopeWorld()
        let own = world.app(importing: false)
        try await own.otp.verify(with: .email, loginId: "a@example.com", code: "123456")
        try await world.leaveSession()
        let auth = world.app()
        #expect(try await auth.start().isSignedIn)
        #expect(world.items.reads == 0)
        try await auth.logout(force: true)
        #expect(await world.mark == .done)
        #expect(try await world.app().start() == .signedOut)
        #expect(world.items.has(world.item))
    }

    @Test func `another client's session stands in the way`() async throws {
        let world = try DescopeWorld()
        try await world.leaveSession()
        let foreign = SessionRecord(
            generation: Generation(signIn: "other", number: 1),
            client: SessionRecord.Client(.openID(issuer: FakeService.issuer, clientID: "other")), accessToken: "a",
            obtainedAt: world.clock.now, expiresAt: nil, refreshToken: "r", idToken: nil, scope: .none)
        _ = try await world.store.write(foreign.stored, for: world.app().name, when: .absent)
        #expect(try await world.app().start() == .signedOut)
        #expect(await world.mark == nil)
        #expect(world.items.has(world.item))
    }

    @Test func `services of Descope and Box name their library, others none, and an app may say otherwise`() {
        #expect(Service.descope(projectID: "P1").legacySession?.library == .descopeKit(projectID: "P1"))
        #expect(Service.box(clientID: "c", clientSecret: nil).legacySession?.library == .box)
        #expect(Service.openID(issuer: "https://a.example", clientID: "c").legacySession == nil)
        #expect(Service.keyturn(issuer: "https://a.example", clientID: "c").legacySession == nil)
        #expect(Service.descope(projectID: "P1").importing(nil).legacySession == nil)
        let service = Service.openID(issuer: "https://a.example", clientID: "c").importing(.authgear())
        #expect(service.legacySession?.library == .authgear(name: "default"))
    }

    @Test func `a name takes over only what the app says, and memory nothing`() throws {
        let items = try FolderItems()
        let preset = Service.descope(projectID: "P1")
        let said = preset.importing(.descopeKit(projectID: "P1", items: items))
        let store = FragileStore()
        func takes(_ service: Service, name: String?, storage: SessionStorage) -> Bool {
            Keyturn(service, name: name, storage: storage).keeper.takeover != nil
        }
        #expect(takes(said, name: nil, storage: .custom(store)))
        #expect(takes(said, name: "work", storage: .custom(store)))
        #expect(!takes(said.importing(nil), name: nil, storage: .custom(store)))
        #expect(!takes(said, name: nil, storage: .memory))
        #expect(!takes(said, name: nil, storage: .custom(MemoryStore())))
        #if os(Linux)
            #expect(!takes(preset, name: nil, storage: .custom(store)), "there is no keychain here")
        #endif
    }

    @Test func `two processes take it over once, and renew it once`() async throws {
        let world = try DescopeWorld()
        try await world.leaveSession()
        let apps = (0..<8).map { _ in world.app() }
        let states = try await withThrowingTaskGroup(of: Bool.self) { group in
            for app in apps { group.addTask { try await app.start().isSignedIn } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(states == Array(repeating: true, count: 8))
        #expect(await world.isFinished())
        var tokens: Set<String> = []
        world.clock.advance(2)
        for app in apps { tokens.insert(try await app.accessToken()) }
        #expect(tokens.count == 1)
        #expect(await world.refreshes == 1)
    }

    @Test func `a task that was held up while another one took it over knows the session as well`() async throws {
        let world = try DescopeWorld()
        try await world.leaveSession()
        let auth = world.app()
        let gate = Gate()
        await world.store.holdBeforeLocking(gate)
        let late = Task { try await auth.start() }
        await gate.someoneArrives()
        #expect(try await auth.start().isSignedIn)
        #expect(await world.isFinished())
        await gate.open()
        #expect(try await late.value.isSignedIn)
        #expect(await auth.state.isSignedIn)
        world.clock.advance(2)
        _ = try await auth.accessToken()
    }

    @Test func `what the old library has stored since is not removed`() async throws {
        let world = try DescopeWorld()
        let old = try await world.leaveSession()
        let gate = Gate()
        await world.service.fail("/v1/auth/refresh", .held(gate))
        try await world.app().start()
        await gate.someoneArrives()
        try world.put(ManagedSession(accessToken: old.accessToken, refreshToken: "another.one.now"))
        await gate.open()
        #expect(await eventually { await world.mark == .done })
        #expect(world.items.has(world.item))
    }

    @Test func `a session that the service has ended ends here, and is not taken over again`() async throws {
        let world = try DescopeWorld()
        try await world.leaveSession()
        await world.service.forgetSession()
        let auth = world.app()
        try await auth.start()
        #expect(await eventually { await auth.state == .ended(.refused) })
        #expect(await world.mark == .done)
        #expect(world.items.has(world.item))
        #expect(try await world.app().start() == .ended(.refused))
    }

    @Test func `a renewal that names another user is not taken up`() async throws {
        let world = try DescopeWorld()
        let old = try await world.leaveSession()
        await world.service.set { $0.subject = "U2" }
        let auth = world.app()
        try await auth.start()
        #expect(await eventually { await world.refreshes == 1 })
        #expect(await eventually { await auth.state == .signedIn(.fresh) })
        #expect(try await auth.accessToken() == old.accessToken)
        #expect(world.items.has(world.item))
    }

    @Test func `the user's data of an item are not believed if its token names another user`() async throws {
        let world = try DescopeWorld()
        await world.service.set { $0.subject = "U2" }
        try await world.leaveSession()
        let auth = world.app()
        try await auth.start()
        #expect(auth.sessionManager.session?.userClaims == ["sub": "U2"])
    }

    @Test func `a mark that is damaged, or of a later release, takes nothing over`() async throws {
        let later = #"{"version":2,"stage":"taking","tokens":""}"#
        for text in ["", "{", later, #"{"version":1,"stage":"x","tokens":""}"#] {
            let world = try DescopeWorld()
            try await world.leaveSession()
            let record = StoredRecord(generation: Generation(signIn: "m", number: 1), contents: Array(text.utf8))
            _ = try await world.store.write(record, for: world.app().name + "/takeover", when: .absent)
            #expect(try await world.app().start() == .signedOut)
            #expect(world.items.has(world.item))
        }
    }

    @Test func `a mark survives its own form`() throws {
        let session = ManagedSession(accessToken: "a", refreshToken: "r")
        let client = SessionRecord.Client(.descope(projectID: "P1"))
        let record = session.record(signIn: "s", client: client, at: UnixTime(rawValue: 1))
        let sources = [
            LegacyTokens.Source(item: LegacySessionItem(service: nil, account: "a"), data: [1]),
            LegacyTokens.Source(item: LegacySessionItem(service: "s", account: "b"), data: [2]),
        ]
        let mark = TakeoverMark(taking: record, from: sources)
        #expect(TakeoverMark(mark.contents) == mark)
        #expect(TakeoverMark(mark.at(.removing).contents).stage == .removing)
        #expect(mark.isUnchanged(record))
        var renewed = record
        renewed.accessToken = "b"
        #expect(!mark.isUnchanged(renewed))
        #expect(!String(decoding: mark.contents, as: UTF8.self).contains(#""a r""#))
    }
}
