internal import KeyturnBase
internal import Model

/// The queue of logout notices. A notice is written in the transaction that ends its session, and removed when it was
/// delivered or finally failed.
struct SQLLogoutNoticeStore: LogoutNoticeStore {
    let database: any SQLDatabase
    /// The clients take turns, and new notices go first: a relying party that does not answer must not delay the
    /// notices of the others.
    private static let columns = "number, client_id, user_id, session_id, created_at, attempts"
    private static let rows = LeasedRows(
        table: "logout_notice", columns: columns,
        turn: "row_number() OVER (PARTITION BY client_id ORDER BY attempts, due_at, number)",
        order: "turns.turn, queue.attempts, queue.due_at, queue.number")

    func hasDue(at now: UnixTime) async throws(StoreError) -> Bool {
        try await database.read { db in try Self.rows.haveDue(db, at: now) }
    }

    func claim(
        limit: Int, ofClientMax: Int, except clients: Set<String>, leaseSeconds: Int64, at now: UnixTime
    ) async throws(StoreError) -> [LogoutNoticeClaim] {
        let names = clients.sorted()
        let marks = names.indices.map { "?\($0 + 5)" }.joined(separator: ", ")
        let isFree = names.isEmpty ? "" : " AND queue.client_id NOT IN (\(marks))"
        let values: Values = [ofClientMax] + names.map { $0 as any SQLValue }
        return try await database.write(.guarded) { db in
            try Self.rows.claim(
                limit: limit, where: "turns.turn <= ?4\(isFree)", values, leaseSeconds: leaseSeconds, db, at: now
            )
            .map { LogoutNoticeClaim(notice: Self.notice($0), attempt: $0["attempts"]) }
            .sorted { $0.notice.number < $1.notice.number }
        }
    }

    func remove(_ claim: LogoutNoticeClaim) async throws(StoreError) -> Bool {
        try await database.write(.guarded) { db in
            return try db.run(
                "DELETE FROM logout_notice WHERE number = ? AND attempts = ? AND created_at = ?",
                [claim.notice.number, claim.attempt, claim.notice.createdAt.rawValue]) == 1
        }
    }

    func postpone(_ claim: LogoutNoticeClaim, until due: UnixTime) async throws(StoreError) -> Bool {
        try await database.once(.local) { db in
            return try db.run(
                "UPDATE logout_notice SET due_at = ? WHERE number = ? AND attempts = ? AND created_at = ?",
                [due.rawValue, claim.notice.number, claim.attempt, claim.notice.createdAt.rawValue]) == 1
        }
    }

    func waiting(limit: Int) async throws(StoreError) -> [LogoutNotice] {
        try await database.read { db in
            try db.all("SELECT \(Self.columns) FROM logout_notice ORDER BY number LIMIT ?", [limit]).map(Self.notice)
        }
    }

    private static func notice(_ row: SQLRow) -> LogoutNotice {
        LogoutNotice(
            number: row["number"], clientID: row["client_id"], userID: UserID(rawValue: row["user_id"]),
            sessionID: SessionID(rawValue: row["session_id"]), createdAt: row.time("created_at"))
    }

    /// Adds a notice for each session of a client that takes notices, where live grants are meant or derive from those
    /// that are. A notice about the session that still waits is told anew: one that is on its way may have been signed
    /// before the last token was issued. Call it before the grants end, in the same transaction.
    ///
    /// - Parameters:
    ///   - condition: which grants are meant, with `arguments` for its question marks.
    ///   - now: when they end.
    static func add(_ condition: String, _ arguments: Values, _ db: SQLSession, at now: UnixTime) throws {
        let isMeant = """
            redeemed_at IS NOT NULL AND ended_at IS NULL AND idle_expires_at > ? AND absolute_expires_at > ?
                AND id IN (SELECT id FROM meant)
                AND EXISTS (
                    SELECT 1 FROM client c WHERE c.id = grant_.client_id
                        AND \(db.dialect.fragments.jsonText("c.metadata", "backchannel_logout_uri")) IS NOT NULL)
            """
        let meant = """
            WITH RECURSIVE meant (id) AS (
                SELECT id FROM grant_ WHERE ended_at IS NULL AND (\(condition))
                UNION SELECT g.id FROM grant_ g JOIN meant m ON g.parent = m.id WHERE g.ended_at IS NULL
            )
            """
        let time = now.rawValue
        try db.run(
            """
            \(meant)
            INSERT INTO logout_notice (client_id, user_id, session_id, created_at, due_at)
            SELECT DISTINCT client_id, user_id, session_id, ?, ? FROM grant_
            WHERE session_id IS NOT NULL AND \(isMeant)
                AND (SELECT count(*) FROM logout_notice n WHERE n.client_id = grant_.client_id) < ?
            \(anew)
            """,
            arguments + [time, time, time, time, Limits.logoutNoticesOfClientMax])
        // Sessions without a browser: their names are made of their grants'.
        let own = try db.all(
            "\(meant) SELECT client_id, user_id, id FROM grant_ WHERE session_id IS NULL AND \(isMeant)",
            arguments + [time, time])
        for row in own {
            guard let grant = GrantID(bytes: row.bytes("id")) else { throw SQLProblem.damagedRow }
            try db.run(
                """
                INSERT INTO logout_notice (client_id, user_id, session_id, created_at, due_at)
                SELECT ?1, ?2, ?3, ?4, ?4
                WHERE (SELECT count(*) FROM logout_notice n WHERE n.client_id = ?1) < ?5
                \(anew)
                """,
                [
                    row["client_id"] as String, row["user_id"] as String, SessionID(of: grant).rawValue, time,
                    Limits.logoutNoticesOfClientMax,
                ])
        }
    }

    /// With another time, a claim of the notice as it was removes nothing any more.
    private static let anew = """
        ON CONFLICT (client_id, session_id) DO UPDATE SET due_at = excluded.due_at, attempts = 0,
            created_at = CASE WHEN excluded.created_at > logout_notice.created_at THEN excluded.created_at
                ELSE logout_notice.created_at END
        """
}
