internal import Foundation
internal import KeyturnBase
internal import Model

/// The queue of notifications of clients in ping mode. A notice is written in the transaction of the decision, and
/// removed when it was delivered or given up.
struct SQLPingNoticeStore: PingNoticeStore {
    let database: any SQLDatabase
    private static let columns = "number, client_id, request, sealed, expires_at, attempts"
    /// The clients take turns, and new notices go first: a client that does not answer must not delay the others.
    private static let rows = LeasedRows(
        table: "ping_notice", columns: columns,
        turn: "row_number() OVER (PARTITION BY client_id ORDER BY attempts, due_at, number)",
        order: "turns.turn, queue.attempts, queue.due_at, queue.number")

    func hasDue(at now: UnixTime) async throws(StoreError) -> Bool {
        try await database.read { db in try Self.rows.haveDue(db, at: now) }
    }

    func claim(limit: Int, leaseSeconds: Int64, at now: UnixTime) async throws(StoreError) -> [PingNoticeClaim] {
        try await database.write(.guarded) { db in
            try Self.rows.claim(limit: limit, leaseSeconds: leaseSeconds, db, at: now)
                .map { PingNoticeClaim(notice: Self.notice($0), attempt: $0["attempts"]) }
                .sorted { $0.notice.number < $1.notice.number }
        }
    }

    func remove(_ claim: PingNoticeClaim) async throws(StoreError) -> Bool {
        try await database.write(.guarded) { db in
            return try db.run(
                "DELETE FROM ping_notice WHERE number = ? AND attempts = ?", [claim.notice.number, claim.attempt]) == 1
        }
    }

    func postpone(_ claim: PingNoticeClaim, until due: UnixTime) async throws(StoreError) -> Bool {
        try await database.once(.local) { db in
            return try db.run(
                "UPDATE ping_notice SET due_at = ? WHERE number = ? AND attempts = ?",
                [due.rawValue, claim.notice.number, claim.attempt]) == 1
        }
    }

    func waiting(limit: Int) async throws(StoreError) -> [PingNotice] {
        try await database.read { db in
            try db.all("SELECT \(Self.columns) FROM ping_notice ORDER BY number LIMIT ?", [limit]).map(Self.notice)
        }
    }

    private static func notice(_ row: SQLRow) -> PingNotice {
        PingNotice(
            number: row["number"], clientID: row["client_id"],
            requestID: SecretDigest(storedBytes: row.bytes("request")), sealed: row.bytes("sealed"),
            expiresAt: row.time("expires_at"))
    }

    /// Adds the notice of a request that was decided, if its client wants one. The client has as long as a device that
    /// was allowed in the last second.
    static func add(_ id: SecretDigest, _ db: SQLSession, at now: UnixTime) throws {
        try db.run(
            """
            INSERT INTO ping_notice (client_id, request, sealed, expires_at, due_at)
            SELECT client_id, digest, ping, expires_at + ?, ? FROM backchannel_authentication
            WHERE digest = ? AND ping IS NOT NULL
            ON CONFLICT (request) DO NOTHING
            """,
            [Limits.deviceRepeatSeconds, now.rawValue, Data(id.bytes)])
    }
}
