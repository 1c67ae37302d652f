internal import KeyturnBase
internal import Model

/// The SQL dialect of a database.
package enum Dialect: Int, CaseIterable, Sendable {
    case sqlite, postgreSQL
}

/// SQL fragments that have no form for all engines. All other SQL is written once.
protocol SQLFragments: Sendable {
    /// A JSON array of these values, for each row.
    func jsonArray(_ values: String...) -> String
    /// A JSON array of `value` of all rows; an empty one if there is none.
    func jsonList(_ value: String) -> String
    /// A JSON object of all rows; an empty one if there is none.
    func jsonObject(_ key: String, _ value: String) -> String
    /// A column of JSON text as JSON inside of another one.
    func json(_ column: String) -> String
    /// The text of a member of a column of JSON; null if there is none.
    func jsonText(_ column: String, _ member: String) -> String
    /// The texts of a JSON array as a table of one column, `value`.
    func jsonElements(_ array: String, as table: String) -> String
    /// The members of a JSON object as a table of `key` and more.
    func jsonMembers(_ object: String, as table: String) -> String
    /// Whether the member of ``jsonMembers(_:as:)`` called `table` has the value of the next parameter.
    func jsonMember(of table: String, equals place: String) -> String
    /// The parameter with which ``jsonMember(of:equals:)`` finds a value.
    func jsonValue(_ value: JSONValue) -> any SQLValue
    /// Where `part` begins in `text`, from 1; 0 if it is not there.
    func position(of part: String, in text: String) -> String
    /// Small letters, for searches.
    func lowercase(_ text: String) -> String
    /// A number below 2^32 as eight hexadecimal digits.
    func hexadecimal(_ number: String) -> String
    /// At the end of a SELECT: takes the rows of one of its tables for this transaction, and skips those that another one
    /// has taken. The SELECT is `WITH … AS MATERIALIZED`: as a part of another statement it may run again for each row, and
    /// each time take others.
    func skipLocked(_ table: String) -> String
    /// The time of the database's machine in whole seconds; `nil` if it is this one.
    var clock: String? { get }
    /// The next rows of a table, in the order in which they are stored.
    ///
    /// - Parameter position: ``Stretch/last`` of the stretch before; empty for the first one.
    /// - Returns: `nil` if there are no more.
    func stretch(of table: String, after position: String, rows: Int, _ db: SQLSession) throws -> Stretch?
    /// Tables of the engine's own with rows that end, as in the maintenance store; each has a column `id`.
    func expiring(at now: UnixTime) -> [(table: String, time: UnixTime, condition: String)]
}

/// Some neighbouring rows of a table.
struct Stretch: Sendable {
    /// Holds for the rows with ``ends`` as `?1` and `?2`.
    let condition: String
    let ends: Values
    /// Where the next one begins.
    let last: String
}

/// One statement in the dialects of all engines, built once.
struct SQLText: Sendable {
    private let texts: [String]

    init(_ text: (any SQLFragments) -> String) {
        texts = Dialect.allCases.map { text($0.fragments) }
    }

    subscript(_ dialect: Dialect) -> String { texts[dialect.rawValue] }
}

/// Expressions in the form that all engines take.
enum SQL {
    /// The smaller of two expressions that are not null.
    static func lesser(_ one: String, _ other: String) -> String {
        "CASE WHEN \(one) < \(other) THEN \(one) ELSE \(other) END"
    }

    /// The number less one, and never below zero.
    static func decremented(_ number: String) -> String {
        "CASE WHEN \(number) > 0 THEN \(number) - 1 ELSE 0 END"
    }

    /// More than any table has rows, for a query with an offset and no limit.
    static let noLimit = "9223372036854775807"
}
