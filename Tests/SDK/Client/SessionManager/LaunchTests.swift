import KeyturnBase
import Testing

@testable import Keyturn

@Suite("The session manager at launch")
struct LaunchTests {
    /// A place for files, and two launches that use it.
    struct Launches {
        let world: World
        let directory: TemporaryDirectory
        let session: ManagedSession

        init() async throws {
            world = try World()
            directory = try TemporaryDirectory()
            session = try await world.tokens()
        }

        var sealedFile: SessionStorage {
            .custom(SealedFileStore(directory.locations, ambient: world.clock.ambient))
        }
    }

    @Test func `a session in an app's own storage is there without waiting`() async throws {
        let launches = try await Launches()
        let cache = Shelf()
        let container = { launches.world.container($0, clientID: $1, storage: .simple(cache)) }
        try await container("default", "app").sessionManager.storeSession(launches.session)
        #expect(cache.names == ["default"])
        #expect(container("default", "app").sessionManager.session?.accessToken == launches.session.accessToken)
        #expect(container("other", "app").sessionManager.session == nil)
        #expect(container("default", "other").sessionManager.session == nil)
    }

    @Test func `a session in a sealed file is there without waiting`() async throws {
        let launches = try await Launches()
        let container = { launches.world.container(storage: launches.sealedFile) }
        try await container().sessionManager.storeSession(launches.session)
        let manager = container().sessionManager
        #expect(manager.session?.accessToken == launches.session.accessToken)
        try await manager.removeSession()
        #expect(container().sessionManager.session == nil)
    }

    #if os(Linux)
        @Test func `so it is where the system has no keyring`() async throws {
            let launches = try await Launches()
            let container = {
                launches.world.container(
                    storage: .custom(
                        AutomaticStore(
                            launches.directory.locations, addresses: [], ambient: launches.world.clock.ambient)))
            }
            try await container().sessionManager.storeSession(launches.session)
            #expect(container().sessionManager.session?.accessToken == launches.session.accessToken)
        }
    #endif

    @Test func `a session in memory is there without waiting`() async throws {
        let launches = try await Launches()
        let storage = SessionStorage.custom(MemoryStore())
        try await launches.world.container(storage: storage).sessionManager.storeSession(launches.session)
        let manager = launches.world.container(storage: storage).sessionManager
        #expect(manager.session?.accessToken == launches.session.accessToken)
        #expect(manager.isLoaded)
    }

    #if os(Linux)
        @Test(.enabled(if: RealKeyring.isInstalled)) func `a session in the keyring is there without waiting`()
            async throws
        {
            let (launches, keyring) = (try await Launches(), try await RealKeyring())
            let storage = SessionStorage.custom(
                AutomaticStore(
                    keyring.locations, addresses: keyring.addresses, ambient: launches.world.clock.ambient))
            try await launches.world.container(storage: storage).sessionManager.storeSession(launches.session)
            let auth = launches.world.container(storage: storage)
            auth.keeper.lookNow()
            #expect(auth.keeper.snapshot.session?.accessToken == launches.session.accessToken)
            keyring.kill()
            let manager = launches.world.container(storage: storage).sessionManager
            #expect(manager.session == nil)
            #expect(!manager.isLoaded)
            await #expect(throws: AuthError(.storeUnavailable, "")) { try await manager.loadSession() }
            await #expect(throws: AuthError(.storeUnavailable, "")) {
                try await launches.world.container(storage: storage).authorizeIfNeeded(redirectURI: World.redirectURI)
            }
            #expect(!manager.isLoaded)
        }

        @Test func `a keyring that does not answer holds an app up for half a second`() async throws {
            let directory = try TemporaryDirectory()
            let locations = directory.locations
            let ambient = Ambient.live
            let record = KeyringPointer(ambient).record(Generation(signIn: "a", number: 1))
            _ = try await SealedFileStore(locations, ambient: ambient).write(record, for: "a", when: .absent)
            let bus = try FakeBus(welcome: "") { _ in nil }
            defer { bus.stop() }
            let store = SecretServiceStore(locations, addresses: [bus.address], ambient: ambient)
            let before = ContinuousClock.now
            #expect(store.readNow("a").isUnavailable)
            #expect(ContinuousClock.now - before < .seconds(30))
        }
    #endif

    @Test func `what was taken over from an earlier release is there without waiting`() async throws {
        let launches = try await Launches()
        let file = SealedFileStore(launches.directory.locations, ambient: launches.world.clock.ambient)
        try await launches.world.container(storage: .custom(file)).sessionManager.storeSession(launches.session)
        let derived = ContainerName.derived(
            of: SessionRecord.Client(.openID(issuer: FakeService.issuer, clientID: FakeService.clientID)),
            program: "program")
        let container = { launches.world.container(derived, storage: .custom(file)) }
        #expect(container().sessionManager.session == nil)
        #expect(try await container().sessionManager.loadSession() != nil)
        #expect(container().sessionManager.session?.accessToken == launches.session.accessToken)
        let other = launches.world.container(derived, clientID: "other", storage: .custom(file))
        #expect(other.sessionManager.session == nil)
    }

    @Test func `a store that takes waiting is waited for`() async throws {
        let launches = try await Launches()
        try await launches.world.container().sessionManager.storeSession(launches.session)
        let manager = launches.world.container().sessionManager
        await launches.world.store.set(readable: false)
        await #expect(throws: AuthError(.storeUnavailable, "")) { try await manager.loadSession() }
        #expect(!manager.isLoaded)
        await launches.world.store.set()
        #expect(try await manager.loadSession()?.accessToken == launches.session.accessToken)
        #expect(manager.session?.accessToken == launches.session.accessToken)
    }

    @Test func `what was shown at launch goes when it turns out to be gone`() async throws {
        let launches = try await Launches()
        let container = { launches.world.container(storage: launches.sealedFile) }
        try await container().sessionManager.storeSession(launches.session)
        let auth = container()
        auth.keeper.lookNow()
        #expect(auth.keeper.snapshot.session != nil)
        try await container().sessionManager.removeSession()
        #expect(try await auth.sessionManager.loadSession() == nil)
    }
}
