internal import Foundation
internal import Model

/// Brings the schema of a PostgreSQL database up to date.
enum PostgreSQLMigrations {
    /// In order of their numbers, which are those of SQLite's steps.
    static let all = [Migration(number: Baseline.number, sql: Baseline.sql)]

    /// Servers that start at the same time take each step once: the first one holds a lock until its step is
    /// committed, and the version is read behind the lock.
    ///
    /// - Throws: ``OpenProblem/newer(version:)``, ``PostgreSQLProblem``.
    static func apply(_ migrations: [Migration] = all, to connection: PostgreSQLConnection) throws {
        let newest = migrations.last?.number ?? 0
        while try version(of: connection, newest) < newest {
            try connection.begin(.locking([.name("schema")]))
            do {
                try take(migrations, connection)
                try connection.commit(marking: nil)
            } catch {
                if !connection.isLost { try? connection.rollBack() }
                throw error
            }
        }
    }

    /// The first step that was not taken yet, if another server did not take it in the meantime.
    private static func take(_ migrations: [Migration], _ connection: PostgreSQLConnection) throws {
        let present = try version(of: connection, migrations.last?.number ?? 0)
        guard let next = migrations.first(where: { $0.number > present }) else { return }
        try connection.script(next.sql)
        if present == 0 { try connection.script("CREATE TABLE schema_version (number bigint NOT NULL)") }
        let session = SQLSession(connection)
        try session.run("DELETE FROM schema_version", [])
        try session.run("INSERT INTO schema_version (number) VALUES (?)", [next.number])
    }

    /// The number of the last step that was taken; 0 in an empty database.
    static func version(of connection: PostgreSQLConnection, _ newest: Int = all.last?.number ?? 0) throws -> Int {
        let session = SQLSession(connection)
        // Reads the table of tables: a lookup by name may remember that the table was missing before the lock.
        let table = "SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'schema_version'"
        guard try session.search(table, []).first != nil else { return 0 }
        let present: Int = try session.first("SELECT number FROM schema_version", [])?["number"] ?? 0
        guard present <= newest else { throw OpenProblem.newer(version: present) }
        return present
    }
}
