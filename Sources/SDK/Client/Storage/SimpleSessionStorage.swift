public import KeyturnBase

/// The least that can keep a session: saves, loads and removes a piece of data by its name.
///
/// For storage that an app has already. Pass it to a container as ``SessionStorage/simple(_:)``. What is saved is
/// secret. Errors of any kind mean that the storage cannot be used now; `nil` from ``loadSession(named:)`` means that
/// it was looked into and there is nothing.
public protocol SimpleSessionStorage: Sendable {
    /// Replaces what is saved under `name`. In one step: after a crash the old is there, or the new.
    func saveSession(_ data: [UInt8], named name: String) throws

    /// What is saved under `name`.
    func loadSession(named name: String) throws -> [UInt8]?

    /// Removes what is saved under `name`. Removing nothing is no error.
    func removeSession(named name: String) throws
}

extension SessionStorage {
    /// Storage of the app's own that saves and loads, and no more.
    ///
    /// Containers that are to share a session must be given the same ``SimpleStore``, as ``custom(_:)``: who saves
    /// beside it is not noticed.
    public static func simple(_ storage: any SimpleSessionStorage) -> SessionStorage {
        .custom(SimpleStore(storage))
    }
}

/// Makes a store of a ``SimpleSessionStorage``: adds conditions, locks and the change mark, within this process.
public final class SimpleStore: ImmediateStore {
    private let storage: any SimpleSessionStorage
    /// Held while the storage is used, so that looking and replacing are one step; counts the changes.
    private let changes = Locked<Int64>(0)
    /// Only for its locks; nothing is kept in it.
    private let locks = MemoryStore()

    /// A store over `storage`. Touches it not yet.
    public init(_ storage: any SimpleSessionStorage) {
        self.storage = storage
    }

    public func read(_ container: String) async -> StoreReading { readNow(container) }

    public func readNow(_ container: String) -> StoreReading {
        do throws(AuthError) {
            return try changes.withLock { _ throws(AuthError) in try load(container) }.map { .found($0) } ?? .absent
        } catch {
            return .unavailable(error)
        }
    }

    public func write(
        _ record: StoredRecord, for container: String, when condition: StoreCondition
    ) async throws(AuthError) -> StoreOutcome {
        try change(container, when: condition) { storage throws in
            try storage.saveSession(Self.encode(record), named: container)
            return true
        }
    }

    public func remove(_ container: String, when condition: StoreCondition) async throws(AuthError) -> StoreOutcome {
        try change(container, when: condition) { storage throws in
            guard try storage.loadSession(named: container) != nil else { return false }
            try storage.removeSession(named: container)
            return true
        }
    }

    public func lock(_ container: String, timeoutSeconds: Int64) async throws(AuthError) -> (any StoreLock)? {
        try await locks.lock(container, timeoutSeconds: timeoutSeconds)
    }

    public func changeMark(_ container: String) async -> ChangeMark? {
        ChangeMark([changes.withLock { $0 }])
    }

    /// - Parameter body: Returns whether it has changed anything.
    private func change(
        _ container: String, when condition: StoreCondition,
        _ body: (any SimpleSessionStorage) throws -> Bool
    ) throws(AuthError) -> StoreOutcome {
        try changes.withLock { count throws(AuthError) in
            // What cannot be read is replaced only by a caller who does not mind what it is.
            if condition != .always {
                guard condition.holds(for: try load(container)?.generation) else { return .overtaken }
            }
            do {
                guard try body(storage) else { return .done }
            } catch {
                throw Self.unavailable(error)
            }
            count += 1
            return .done
        }
    }

    private func load(_ container: String) throws(AuthError) -> StoredRecord? {
        let data: [UInt8]?
        do {
            data = try storage.loadSession(named: container)
        } catch {
            throw Self.unavailable(error)
        }
        guard let data else { return nil }
        guard let record = Self.decode(data) else {
            throw AuthError(
                .storeUnavailable, "the app's storage holds something else than a session: a sign-in replaces it",
                cause: UnusableRecord())
        }
        return record
    }

    private static func unavailable(_ error: any Error) -> AuthError {
        error as? AuthError ?? AuthError(.storeUnavailable, "the app's storage failed", cause: error)
    }

    private static func encode(_ record: StoredRecord) -> [UInt8] {
        JSONWriter.object(capacity: record.contents.count * 2) { writer in
            writer.member("sign_in", record.generation.signIn)
            writer.member("number", Int64(clamping: record.generation.number))
            writer.member("contents", Base64URL.encode(record.contents))
        }
    }

    private static func decode(_ data: [UInt8]) -> StoredRecord? {
        let limits = JSONValue.Limits(bytesMax: 2 * Limits.recordMaxBytes, depthMax: 4, membersMax: 16)
        guard let json = try? JSONValue(parsing: data, limits: limits), let signIn = json["sign_in"]?.stringValue,
            let number = json["number"]?.integerValue.flatMap({ UInt64(exactly: $0) }),
            let contents = json["contents"]?.stringValue.flatMap({ Base64URL.decode($0) })
        else { return nil }
        return StoredRecord(generation: Generation(signIn: signIn, number: number), contents: contents)
    }
}
