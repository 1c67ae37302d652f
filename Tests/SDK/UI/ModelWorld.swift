import Keyturn
import KeyturnBase
import ServerTesting
import KeyturnUI

/// A device on which an app runs against a real server.
@MainActor struct ModelWorld {
    let server: TestServer
    let store: SessionStorage

    static let options = SignInOptions(redirectURI: "http://127.0.0.1:49152/callback")

    init(store: (any SessionStore)? = nil) async throws {
        server = try await TestServer.start()
        self.store = .custom(store ?? MemoryStore())
    }

    func container(_ conduct: PersonAtBrowser.Conduct = .signsIn) -> Keyturn {
        Keyturn(
            .keyturn(issuer: server.issuer, clientID: "tool"), name: "model", storage: store,
            browser: PersonAtBrowser(browser: server.browser(), conduct: conduct),
            transport: DatedTransport(server.clock), ambient: server.clock.ambient)
    }

    /// A container whose user has signed in, with its model.
    func signedIn() async throws -> (auth: Keyturn, model: KeyturnModel) {
        let auth = container()
        let model = KeyturnModel(auth)
        await model.start()
        try await auth.authorize(Self.options)
        try await model.waits { $0.state.user != nil }
        return (auth, model)
    }
}

extension KeyturnModel {
    /// Waits until the model shows what is asked for, ten seconds at most.
    func waits(
        _ what: @MainActor (KeyturnModel) -> Bool
    ) async throws {
        for _ in 0..<2_000 {
            if what(self) { return }
            try await Task.sleep(for: .milliseconds(5))
        }
        throw TestFailure("the model shows \(state), stale: \(isStale)")
    }
}

extension KeyturnModel.State {
    var user: KeyturnModel.User? {
        if case .signedIn(let user) = self { user } else { nil }
    }
}

/// A store that cannot be read before it is opened, as the keychain before the first unlock.
actor ClosedStore: SessionStore {
    private let inner = MemoryStore()
    private var isOpen = false

    func open() {
        isOpen = true
    }

    func read(_ container: String) async -> StoreReading {
        guard isOpen else { return .unavailable(AuthError(.storeUnavailable, "closed")) }
        return await inner.read(container)
    }

    func write(
        _ record: StoredRecord, for container: String, when condition: StoreCondition
    ) async throws(AuthError) -> StoreOutcome {
        guard isOpen else { throw AuthError(.storeUnavailable, "closed") }
        return try await inner.write(record, for: container, when: condition)
    }

    func remove(_ container: String, when condition: StoreCondition) async throws(AuthError) -> StoreOutcome {
        guard isOpen else { throw AuthError(.storeUnavailable, "closed") }
        return try await inner.remove(container, when: condition)
    }

    func lock(_ container: String, timeoutSeconds: Int64) async throws(AuthError) -> (any StoreLock)? {
        try await inner.lock(container, timeoutSeconds: timeoutSeconds)
    }

    func changeMark(_ container: String) async -> ChangeMark? {
        await inner.changeMark(container)
    }
}
