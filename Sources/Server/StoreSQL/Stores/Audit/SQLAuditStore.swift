internal import Foundation
internal import KeyturnBase
internal import Model

/// Audit events in the order in which they happened.
struct SQLAuditStore: AuditStore {
    let database: any SQLDatabase

    private static let names = [
        "number", "kind", "at", "user_id", "client_id", "session_id", "address", "reason", "actor", "target",
        "previous",
        "changes_digest",
    ]
    private static let columns = names.joined(separator: ", ")

    func append(_ events: [AuditEvent]) async throws(StoreError) {
        try await database.write(.appending) { db in try Self.append(events, db) }
    }

    /// Adds the events in the caller's transaction. From here to its end it alone adds any: the chain has one end.
    static func append(_ events: [AuditEvent], _ db: SQLSession) throws {
        guard !events.isEmpty else { return }
        try holdUsers(of: events, db)
        let end = "UPDATE audit_chain SET digest = digest WHERE \"only\" = 1 RETURNING digest"
        guard var digest = try db.first(end, [])?.bytes("digest") else { throw SQLProblem.noRow }
        for event in events.map(\.readable) {
            let values: Values = [
                event.kind.rawValue, event.at.rawValue, event.userID?.rawValue, event.clientID,
                event.sessionID?.rawValue, event.address, event.reason, event.actor, event.target, Data(digest),
                (event.changes?.digest).map { Data($0) },
            ]
            if let changes = event.changes {
                try add(changes, of: event, as: db.first("\(insertion) RETURNING number", values)?["number"], db)
            } else {
                try db.send(insertion, values)
            }
            digest = AuditChain.digest(of: event, after: digest)
        }
        try db.send("UPDATE audit_chain SET digest = ? WHERE \"only\" = 1", [Data(digest)])
    }

    private static let insertion = """
        INSERT INTO audit_event (
            kind, at, user_id, client_id, session_id, address, reason, actor, target, previous, changes_digest
        ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """

    func newest(limit: Int) async throws(StoreError) -> [AuditEvent] {
        try await database.read { db in
            let sql = Self.events("SELECT \(Self.columns) FROM audit_event ORDER BY number DESC LIMIT ?", "DESC")
            return try db.all(sql, [limit]).map(Self.event)
        }
    }

    func records(_ query: AuditQuery) async throws(StoreError) -> [AuditRecord] {
        let words = database.dialect.fragments
        let filter = AuditFilter(query, words)
        let order = query.order == .newestFirst ? "DESC" : "ASC"
        // The page first: users are looked up only for its events.
        let users = """
            , (SELECT \(words.jsonList("i.value")) FROM (
                SELECT value FROM identifier WHERE user_id = e.user_id ORDER BY value) AS i) AS login_ids,
            (SELECT \(words.jsonList("m.tenant_id")) FROM (
                SELECT tenant_id FROM membership WHERE user_id = e.user_id ORDER BY tenant_id) AS m) AS tenants
            """
        let page =
            "SELECT \(Self.columns) FROM audit_event \(filter.condition) ORDER BY number \(order) LIMIT ? OFFSET ?"
        let sql = Self.events(page, order, with: users)
        let values = filter.values + [query.limit, query.limit * query.page]
        return try await database.read { db in
            try db.search(sql, values).map { row in
                Self.record(row, loginIDs: try row.list("login_ids"), tenants: try row.list("tenants"))
            }
        }
    }

