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

    func claim(limit: Int, leaseSeconds: Int64, at now: UnixTime) async throws(StoreError) -> [LogoutNoticeClaim] {
        try await database.write(.guarded) { db in
            try Self.rows.claim(limit: limit, leaseSeconds: leaseSeconds, db, at: now)
                .map { LogoutNoticeClaim(notice: Self.notice($0), attempt: $0["attempts"]) }
                .sorted { $0.notice.number < $1.notice.number }
        }
    }

    func remove(_ claim: LogoutNoticeClaim) async throws(StoreError) -> Bool {
        try await database.write(.guarded) { db in
            return try db.run(
                "DELETE FROM logout_notice WHERE number = ? AND attempts = ?", [claim.notice.number, claim.attempt])
                == 1
        }
    }

    func postpone(_ claim: LogoutNoticeClaim, until due: UnixTime) async throws(StoreError) -> Bool {
        try await database.once(.local) { db in
            return try db.run(
                "UPDATE logout_notice SET due_at = ? WHERE number = ? AND attempts = ?",
                [due.rawValue, claim.notice.number, claim.attempt]) == 1
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

    /// Adds a notice for each relying party that has a live grant from a browser session and registered a
    /// `backchannel_logout_uri`. Call it before the grants end, in the same transaction.
    ///
    /// - Parameter condition: which grants end, with `arguments` for its question marks.
    static func add(_ condition: String, _ arguments: Values, _ db: SQLSession, at now: UnixTime) throws {
        try db.run(
            """
            INSERT INTO logout_notice (client_id, user_id, session_id, created_at, due_at)
            SELECT DISTINCT client_id, user_id, session_id, ?, ? FROM grant_
            WHERE session_id IS NOT NULL AND redeemed_at IS NOT NULL AND ended_at IS NULL AND idle_expires_at > ?
                AND absolute_expires_at > ? AND (\(condition))
                AND EXISTS (
                    SELECT 1 FROM client c WHERE c.id = grant_.client_id
                        AND \(db.dialect.fragments.jsonText("c.metadata", "backchannel_logout_uri")) IS NOT NULL)
                AND (SELECT count(*) FROM logout_notice n WHERE n.client_id = grant_.client_id) < ?
            ON CONFLICT (client_id, session_id) DO NOTHING
            """,
            [now.rawValue, now.rawValue, now.rawValue, now.rawValue] + arguments + [Limits.logoutNoticesOfClientMax])
    }
}
