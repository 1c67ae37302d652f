import KeyturnBase

@testable import Keyturn

/// A person who always signs in, and a browser whose way back can be bent.
struct FakeBrowser: BrowserAgent {
    let service: FakeService
    /// What becomes of the callback on its way back.
    var bend: @Sendable (String) throws -> String = { $0 }

    func prepare(redirectURI: String) async throws(AuthError) -> any WebAuthenticationSession {
        Session(browser: self, redirectURI: redirectURI)
    }

    struct Session: WebAuthenticationSession {
        let browser: FakeBrowser
        let redirectURI: String

        func open(_ url: String, state: String) async throws(AuthError) -> String {
            do {
                return try browser.bend(try await browser.service.follow(url))
            } catch {
                throw error as? AuthError ?? AuthError(.cancelled, "bent")
            }
        }

        func close() async {}
    }
}

/// A store that fails when told to.
actor FragileStore: SessionStore {
    private let inner = MemoryStore()
    private(set) var isReadable = true
    private(set) var isWritable = true
    private(set) var isLockable = true
    private(set) var writes = 0
    private(set) var locks = 0
    private var writeGate: Gate?
    private var writtenGate: Gate?
    private var readGate: Gate?
    private var lockGate: Gate?

    func set(readable: Bool = true, writable: Bool = true, lockable: Bool = true) {
        isReadable = readable
        isWritable = writable
        isLockable = lockable
    }

    /// The next write waits for the gate.
    func hold(_ gate: Gate) {
        writeGate = gate
    }

    /// What the next write did is seen by all, but its writer hears of it through the gate.
    func holdAfterWriting(_ gate: Gate) {
        writtenGate = gate
    }

    /// What the next read found travels until the gate opens.
    func holdAfterReading(_ gate: Gate) {
        readGate = gate
    }

    /// The next task that wants the lock waits for the gate before it queues.
    func holdBeforeLocking(_ gate: Gate) {
        lockGate = gate
    }

    func read(_ container: String) async -> StoreReading {
        let found = await inner.read(container)
        let gate = readGate
        readGate = nil
        await gate?.pass()
        return isReadable ? found : .unavailable(AuthError(.storeUnavailable, "locked"))
    }

    func write(
        _ record: StoredRecord, for container: String, when condition: StoreCondition
    ) async throws(AuthError) -> StoreOutcome {
        guard isWritable else { throw AuthError(.storeUnavailable, "disk full") }
        let gate = writeGate
        writeGate = nil
        await gate?.pass()
        writes += 1
        let outcome = try await inner.write(record, for: container, when: condition)
        let written = writtenGate
        writtenGate = nil
        await written?.pass()
        return outcome
    }

    func remove(_ container: String, when condition: StoreCondition) async throws(AuthError) -> StoreOutcome {
        guard isWritable else { throw AuthError(.storeUnavailable, "read-only") }
        return try await inner.remove(container, when: condition)
    }

    func lock(_ container: String, timeoutSeconds: Int64) async throws(AuthError) -> (any StoreLock)? {
        guard isLockable else { return nil }
        let gate = lockGate
        lockGate = nil
        await gate?.pass()
        locks += 1
        return try await inner.lock(container, timeoutSeconds: timeoutSeconds)
    }

    func changeMark(_ container: String) async -> ChangeMark? {
        await inner.changeMark(container)
    }
}

/// One device: a service, a clock, a store, and containers on them.
struct World: Sendable {
    let clock: VirtualClock
    let service: FakeService
    let store: FragileStore

    init() throws {
        clock = VirtualClock()
        service = try FakeService(clock)
        store = FragileStore()
    }

    static let redirectURI = "myapp://callback"

    func container(
        _ name: String = "default", clientID: String = FakeService.clientID, storage: SessionStorage? = nil,
        bend: @escaping @Sendable (String) throws -> String = { $0 }
    ) -> Keyturn {
        Keyturn(
            .openID(issuer: FakeService.issuer, clientID: clientID), name: name, storage: storage ?? .custom(store),
            browser: FakeBrowser(service: service, bend: bend), transport: service, ambient: clock.ambient)
    }

    /// A container in which somebody has signed in.
    func signedIn(_ name: String = "default") async throws -> Keyturn {
        let container = container(name)
        try await container.authorize(redirectURI: Self.redirectURI)
        return container
    }
}
