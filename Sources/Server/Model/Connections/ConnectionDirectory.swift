internal import Synchronization

/// Connections in memory: those of the configuration file, and those made while the server runs.
public final class ConnectionDirectory: Sendable {
    private struct Snapshot: Sendable {
        var stored: [String: Connection] = [:]
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
        let stored = try await store.all(limit: Limits.connectionsMax).compactMap(seal.open)
        let fresh = Snapshot(stored: Dictionary(stored.map { ($0.id, $0) }) { first, _ in first }, reading: reading)
        snapshot.withLock { if $0.reading < reading { $0 = fresh } }
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

    /// Adds or replaces a connection.
    ///
    /// - Throws: `conflict` if it stands in the configuration file, or belongs to another tenant; `missing` if there is
    ///   no such tenant.
    public func save(_ connection: Connection) async throws(StoreError) {
        guard !isConfigured(connection.id) else { throw StoreError(.conflict) }
        if let present = self.connection(connection.id) {
            guard present.tenantID == connection.tenantID else { throw StoreError(.conflict) }
            try await store.update(seal.close(connection))
        } else {
            try await store.create(seal.close(connection))
        }
        try await reload()
    }

    /// Removes a connection.
    ///
    /// - Returns: whether there was such a connection.
    /// - Throws: `conflict` if it stands in the configuration file.
    public func remove(_ id: String) async throws(StoreError) -> Bool {
        guard !isConfigured(id) else { throw StoreError(.conflict) }
        let existed = try await store.delete(id)
        try await reload()
        return existed
    }
}
