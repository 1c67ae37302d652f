import KeyturnBase
import KeyturnVerify
import Testing

@testable import Keyturn

@Suite("Whose a stored session is")
struct ContainerNameTests {
    private func container(
        _ world: World, _ issuer: String = FakeService.issuer, clientID: String = FakeService.clientID
    ) -> Keyturn {
        Keyturn(
            .openID(issuer: issuer, clientID: clientID), storage: .custom(world.store),
            browser: FakeBrowser(service: world.service), transport: world.service, ambient: world.clock.ambient)
    }

    @Test func `a program's sign-in at another service leaves the first session alone`() async throws {
        let (one, other) = (try World(), MethodWorld())
        try await container(one).authorize(redirectURI: World.redirectURI)
        let second = Keyturn(
            .descope(projectID: "P1", baseURL: FakeMethods.baseURL), storage: .custom(one.store),
            transport: other.service, ambient: other.clock.ambient)
        try await second.otp.verify(with: .email, loginId: "a@example.com", code: "123456")
        #expect(try await container(one).start().isSignedIn)
        #expect(try await second.start().isSignedIn)
    }

    @Test func `a sign-in under a name that holds another client's session replaces nothing`() async throws {
        let world = try World()
        _ = try await world.signedIn("shared")
        let other = world.container("shared", clientID: "other")
        await #expect(throws: AuthError(.misconfigured, "")) {
            try await other.authorize(redirectURI: World.redirectURI)
        }
        #expect(try await world.container("shared").start().isSignedIn)
    }

    private static let client = SessionRecord.Client(
        .openID(issuer: FakeService.issuer, clientID: FakeService.clientID))

    @Test func `another program, issuer or client has another name, and the same ones have the same`() {
        let services: [Service] = [
            .openID(issuer: "https://a", clientID: "b"), .openID(issuer: "https://a", clientID: "c"),
            .openID(issuer: "https://ab", clientID: ""), .keyturn(issuer: "https://a", clientID: "b"),
        ]
        let names = ["one", "two"].flatMap { program in
            services.map { ContainerName.derived(of: SessionRecord.Client($0), program: program) }
        }
        #expect(Set(names).count == 8)
        #expect(Keyturn(services[0], storage: .memory).name == Keyturn(services[0], storage: .memory).name)
        #expect(Keyturn(services[0], name: "work", storage: .memory).name == "work")
    }

    @Test(arguments: [
        ("/usr/bin/tool", "tool"), ("/opt/my app/tool (deleted)", "tool"), ("tool", "tool"), ("", "program"),
    ])
    func `a program is called as its file, also while an update replaces it`(_ path: String, _ name: String) {
        #expect(ContainerName.program(atPath: path) == name)
    }

    @Test func `what an earlier release left under default is taken over, with its device key`() async throws {
        let world = try World()
        await world.service.set { $0.metadata["dpop_signing_alg_values_supported"] = ["ES256"] }
        let service = Service.keyturn(issuer: FakeService.issuer, clientID: FakeService.clientID)
        func container(_ name: String?) -> Keyturn {
            Keyturn(
                service, name: name, storage: .custom(world.store), browser: FakeBrowser(service: world.service),
                transport: world.service, ambient: world.clock.ambient)
        }
        try await container("default").authorize(redirectURI: World.redirectURI)
        let auth = container(nil)
        #expect(try await auth.start().isSignedIn)
        world.clock.advance(600)
        _ = try await auth.accessToken()
        #expect(try await container(nil).start().isSignedIn)
        let other = ContainerStore(world.store, name: "other/1", client: SessionRecord.Client(service))
        #expect(await other.read("other/1").isAbsent, "another program finds nothing")
        try await auth.logout()
        #expect(await world.store.read("default").isAbsent)
    }

    @Test func `a service or a client that it was not does not take it over`() async throws {
        let world = try World()
        _ = try await world.signedIn()
        #expect(try await container(world, clientID: "other").start() == .signedOut)
        #expect(try await world.container().start().isSignedIn)
        #expect(try await container(world).start().isSignedIn)
    }

    @Test func `of many programs that start at once, one takes the session over`() async throws {
        let world = try World()
        let folder = try TemporaryDirectory()
        let old = SealedFileStore(folder.locations, ambient: .live)
        try await world.container(storage: .custom(old)).authorize(redirectURI: World.redirectURI)
        let slots = try await withThrowingTaskGroup(of: String.self) { group in
            for index in 0..<20 {
                group.addTask {
                    let store = SealedFileStore(folder.locations, ambient: .live)
                    return try await ContainerStore(store, name: "p\(index / 2)/1", client: Self.client).slot()
                }
            }
            return try await group.reduce(into: [String]()) { $0.append($1) }
        }
        #expect(slots.count { $0 == "default" } == 2, "the two processes of one program")
        #expect(Set(slots).count == 10)
        #expect(await old.read("default").record != nil)
    }

    @Test func `the container that is called default goes on beside the one that took it over`() async throws {
        let world = try World()
        _ = try await world.signedIn()
        #expect(try await container(world).start().isSignedIn)
        let named = ContainerStore(world.store, name: "default", client: nil)
        #expect(await named.read("default").isAbsent)
        let record = StoredRecord(generation: Generation(signIn: "s", number: 1), contents: [1])
        #expect(try await named.write(record, for: "default", when: .absent) == .done)
        #expect(try await container(world).start().isSignedIn)
        #expect(await ContainerStore(world.store, name: "default", client: nil).read("default").record == record)
    }

    @Test func `a sign-in under the name default is not taken over by another program`() async throws {
        let world = try World()
        let named = ContainerStore(world.store, name: "default", client: Self.client)
        let auth = world.container(storage: .custom(named))
        try await auth.authorize(redirectURI: World.redirectURI)
        #expect(try await container(world).start() == .signedOut)
        #expect(try await world.container(storage: .custom(named)).start().isSignedIn)
    }

    @Test func `what cannot be read is not absent, and does not keep a person from signing in`() async throws {
        let world = try World()
        _ = try await world.signedIn()
        await world.store.set(readable: false)
        let auth = container(world)
        await #expect(throws: AuthError(.storeUnavailable, "")) { try await auth.start() }
        #expect(await auth.state == .unknown)
        try await auth.authorize(redirectURI: World.redirectURI)
        #expect(await auth.state.isSignedIn)
        await world.store.set()
        #expect(try await container(world).start().isSignedIn)
        #expect(await world.store.read("default").record != nil)
    }
}
