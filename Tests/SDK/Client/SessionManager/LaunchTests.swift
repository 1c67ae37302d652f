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

    @Test func `a store that takes waiting is waited for`() async throws {
        let launches = try await Launches()
        try await launches.world.container().sessionManager.storeSession(launches.session)
        let manager = launches.world.container().sessionManager
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
