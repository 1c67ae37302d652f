import GRDB
import KeyturnVerify

/// What the backends of one machine accepted, in a database that all of them open. On PostgreSQL the statements are the
/// same, and the machines may be many.
struct SharedReplays: ReplayStore {
    private let database: DatabasePool

    /// - Parameter now: Nothing from before the store's first opening is accepted.
    init(path: String, at now: UnixTime) throws {
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        database = try DatabasePool(path: path, configuration: configuration)
        try database.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE IF NOT EXISTS replays (name TEXT PRIMARY KEY, evidence INTEGER, until INTEGER) STRICT;
                    CREATE TABLE IF NOT EXISTS forgotten (only INTEGER PRIMARY KEY, before INTEGER) STRICT;
                    """)
            try db.execute(
                sql: "INSERT INTO forgotten VALUES (1, ?) ON CONFLICT DO NOTHING", arguments: [now.rawValue])
        }
    }

    func admit(
        _ name: String, evidence: UnixTime, until: UnixTime, at now: UnixTime
    ) async throws(AuthError) -> ReplayAdmission {
        do {
            return try await database.write { db in
                // What is dropped takes everything from its time with it, whatever the clocks of the backends do.
                try db.execute(
                    sql: """
                        UPDATE forgotten SET before = max(before, coalesce(
                            (SELECT max(evidence) + 1 FROM replays WHERE until <= ?1), before));
                        """, arguments: [now.rawValue])
                try db.execute(sql: "DELETE FROM replays WHERE until <= ?", arguments: [now.rawValue])
                let before = try Int64.fetchOne(db, sql: "SELECT before FROM forgotten") ?? 0
                guard evidence.rawValue >= before else { return .tooOld }
                try db.execute(
                    sql: "INSERT INTO replays VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                    arguments: [name, evidence.rawValue, until.rawValue])
                return db.changesCount == 1 ? .admitted : .replayed
            }
        } catch {
            throw AuthError(.unavailable, "the store of replays cannot be asked", cause: error)
        }
    }
}
