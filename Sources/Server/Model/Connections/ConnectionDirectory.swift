public import Authority
public import KeyturnBase
internal import Synchronization

/// Connections in memory: those of the configuration file, and those made while the server runs.
public final class ConnectionDirectory: Sendable {
    private struct Snapshot: Sendable {
        var stored: [String: Connection] = [:]
        /// The rows of ``stored``.
        var rows: [String: StoredConnection] = [:]
        /// Identifiers of rows that cannot be opened.
        var unreadable: [String] = []
        /// The number of the reading this came from: a slow one must not replace the result of a later one.
        var reading = 0
    }

    private let configured: [String: Connection]
    private let snapshot = Mutex(Snapshot())
    private let readings = Mutex(0)
    private let store: any ConnectionStore
    private let seal: ConnectionSeal

    /// - Parameter configured: of the configuration file; a stored one of the same identifier is not used.
    public init(configured: [Connection] = [], store: any ConnectionStore, seal: ConnectionSeal) {
        self.configured = Dictionary(configured.map { ($0.id, $0) }) { first, _ in first }
        self.store = store
        self.seal = seal
    }

    /// Reads everything again. Called at start, after each change, and whenever the database says that another process
    /// changed something.
    public func reload() async throws(StoreError) {
        let reading = readings.withLock { readings in
            readings += 1
            return readings
        }
        var fresh = Snapshot(reading: reading)
        for row in try await store.all(limit: Limits.connectionsMax) {
            if let connection = seal.open(row) {
                fresh.stored[row.id] = connection
                fresh.rows[row.id] = row
            } else {
                fresh.unreadable.append(row.id)
            }
        }
        let complete = fresh
        snapshot.withLock { if $0.reading < reading { $0 = complete } }
    }

    /// The connection of this identifier, whether it is enabled or not.
    public func connection(_ id: String) -> Connection? {
        configured[id] ?? snapshot.withLock { $0.stored[id] }
    }

    /// Every connection, by identifier.
    public var all: [Connection] {
        snapshot.withLock { $0.stored }.merging(configured) { _, configured in configured }.values
            .sorted { $0.id < $1.id }
    }

    /// Connections of a tenant, or of the project (`nil`), by identifier.
    public func connections(of tenant: String?) -> [Connection] {
        all.filter { $0.tenantID == tenant }
    }

    /// Whether it stands in the configuration file, and cannot be changed while the server runs.
    public func isConfigured(_ id: String) -> Bool { configured[id] != nil }

    /// Identifiers of stored connections that cannot be opened, because a secret is missing that sealed them. They are of
    /// no use, can be removed, and are not replaced by accident.
    public var unreadable: [String] { snapshot.withLock { $0.unreadable } }

    /// Adds a connection, or replaces one of the same tenant, if it is still as the caller saw it.
    ///
    /// - Parameters:
    ///   - present: what it replaces; `nil`: it is added.
    ///   - permission: for this connection.
    public func save(
        _ connection: Connection, over present: Connection?, by permission: borrowing Allowed<Acts.ChangeConnection>
    ) async throws(StoreError) -> ConnectionSaving {
        guard !isConfigured(connection.id) else { return .configured }
        if let present {
            if try await replace(present, with: connection, by: permission) { return .saved }
            return self.connection(connection.id)?.tenantID == connection.tenantID && isStored(connection.id)
                ? .changed : .missing
        }
        do throws(StoreError) {
            guard try await store.create(seal.close(connection), by: permission, max: Limits.connectionsMax) else {
                return .tooMany
            }
        } catch {
            switch error.code {
            case .conflict: return .present
            case .missing: return .missing
            case .forbidden, .full, .unavailable: throw error
            }
        }
        try await reload()
        return .saved
    }

    /// Replaces a connection that was made while the server ran, unless anything about it changed meanwhile, here or in
    /// another process.
    ///
    /// - Returns: whether it was replaced.
    public func replace(
        _ present: Connection, with change: Connection, by permission: borrowing Allowed<Acts.ChangeConnection>
    ) async throws(StoreError) -> Bool {
        let row = snapshot.withLock { $0.stored[present.id] == present ? $0.rows[present.id] : nil }
        guard let row, !isConfigured(present.id), change.id == present.id, change.tenantID == present.tenantID else {
            return false
        }
        let isReplaced = try await store.replace(row, with: seal.close(change).sealed, by: permission)
        try await reload()
        return isReplaced
    }

    /// Removes a connection, also one that cannot be opened. The roles that its provider gave end with it.
    ///
    /// - Returns: whether there was such a connection.
    /// - Throws: `conflict` if it stands in the configuration file.
    public func remove(by permission: borrowing Allowed<Acts.ChangeConnection>, at now: UnixTime)
        async throws(StoreError) -> Bool
    {
        guard !isConfigured(try permission.grounds.requireConnection()) else { throw StoreError(.conflict) }
        // Once before, so that little is left if this process ends; and once more, for sign-ins meanwhile.
        try await withdrawRoles(besides: [], by: permission)
        let existed = try await store.delete(by: permission, at: now)
        try await reload()
        _ = try await store.delete(by: permission, at: now)
        return existed
    }

    /// Takes from the connection's users the roles that its provider gave.
    ///
    /// - Parameter kept: the identifiers of roles that stay the provider's to give.
    public func withdrawRoles(besides kept: Set<String>, by permission: borrowing Allowed<Acts.ChangeConnection>)
        async throws(StoreError)
    {
        var last: FederatedIdentity.Key?
        repeat {
            last = try await store.withdrawRoles(
                besides: kept, by: permission, after: last, limit: Limits.rolesWithdrawnMax)
        } while last != nil
    }

    private func isStored(_ id: String) -> Bool { snapshot.withLock { $0.stored[id] != nil } }
}

/// What came of saving a connection.
public enum ConnectionSaving: Hashable, Sendable {
    case saved
    /// It stands in the configuration file: nothing changed.
    case configured
    /// There is one with this identifier.
    case present
    /// There is no such connection of this tenant, or no such tenant.
    case missing
    /// It is not as the caller saw it any more: nothing changed.
    case changed
    /// There are ``Limits/connectionsMax``.
    case tooMany
}
