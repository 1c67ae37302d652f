internal import Foundation
internal import Model

/// Brings the schema of a PostgreSQL database up to date.
///
/// Servers of the release before go on meanwhile: a step adds, and what an earlier release knows goes one release later.
enum PostgreSQLMigrations {
    /// In order of their numbers, which are those of SQLite's steps.
    static let all = [Migration(number: Baseline.number, sql: Baseline.sql), nodes, auditChain, consoleOperator]

    /// How long a step waits for statements that use its tables: what comes behind it waits as well. In milliseconds.
    private static let lockMilliseconds = 200
    /// How long a step is tried again for.
    private static let patience = Duration.seconds(60)

    /// Servers that start at the same time take each step once: the first one holds a lock until its step is
    /// committed, and the version is read behind the lock.
    ///
    /// - Throws: ``OpenProblem/newer(version:)``, ``PostgreSQLProblem``.
    static func apply(_ migrations: [Migration] = all, to connection: PostgreSQLConnection) throws {
        let newest = migrations.last?.number ?? 0
        let deadline = ContinuousClock.now + patience
        while try usable(version(of: connection), newest) < newest {
            do {
                try step(migrations, connection)
            } catch let problem as PostgreSQLProblem where problem.kind == .contention {
                guard PooledConnection.pause(milliseconds: 100...400, before: deadline) else { throw problem }
            }
        }
    }

    private static func step(_ migrations: [Migration], _ connection: PostgreSQLConnection) throws {
        try connection.begin(.locking([.name("schema")]))
        do {
            try take(migrations, connection)
            try connection.commit(marking: nil)
        } catch {
            if !connection.isLost { try? connection.rollBack() }
            throw error
        }
    }

    /// The first step that was not taken yet, if another server did not take it in the meantime.
    private static func take(_ migrations: [Migration], _ connection: PostgreSQLConnection) throws {
        let present = try usable(version(of: connection), migrations.last?.number ?? 0)
        guard let next = migrations.first(where: { $0.number > present }) else { return }
        try connection.script("SET LOCAL lock_timeout = \(lockMilliseconds)")
        try connection.script(next.sql)
        if present == 0 {
            try connection.script("CREATE TABLE schema_version (number bigint NOT NULL, oldest bigint NOT NULL)")
        }
        let session = SQLSession(connection)
        try session.run("DELETE FROM schema_version", [])
        try session.run("INSERT INTO schema_version (number, oldest) VALUES (?, ?)", [next.number, next.oldest])
    }

    /// - Returns: the number of the last step.
    /// - Throws: ``OpenProblem/newer(version:)`` if a release with these steps must not use the database any more;
    ///   ``OpenProblem/unfinishedCopy``.
    static func usable(_ present: SchemaVersion, _ newest: Int = all.last?.number ?? 0) throws -> Int {
        guard present.number >= 0 else { throw OpenProblem.unfinishedCopy }
        guard present.oldest <= newest else { throw OpenProblem.newer(version: present.number) }
        return present.number
    }

    /// What the database says about itself. The number is negative while a copy is under way.
    static func version(of connection: PostgreSQLConnection) throws -> SchemaVersion {
        try version(in: SQLSession(connection))
    }

    static func version(in session: SQLSession) throws -> SchemaVersion {
        // Reads the table of tables: a lookup by name may remember that the table was missing before the lock.
        let table = "SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'schema_version'"
        guard try session.search(table, []).first != nil else { return SchemaVersion(number: 0, oldest: 0) }
        let row = try session.first("SELECT number, oldest FROM schema_version", [])
        return SchemaVersion(number: row?["number"] ?? 0, oldest: row?["oldest"] ?? 0)
    }
}
