internal import GRDB
internal import Identity
internal import KeyturnBase

/// Audit events in the order in which they happened.
struct SQLiteAuditStore: AuditStore {
    let database: SQLiteDatabase

    func append(_ events: [AuditEvent]) async throws(StoreError) {
        try await database.write { db in
            for event in events {
                try db.run(
                    """
                    INSERT INTO audit_event (kind, at, user_id, client_id, session_id, address, reason)
                    VALUES (?, ?, ?, ?, ?, ?, ?)
                    """,
                    [
                        event.kind.rawValue, event.at.rawValue, event.userID?.rawValue, event.clientID,
                        event.sessionID?.rawValue, event.address, event.reason,
                    ])
            }
        }
    }

    func newest(limit: Int) async throws(StoreError) -> [AuditEvent] {
        try database.read { db in
            try db.all("SELECT * FROM audit_event ORDER BY number DESC LIMIT ?", [limit]).map { row in
                AuditEvent(
                    AuditEvent.Kind(rawValue: row["kind"]), at: row.time("at"),
                    userID: (row["user_id"] as String?).map(UserID.init(rawValue:)), clientID: row["client_id"],
                    sessionID: (row["session_id"] as String?).map(SessionID.init(rawValue:)), address: row["address"],
                    reason: row["reason"])
            }
        }
    }

    func remove(before moment: UnixTime, limit: Int) async throws(StoreError) -> Int {
        try await database.write { db in
            try db.run(
                "DELETE FROM audit_event WHERE number IN (SELECT number FROM audit_event WHERE at < ? LIMIT ?)",
                [moment.rawValue, limit])
            return db.changesCount
        }
    }
}
