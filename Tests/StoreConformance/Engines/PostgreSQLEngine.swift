import Foundation
import KeyturnBase
import Model
import ServerTesting
import Synchronization

@testable import StoreSQL

/// PostgreSQL, with two nodes on each database.
struct PostgreSQL: Engine {
    let isDurable = true
    var isFillable: Bool { (try? PostgreSQLServer.shared().canMountDisks) ?? false }
    var testDescription: String { "PostgreSQL" }

    func makeDatabase() async throws -> any TestDatabase {
        try PostgreSQLTestDatabase(PostgreSQLDatabases.shared.take())
    }
}

/// A database with its nodes, which is emptied and used again when a check is over.
final class PostgreSQLTestDatabase: TestDatabase {
    let nodes: [Node]
    private let database: PostgreSQLDatabases.Entry
    /// The small file system that it is on; `nil`: the folder of the server, where all begin.
    private let disk = Mutex<String?>(nil)

    /// - Parameter wrap: puts something around the database of each node.
    init(_ database: PostgreSQLDatabases.Entry, wrap: (PostgreSQLDatabase) -> any SQLDatabase = { $0 }) {
        self.database = database
        nodes = database.nodes.map(wrap).map { Node(stores: $0.stores(), imports: $0.userImport(by: "test")) }
    }

    deinit {
        guard let disk = disk.withLock({ $0 }) else { return PostgreSQLDatabases.shared.give(database) }
        try? PostgreSQLDatabases.shared.remove(database, from: disk)
    }

    /// New processes on the same database: of the killed ones it has what they committed.
    func afterKill() async throws -> any TestDatabase {
        try PostgreSQLTestDatabase(PostgreSQLDatabases.Entry(name: database.name, isShared: true))
    }

    /// Moves the database to a file system of its own, once, of which every byte is then taken. The pages that its tables
    /// have may have room left.
    func fillDisk() async throws {
        let (disk, isNew) = try disk.withLock { disk in
            let (name, isNew) = (try disk ?? PostgreSQLDatabases.shared.moveToDisk(database), disk == nil)
            disk = name
            return (name, isNew)
        }
        if isNew { try await reconnect() }
        try PostgreSQLServer.shared().fillDisk(disk)
    }

    /// Opens the connections anew while there is room: the first one writes a file that spares the others work, which a
    /// busy machine would not do in time.
    private func reconnect() async throws {
        for node in nodes {
            var tries = 5
            while true {
                do {
                    try await node.stores.maintenance.ping()
                    break
                } catch {
                    tries -= 1
                    guard tries > 0 else { throw error }
                }
            }
        }
    }

    func freeDisk() async throws {
        guard let disk = disk.withLock({ $0 }) else { return }
        try PostgreSQLServer.shared().freeDisk(disk)
    }
}

/// The databases of the throw-away server.
final class PostgreSQLDatabases: Sendable {
    static let shared = PostgreSQLDatabases()

    /// One database.
    struct Entry: Sendable {
        let name: String
        let nodes: [PostgreSQLDatabase]
        /// Somebody else empties it.
        let isShared: Bool

        init(name: String, isShared: Bool = false) throws {
            let address = try PostgreSQLServer.shared().address(of: name)
            self.name = name
            self.isShared = isShared
            nodes = try (0..<2).map { _ in try PostgreSQLDatabase(address, connectionsMax: 8) }
        }
    }

    private struct State: Sendable {
        var free: [Entry] = []
        var made = 0
    }

    private let state = Mutex(State())

    /// An empty database.
    func take() throws -> Entry {
        if let entry = state.withLock({ $0.free.popLast() }) {
            try Self.empty(entry.name)
            return entry
        }
        // One at a time: the template must not be in use.
        let name = try state.withLock { state in
            if state.made == 0 {
                try Self.run(on: "postgres", "CREATE DATABASE kt_template")
                try PostgreSQLDatabase(PostgreSQLServer.shared().address(of: "kt_template")).close()
            }
            state.made += 1
            let name = "kt\(state.made)"
            try Self.run(on: "postgres", "CREATE DATABASE \(name) TEMPLATE kt_template")
            return name
        }
        return try Entry(name: name)
    }

    func give(_ entry: Entry) {
        if entry.isShared {
            for node in entry.nodes { node.close() }
        } else {
            state.withLock { $0.free.append(entry) }
        }
    }

    /// Moves a database to a small file system of its own. Its nodes find their connections closed, and open others.
    ///
    /// - Returns: the name of the file system and of its tablespace.
    func moveToDisk(_ entry: Entry) throws -> String {
        let server = try PostgreSQLServer.shared()
        let disk = try server.mountDisk()
        let closing = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '\(entry.name)'"
        for sql in [
            "CREATE TABLESPACE \(disk) LOCATION '\(server.folder)/\(disk)'", closing,
            "ALTER DATABASE \(entry.name) SET TABLESPACE \(disk)",
        ] {
            try Self.run(on: "postgres", sql)
        }
        return disk
    }

    /// Removes a database with its file system.
    func remove(_ entry: Entry, from disk: String) throws {
        for node in entry.nodes { node.close() }
        try Self.run(on: "postgres", "DROP DATABASE \(entry.name) WITH (FORCE)")
        try Self.run(on: "postgres", "DROP TABLESPACE \(disk)")
        try PostgreSQLServer.shared().unmountDisk(disk)
    }

    private static func run(on database: String, _ sql: String) throws {
        try PostgreSQLConnection(PostgreSQLServer.shared().address(of: database), defaults: []).script(sql)
    }

    /// Removes all rows, which takes a quarter of the time of a new database.
    private static func empty(_ name: String) throws {
        let connection = try PostgreSQLConnection(PostgreSQLServer.shared().address(of: name), defaults: [])
        let tables = try SQLSession(connection).search(
            """
            SELECT relname::text AS name FROM pg_class
            WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
                AND relname NOT IN ('schema_version', 'revision', 'audit_chain')
            """, [])
        let deletions = tables.map { "DELETE FROM \"\($0["name"] as String)\";" }.joined()
        try connection.script(
            """
            SET session_replication_role = replica; \(deletions) UPDATE revision SET number = 1;
            UPDATE audit_chain SET digest = decode(repeat('00', 32), 'hex')
            """)
    }
}
