internal import Foundation
internal import KeyturnBase

/// The fragments for SQLite.
struct SQLiteFragments: SQLFragments {
    func jsonArray(_ values: String...) -> String { "json_array(\(values.joined(separator: ", ")))" }
    func jsonList(_ value: String) -> String { "json_group_array(\(value))" }
    func jsonObject(_ key: String, _ value: String) -> String { "json_group_object(\(key), \(value))" }
    func json(_ column: String) -> String { "json(\(column))" }
    func jsonText(_ column: String, _ member: String) -> String { "json_extract(\(column), '$.\(member)')" }
    func jsonElements(_ array: String, as table: String) -> String { "json_each(\(array)) \(table)" }
    func jsonMembers(_ object: String, as table: String) -> String { "json_each(\(object)) \(table)" }
    func jsonMember(of table: String, equals place: String) -> String { "\(table).value IS \(place)" }
    /// As it stands in the table of members.
    func jsonValue(_ value: JSONValue) -> any SQLValue {
        switch value {
        case .null: String?.none
        case .bool(let flag): flag
        case .integer(let number): number
        case .number(let number): number
        case .string(let text): text
        case .array, .object: value.columnText
        }
    }
    func position(of part: String, in text: String) -> String { "instr(\(text), \(part))" }
    func lowercase(_ text: String) -> String { "lower(\(text))" }
    func hexadecimal(_ number: String) -> String { "printf('%08x', \(number))" }
    func skipLocked(_ table: String) -> String { "" }
    var clock: String? { nil }
    /// Rows are stored in the order of their keys.
    func stretch(of table: String, after position: String, rows: Int, _ db: SQLSession) throws -> Stretch? {
        let start = Data(Base64URL.decode(position) ?? [])
        let last =
            try db.search(
                """
                SELECT id FROM (SELECT id FROM \(table) WHERE id > ? ORDER BY id LIMIT ?) AS walked
                ORDER BY id DESC LIMIT 1
                """, [start, rows]
            ).first?["id"] as Data?
        guard let last else { return nil }
        return Stretch(
            condition: "id > ?1 AND id <= ?2", ends: [start, last], last: Base64URL.encode(Array(last)))
    }
    func expiring(at now: UnixTime) -> [(table: String, time: UnixTime, condition: String)] { [] }
}
