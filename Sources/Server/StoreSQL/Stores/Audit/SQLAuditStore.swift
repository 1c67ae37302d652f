internal import KeyturnBase
internal import Model

/// Audit events in the order in which they happened.
struct SQLAuditStore: AuditStore {
    let database: any SQLDatabase

    private static let columns = "number, kind, at, user_id, client_id, session_id, address, reason, actor, target"

    func append(_ events: [AuditEvent]) async throws(StoreError) {
        try await database.write(.appending) { db in try Self.append(events, db) }
    }

    /// Adds the events in the caller's transaction.
    static func append(_ events: [AuditEvent], _ db: SQLSession) throws {
        for event in events {
            try db.send(
                """
                INSERT INTO audit_event (kind, at, user_id, client_id, session_id, address, reason, actor, target)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    event.kind.rawValue, event.at.rawValue, readable(event.userID?.rawValue),
                    readable(event.clientID), event.sessionID?.rawValue, event.address, event.reason,
                    readable(event.actor), readable(event.target),
                ])
        }
    }

    /// Cleans text that a client may have chosen, so that every reader can read it.
    private static func readable(_ text: String?) -> String? {
        text.map { $0.utf8.contains(0) ? $0.replacing("\u{0}", with: "\u{2400}") : $0 }
    }

    func newest(limit: Int) async throws(StoreError) -> [AuditEvent] {
        try await database.read { db in
            try db.all("SELECT \(Self.columns) FROM audit_event ORDER BY number DESC LIMIT ?", [limit]).map(Self.event)
        }
    }

    func records(_ query: AuditQuery) async throws(StoreError) -> [AuditRecord] {
        let words = database.dialect.fragments
        let filter = AuditFilter(query, words)
        let order = query.order == .newestFirst ? "DESC" : "ASC"
        // The page first: users are looked up only for its events.
        let sql = """
            SELECT \(Self.columns),
                (SELECT \(words.jsonList("i.value")) FROM (
                    SELECT value FROM identifier WHERE user_id = e.user_id ORDER BY value) AS i) AS login_ids,
                (SELECT \(words.jsonList("m.tenant_id")) FROM (
                    SELECT tenant_id FROM membership WHERE user_id = e.user_id ORDER BY tenant_id) AS m) AS tenants
            FROM (
                SELECT \(Self.columns) FROM audit_event \(filter.condition) ORDER BY number \(order) LIMIT ? OFFSET ?
            ) AS e
            ORDER BY e.number \(order)
            """
        let values = filter.values + [query.limit, query.limit * query.page]
        return try await database.read { db in
            try db.search(sql, values).map { row in
                AuditRecord(
                    number: row["number"], event: Self.event(row), loginIDs: try row.list("login_ids"),
                    tenants: try row.list("tenants"))
            }
        }
    }

    func count(_ query: AuditQuery) async throws(StoreError) -> Int {
        let filter = AuditFilter(query, database.dialect.fragments)
        return try await database.read { db in
            try db.search("SELECT count(*) AS count FROM audit_event \(filter.condition)", filter.values)
                .first?["count"] ?? 0
        }
    }

    func lastNumber() async throws(StoreError) -> Int64 {
        try await database.read { db in
            try db.first("SELECT coalesce(max(number), 0) AS number FROM audit_event", [])?["number"] ?? 0
        }
    }

    private static func event(_ row: SQLRow) -> AuditEvent {
        AuditEvent(
            AuditEvent.Kind(rawValue: row["kind"]), at: row.time("at"),
            userID: (row["user_id"] as String?).map(UserID.init(rawValue:)), clientID: row["client_id"],
            sessionID: (row["session_id"] as String?).map(SessionID.init(rawValue:)), address: row["address"],
            reason: row["reason"], actor: row["actor"], target: row["target"])
    }

    func remove(before moment: UnixTime, limit: Int, at now: UnixTime) async throws(StoreError) -> Int {
        let moment = try await database.keepAuditMonths(since: moment, at: now)
        return try await database.write(.guarded) { db in
            try db.run(
                "DELETE FROM audit_event WHERE number IN (SELECT number FROM audit_event WHERE at < ? LIMIT ?)",
                [moment.rawValue, limit])
        }
    }
}
