public import KeyturnBase

/// Keeps sessions in this process's memory and nowhere else.
///
/// No file, no lock file, no key: nothing is left when the process ends. Containers that are given the same store
/// and have the same name share a session.
public actor MemoryStore: ImmediateStore {
    private struct Contents: Sendable {
        var records: [String: StoredRecord] = [:]
        var changes: [String: Int64] = [:]

        mutating func put(
            _ record: StoredRecord?, _ container: String, when condition: StoreCondition
        ) -> StoreOutcome {
            guard condition.holds(for: records[container]?.generation) else { return .overtaken }
            if record != nil || records[container] != nil { changes[container, default: 0] += 1 }
            records[container] = record
            return .done
        }
    }

    /// Apart from the actor, so that it can be read without waiting.
    private let contents = Locked(Contents())
    private var locked: Set<String> = []

    /// An empty store.
    public init() {}

    public func read(_ container: String) -> StoreReading { readNow(container) }

    public nonisolated func readNow(_ container: String) -> StoreReading {
        contents.withLock { $0.records[container] }.map { .found($0) } ?? .absent
    }

    public func write(
        _ record: StoredRecord, for container: String, when condition: StoreCondition
    ) throws(AuthError) -> StoreOutcome {
        contents.withLock { $0.put(record, container, when: condition) }
    }

    public func remove(_ container: String, when condition: StoreCondition) throws(AuthError) -> StoreOutcome {
        contents.withLock { $0.put(nil, container, when: condition) }
    }

    public func changeMark(_ container: String) -> ChangeMark? {
        ChangeMark([contents.withLock { $0.changes[container] ?? 0 }])
    }

    public func lock(_ container: String, timeoutSeconds: Int64) async throws(AuthError) -> (any StoreLock)? {
        var wait = LockWait(timeoutSeconds: timeoutSeconds)
        while locked.contains(container) {
            guard try await wait.pause() else { return nil }
        }
        locked.insert(container)
        return Lock(store: self, container: container)
    }

    private func release(_ container: String) {
        locked.remove(container)
    }

    private actor Lock: StoreLock {
        private var store: MemoryStore?
        private let container: String

        init(store: MemoryStore, container: String) {
            self.store = store
            self.container = container
        }

        func unlock() async {
            guard let held = store else { return }
            store = nil
            await held.release(container)
        }
    }
}
