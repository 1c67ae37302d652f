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
    /// Marks are asked for within seconds; see ``CommitMark``.
    func expiring(at now: UnixTime) -> [(table: String, time: UnixTime, condition: String)] {
        [("commit_mark", now - 3_600, "at <= ?1")]
    }

    /// PostgreSQL reads no JSON string with U+0000: one such row would fail the whole query.
    private func readable(_ column: String) -> String { "replace(\(column), '\\u0000', '\\u2400')::json" }
}