    func chain(after number: Int64, through last: Int64, limit: Int) async throws(StoreError) -> [AuditRecord] {
        try await database.read { db in
            let page =
                "SELECT \(Self.columns) FROM audit_event WHERE number > ? AND number <= ? ORDER BY number LIMIT ?"
            return try db.all(Self.events(page, "ASC"), [number, last, limit]).map { row in
                Self.record(row, loginIDs: [], tenants: [])
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

    func head() async throws(StoreError) -> AuditHead {
        try await database.read { db in
            // One statement: nothing comes in between.
            let sql = """
                SELECT digest, (SELECT coalesce(max(number), 0) FROM audit_event) AS number
                FROM audit_chain WHERE "only" = 1
                """
            guard let row = try db.first(sql, []) else { throw SQLProblem.noRow }
            return AuditHead(number: row["number"], digest: row.bytes("digest"))
        }
    }

    func add(_ checkpoint: AuditCheckpoint) async throws(StoreError) {
        _ = try await database.once(.replicated) { db in
            try db.run(
                """
                INSERT INTO audit_checkpoint (number, digest, at, mac) VALUES (?, ?, ?, ?)
                ON CONFLICT (number) DO NOTHING
                """,
                [checkpoint.number, Data(checkpoint.digest), checkpoint.at.rawValue, Data(checkpoint.mac)])
        }
    }

    func checkpoints() async throws(StoreError) -> [AuditCheckpoint] {
        try await database.read { db in
            try db.all("SELECT number, digest, at, mac FROM audit_checkpoint ORDER BY number", []).map { row in
                AuditCheckpoint(
                    number: row["number"], digest: row.bytes("digest"), at: row.time("at"), mac: row.bytes("mac"))
            }
        }
    }

    /// The events of a page with their values, which are looked up for these alone.
    private static func events(_ page: String, _ order: String, with more: String = "") -> String {
        """
        SELECT \(names.map { "e.\($0)" }.joined(separator: ", ")), c.salt, c.changes\(more)
        FROM (\(page)) AS e LEFT JOIN audit_change c ON c.number = e.number
        ORDER BY e.number \(order)
        """
    }

    private static func record(_ row: SQLRow, loginIDs: [String], tenants: [String]) -> AuditRecord {
        AuditRecord(
            number: row["number"], event: event(row), loginIDs: loginIDs, tenants: tenants,
            previous: (row["previous"] as Data?).map(Array.init),
            changesDigest: (row["changes_digest"] as Data?).map(Array.init))
    }

    private static func event(_ row: SQLRow) -> AuditEvent {
        AuditEvent(
            AuditEvent.Kind(rawValue: row["kind"]), at: row.time("at"),
            userID: (row["user_id"] as String?).map(UserID.init(rawValue:)), clientID: row["client_id"],
            sessionID: (row["session_id"] as String?).map(SessionID.init(rawValue:)), address: row["address"],
            reason: row["reason"], actor: row["actor"], target: row["target"], changes: changes(row))
    }

    func remove(before moment: UnixTime, limit: Int, at now: UnixTime) async throws(StoreError) -> Int {
        let moment = try await database.keepAuditMonths(since: moment, at: now)
        return try await database.write(.guarded) { db in
            // From the beginning to the last old one before one that stays, so that what is left is one chain. A time
            // that is still to come is a wrong clock's: it holds nothing up, and goes with an old one behind it.
            let first = "(SELECT number, at FROM audit_event ORDER BY number LIMIT ?1)"
            let removed = try db.run(
                """
                DELETE FROM audit_event WHERE number IN (SELECT number FROM audit_event ORDER BY number LIMIT ?1)
                    AND number <= (
                        SELECT max(number) FROM \(first) AS old WHERE at < ?2 AND number < coalesce(
                            (SELECT min(number) FROM \(first) AS held WHERE at >= ?2 AND at <= ?3), \(SQL.noLimit))
                    )
                """,
                [limit, moment.rawValue, now.rawValue])
            let changes = try removeChanges(limit: limit, db)
            // With their events, so that one that stands before the first event tells of another removal.
            try db.run(
                """
                DELETE FROM audit_checkpoint
                WHERE number < coalesce((SELECT min(number) FROM audit_event), \(SQL.noLimit))
                """, [])
            return max(removed, changes)
        }
    }
}

extension AuditEvent {
    /// Without U+0000 in what a client may have chosen, so that every reader can read it.
    fileprivate var readable: AuditEvent {
        func cleaned(_ text: String?) -> String? {
            text.map { $0.utf8.contains(0) ? $0.replacing("\u{0}", with: "\u{2400}") : $0 }
        }
        return AuditEvent(
            kind, at: at, userID: userID.map { UserID(rawValue: cleaned($0.rawValue) ?? "") },
            clientID: cleaned(clientID), sessionID: sessionID, address: address, reason: reason,
            actor: cleaned(actor), target: cleaned(target), changes: changes)
    }
}
