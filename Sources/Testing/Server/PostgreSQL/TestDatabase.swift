internal import Foundation
internal import StoreSQL

/// The database of a server in the test's process: SQLite in memory, or with `KEYTURN_TEST_DATABASE=postgresql` one of
/// the throw-away PostgreSQL server.
struct TestDatabase: Sendable {
    let database: any SQLDatabase
    /// Its name on the PostgreSQL server.
    private let name: String?

    /// One that is there already, and stays.
    init(_ database: any SQLDatabase) {
        self.database = database
        name = nil
    }

    /// - Parameter onStatement: called with each statement of a store.
    init(onStatement: (@Sendable (String) -> Void)?) throws {
        guard ProcessInfo.processInfo.environment["KEYTURN_TEST_DATABASE"] == "postgresql" else {
            database = try SQLiteDatabase(path: nil, onStatement: onStatement)
            name = nil
            return
        }
        let server = try PostgreSQLServer.shared()
        let name = try server.makeDatabase()
        self.name = name
        database = try PostgreSQLDatabase(
            server.address(of: name), connectionsMax: 4,
            onFlight: { (flight: [String]) in
                for sql in flight where !Self.isControl(sql) { onStatement?(sql) }
            })
    }

    /// Removes a database of PostgreSQL, which has room for so many. One in memory goes with its last user.
    func end() {
        guard let name else { return }
        database.close()
        try? PostgreSQLServer.shared().removeDatabase(name)
    }

    private static func isControl(_ sql: String) -> Bool {
        sql == "SELECT 1" || sql.hasSuffix("FOR SHARE") || sql.hasSuffix("FOR NO KEY UPDATE")
            || control.contains { sql.hasPrefix($0) }
    }

    /// What is no statement of a store.
    private static let control = [
        "BEGIN", "COMMIT", "SAVEPOINT", "RELEASE", "ROLLBACK", "SELECT pg_advisory", "SELECT set_config",
        "INSERT INTO commit_mark",
    ]
}
