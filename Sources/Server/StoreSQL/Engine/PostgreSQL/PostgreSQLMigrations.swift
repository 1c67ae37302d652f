internal import Foundation
internal import Model

/// Brings the schema of a PostgreSQL database up to date.
///
/// Servers of the release before go on meanwhile: a step adds, and what an earlier release knows goes one release later.
enum PostgreSQLMigrations {
    /// In order of their numbers, which are those of SQLite's steps.
    static let all = [
        Migration(number: Baseline.number, sql: Baseline.sql), nodes, auditChain, consoleOperator, auditChange,
        signalStream, foreignHash,
        consentClaims, signedOutGrants, shadowedSessions, providedRoles, beginnings,
        emailOfUser, phoneOfUser, givenLoginIDs, earlierGivenLoginIDs, formerOrigins,
        signedOutIdentities, setUpByOthers, origins, consentResources,
        unlinkedIdentities, formerMemberships, broughtResources, disputedUsers,
    ]

    /// The number of this release's last step.
    static var newest: Int { all.last?.number ?? 0 }

    /// How long a step waits for statements that use its tables: what comes behind it waits as well. In milliseconds.
    private static let lockMilliseconds = 200
    /// How long a step, or one batch of its rows, is tried again for.
    private static let patience = Duration.seconds(60)

    /// Servers that start at the same time take each step once: the first one holds a lock until its step is
    /// committed, and the version is read behind the lock.
    ///
    /// - Parameters:
    ///   - migrations: in order; tests give those of an earlier or a later release.
    ///   - onProgress: told of each step of a database that is not new. What it throws ends it there.
    /// - Throws: ``OpenProblem/newer(version:)``, ``PostgreSQLProblem``.
    static func apply(
        _ migrations: [Migration] = all, to connection: PostgreSQLConnection,
        onProgress: (StepProgress) throws -> Void = { _ in }
    ) throws {
        let newest = migrations.last?.number ?? 0
        let isNew = try version(of: connection).number == 0
        while true {
            let present = try version(of: connection).usable(by: newest)
            guard let next = migrations.first(where: { $0.number > present }) else { return }
            let progress = StepProgress(number: next.number, newest: newest)
            if !isNew { try onProgress(progress) }
            switch next.work {
            case .statements(let sql): try take(next, after: present, connection, sql)
            case .rows(let change):
                try changeRows(change, after: present, connection, progress, onProgress)
                try take(next, after: present, connection, nil)
            case .index(let name, let columns):
                try IndexBuilding(name: name, columns: columns, connection: connection).run()
                try take(next, after: present, connection, nil)
            }
        }
    }

    /// Takes a step, unless another server took it.
    private static func take(
        _ step: Migration, after present: Int, _ connection: PostgreSQLConnection, _ sql: String?
    ) throws {
        try locked(after: present, connection) { version in
            if let sql { try connection.script(sql) }
            if present == 0 {
                try connection.script("CREATE TABLE schema_version (number bigint NOT NULL, oldest bigint NOT NULL)")
            }
            let session = SQLSession(connection)
            try session.run("DELETE FROM schema_version", [])
            try session.run(
                "INSERT INTO schema_version (number, oldest) VALUES (?, ?)",
                [step.number, max(step.oldest, version.oldest)])
        }
    }

    /// Changes rows in the order in which they are stored. A row that was changed may move to where the walk comes
    /// later, and is then passed over.
    private static func changeRows(
        _ change: RowChange, after present: Int, _ connection: PostgreSQLConnection, _ start: StepProgress,
        _ onProgress: (StepProgress) throws -> Void
    ) throws {
        var progress = start
        let session = SQLSession(connection)
        progress.total = try session.search(change.count, []).first?["number"] ?? 0
        var position: String? = ""
        while let place = position {
            position = nil
            try locked(after: present, connection) { _ in
                let stretch = try session.dialect.fragments.stretch(
                    of: change.table, after: place, rows: RowChange.batchRows, session)
                guard let stretch else { return }
                progress.rows += try session.run(change.update(stretch.condition), stretch.ends)
                position = stretch.last
            }
            guard position != nil else { return }
            try onProgress(progress)
            Thread.sleep(forTimeInterval: RowChange.pauseSeconds)
        }
    }

    /// Runs `body` in a transaction that other servers' steps wait for, and again if a statement was in its way. Does
    /// nothing if the step after `present` was taken.
    private static func locked(
        after present: Int, _ connection: PostgreSQLConnection, _ body: (SchemaVersion) throws -> Void
    ) throws {
        let deadline = ContinuousClock.now + patience
        while true {
            do {
                return try once(after: present, connection, body)
            } catch  where problem(error)?.kind == .contention {
                guard PooledConnection.pause(milliseconds: 100...400, before: deadline) else { throw error }
            }
        }
    }

    private static func once(
        after present: Int, _ connection: PostgreSQLConnection, _ body: (SchemaVersion) throws -> Void
    ) throws {
        try connection.begin(.locking([.name("schema")]))
        do {
            let version = try version(of: connection)
            if version.number == present {
                try connection.script("SET LOCAL lock_timeout = \(lockMilliseconds)")
                try body(version)
            }
            try connection.commit(marking: nil)
        } catch {
            if !connection.isLost { try? connection.rollBack() }
            throw error
        }
    }

    private static func problem(_ error: any Error) -> PostgreSQLProblem? {
        error as? PostgreSQLProblem ?? (error as? StoreError)?.cause as? PostgreSQLProblem
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
