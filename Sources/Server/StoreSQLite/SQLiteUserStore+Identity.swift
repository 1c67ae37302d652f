internal import GRDB
internal import Identity
internal import KeyturnBase

/// What a proof changes about accounts, and whom a search finds.
extension SQLiteUserStore {
    func merge(
        asking: UserID, existing: UserID, proved identifier: Identifier, keeping kept: UserMerge.Kept, at now: UnixTime
    ) async throws(StoreError) -> Account {
        try await database.write { db in
            guard asking != existing, let one = try Self.find(asking, db), let other = try Self.find(existing, db)
            else { throw StoreError(.missing) }
            // Only somebody who may sign in brings anything along, and only to somebody who may.
            guard one.user.status == .active, [.active, .invited].contains(other.user.status) else {
                throw StoreError(.conflict)
            }
            var merged = UserMerge.merge(asking: one, existing: other, proved: identifier, keeping: kept)
            let removed = kept == .asking ? existing : asking
            try db.run(
                "UPDATE access_key SET user_id = ? WHERE user_id = ?", [merged.user.id.rawValue, removed.rawValue])
            try db.run(
                "UPDATE data_key SET user_id = ? WHERE user_id = ?", [merged.user.id.rawValue, removed.rawValue])
            try db.run("DELETE FROM user WHERE id = ?", [removed.rawValue])
            try Self.replace(merged, db, at: now)
            if kept == .existing, merged.passwordHash == nil, other.passwordHash != nil {
                try db.run("DELETE FROM password WHERE user_id = ?", [existing.rawValue])
                try Revocation(.credentialChanged, at: now).end(existing, db)
                merged.user.epoch += 1
            }
            merged.user.updatedAt = now
            return merged
        }
    }

    func search(_ query: UserQuery) async throws(StoreError) -> [Account] {
        var conditions: [String] = []
        var arguments: Values = []
        func add(_ condition: String, _ values: Values = []) {
            conditions.append(condition)
            arguments += values
        }
        switch query.testUsers {
        case .without: add("u.is_test = 0")
        case .with: break
        case .only: add("u.is_test = 1")
        }
        if !query.statuses.isEmpty {
            add("u.status IN (\(Self.marks(query.statuses)))", query.statuses.map(\.rawValue))
        }
        if !query.tenants.isEmpty {
            add(
                "u.id IN (SELECT user_id FROM membership WHERE tenant_id IN (\(Self.marks(query.tenants))))",
                query.tenants)
        }
        if !query.roles.isEmpty {
            let marks = Self.marks(query.roles)
            add(
                """
                (EXISTS (SELECT 1 FROM json_each(u.roles) WHERE value IN (\(marks))) OR EXISTS (
                    SELECT 1 FROM membership m, json_each(m.roles) r WHERE m.user_id = u.id AND r.value IN (\(marks))))
                """, query.roles + query.roles)
        }
        for identifiers in [query.identifiers] where !identifiers.isEmpty {
            let pairs = identifiers.map { _ in "(kind = ? AND value = ?)" }.joined(separator: " OR ")
            add(
                "u.id IN (SELECT user_id FROM identifier WHERE \(pairs))",
                identifiers.flatMap { [$0.kind.rawValue, $0.value] })
        }
        if let text = query.text {
            add(
                """
                (instr(lower(coalesce(json_extract(u.claims, '$.name'), '')), ?) > 0
                    OR EXISTS (SELECT 1 FROM identifier WHERE user_id = u.id AND instr(value, ?) > 0))
                """, [text, text])
        }
        for (name, value) in query.attributes.sorted(by: { $0.key < $1.key }) {
            add(
                "EXISTS (SELECT 1 FROM json_each(u.attributes) a WHERE a.key = ? AND a.value IS ?)",
                [name, Self.column(value)])
        }
        if let time = query.createdFrom { add("u.created_at >= ?", [time.rawValue]) }
        if let time = query.createdBefore { add("u.created_at < ?", [time.rawValue]) }
        let condition = conditions.isEmpty ? "" : "WHERE \(conditions.joined(separator: " AND "))"
        let bounds: Values = [query.limit, query.limit * query.page]
        let sql = "\(Self.account) \(condition) ORDER BY u.rowid LIMIT ? OFFSET ?"
        let values = arguments + bounds
        return try database.read { db in try db.search(sql, values).map(Self.account) }
    }

    private static func marks(_ values: [some Any]) -> String {
        values.map { _ in "?" }.joined(separator: ", ")
    }

    /// How a JSON value looks in SQLite's table of members.
    private static func column(_ value: JSONValue) -> (any DatabaseValueConvertible)? {
        switch value {
        case .null: nil
        case .bool(let flag): flag ? 1 : 0
        case .integer(let number): number
        case .number(let number): number
        case .string(let text): text
        case .array, .object: value.columnText
        }
    }
}
