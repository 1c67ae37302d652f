internal import KeyturnBase

/// The fragments for PostgreSQL.
struct PostgreSQLFragments: SQLFragments {
    func jsonArray(_ values: String...) -> String { "json_build_array(\(values.joined(separator: ", ")))" }
    func jsonList(_ value: String) -> String { "coalesce(json_agg(\(value)), '[]'::json)" }
    func jsonObject(_ key: String, _ value: String) -> String {
        "coalesce(json_object_agg(\(key), \(value)), '{}'::json)"
    }
    func json(_ column: String) -> String { "(\(column))::json" }
    func jsonText(_ column: String, _ member: String) -> String { "(\(readable(column)) ->> '\(member)')" }
    func jsonElements(_ array: String, as table: String) -> String {
        "json_array_elements_text(\(readable(array))) AS \(table)(value)"
    }
    func jsonMembers(_ object: String, as table: String) -> String {
        "json_each(\(readable(object))) AS \(table)(key, value)"
    }
    func jsonMember(of table: String, equals place: String) -> String { "\(table).value::text = \(place)" }
    func jsonValue(_ value: JSONValue) -> any SQLValue { value.columnText }
    func position(of part: String, in text: String) -> String { "strpos(\(text), \(part))" }
    /// As SQLite's: ASCII alone, whatever the database's locale is.
    func lowercase(_ text: String) -> String { "lower((\(text)) COLLATE \"C\")" }
    func hexadecimal(_ number: String) -> String { "lpad(to_hex(\(number)), 8, '0')" }
    func skipLocked(_ table: String) -> String { "FOR UPDATE OF \(table) SKIP LOCKED" }
    var clock: String? { "floor(extract(epoch FROM clock_timestamp()))::bigint" }
    /// By pages: in the order of a random key each row would be on another page.
    func stretch(of table: String, after position: String, rows: Int, _ db: SQLSession) throws -> Stretch? {
        let start = Int64(position) ?? 0
        let pages: Int64? = try db.search(
            "SELECT pg_relation_size('\(table)') / current_setting('block_size')::bigint AS pages", []
        ).first?["pages"]
        guard start < pages ?? 0 else { return nil }
        let end = start + Int64(max(1, rows / Self.rowsOfPage))
        return Stretch(
            condition: "ctid >= ?1::tid AND ctid < ?2::tid", ends: ["(\(start),0)", "(\(end),0)"], last: "\(end)")
    }
    /// Grants on a page of 8 kB, about.
    private static let rowsOfPage = 16
    /// Marks are asked for within seconds; see ``CommitMark``.
    func expiring(at now: UnixTime) -> [(table: String, time: UnixTime, condition: String)] {
        [("commit_mark", now - 3_600, "at <= ?1")]
    }

    /// PostgreSQL reads no JSON string with U+0000: one such row would fail the whole query.
    private func readable(_ column: String) -> String { "replace(\(column), '\\u0000', '\\u2400')::json" }
}
