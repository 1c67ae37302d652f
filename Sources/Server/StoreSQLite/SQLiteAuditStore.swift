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
                    INSERT INTO audit_event (kind, at, user_id, client_id, session_id, address, reason, actor, target)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                    [
                        event.kind.rawValue, event.at.rawValue, Self.readable(event.userID?.rawValue),
                        Self.readable(event.clientID), event.sessionID?.rawValue, event.address, event.reason,
                        Self.readable(event.actor), Self.readable(event.target),
                    ])
            }
        }
    }

    /// What strangers may have written is kept in a form that every reader can read.
    private static func readable(_ text: String?) -> String? {
        text.map { $0.utf8.contains(0) ? $0.replacing("\u{0}", with: "\u{2400}") : $0 }
    }

    func newest(limit: Int) async throws(StoreError) -> [AuditEvent] {
        try database.read { db in
            try db.all("SELECT * FROM audit_event ORDER BY number DESC LIMIT ?", [limit]).map(Self.event)
        }
    }

    func search(_ query: AuditQuery) async throws(StoreError) -> [AuditEvent] {
        var conditions: [String] = []
        var arguments: Values = []
        func any(_ column: String, _ values: [String]) {
            guard !values.isEmpty else { return }
            conditions.append("\(column) IN (\(values.map { _ in "?" }.joined(separator: ", ")))")
            arguments += values as Values
        }
        any("kind", query.kinds.map(\.rawValue))
        any("user_id", query.users.map(\.rawValue))
        any("actor", query.actors)
        if let from = query.from {
            conditions.append("at >= ?")
            arguments += [from.rawValue]
        }
        if let to = query.to {
            conditions.append("at <= ?")
            arguments += [to.rawValue]
        }
        if let text = query.text {
            conditions.append(
                "instr(kind || ' ' || coalesce(reason, '') || ' ' || coalesce(address, '') || ' ' || coalesce(target, ''), ?) > 0"
            )
            arguments += [text]
        }
        let condition = conditions.isEmpty ? "" : "WHERE \(conditions.joined(separator: " AND "))"
        let sql = "SELECT * FROM audit_event \(condition) ORDER BY number DESC LIMIT ? OFFSET ?"
        let values = arguments + [query.limit, query.limit * query.page]
        return try database.read { db in try db.search(sql, values).map(Self.event) }
    }

    private static func event(_ row: Row) -> AuditEvent {
        AuditEvent(
            AuditEvent.Kind(rawValue: row["kind"]), at: row.time("at"),
            userID: (row["user_id"] as String?).map(UserID.init(rawValue:)), clientID: row["client_id"],
            sessionID: (row["session_id"] as String?).map(SessionID.init(rawValue:)), address: row["address"],
            reason: row["reason"], actor: row["actor"], target: row["target"])
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
