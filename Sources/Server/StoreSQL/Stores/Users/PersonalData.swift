internal import Foundation
package import KeyturnBase
package import Model

/// What one table keeps about a user, for the document that a user may ask for.
struct PersonalSection: Sendable {
    /// The member of the document: an array with an object for each row.
    let name: String
    let table: String
    /// Which rows are about the user `?1`.
    let condition: String
    let columns: [PersonalColumn]
    /// Columns that stay out, each with the reason.
    let withheld: [String: String]

    init(
        _ name: String, _ table: String, where condition: String = "user_id = ?1", _ columns: [PersonalColumn]...,
        withheld: [String: String] = [:]
    ) {
        self.name = name
        self.table = table
        self.condition = condition
        self.columns = Array(columns.joined())
        self.withheld = withheld
    }

    /// The rows about a user, in the order of the first column.
    fileprivate func rows(of user: UserID, _ db: SQLSession) throws -> JSONValue {
        let list = columns.map { "\"\($0.name)\"" }.joined(separator: ", ")
        let sql = "SELECT \(list) FROM \"\(table)\" WHERE \(condition) ORDER BY \"\(columns[0].name)\""
        return .array(
            try db.search(sql, [user.rawValue]).map { row in
                var members: [String: JSONValue] = [:]
                for (position, column) in columns.enumerated() {
                    if let value = column.value(of: row, at: position) { members[column.name] = value }
                }
                return .object(members)
            })
    }
}

/// A column of the document, under its own name.
struct PersonalColumn: Sendable {
    enum Kind: Sendable {
        case text, integer, flag, bytes
        /// A text that is JSON, and stands in the document as that.
        case json
        /// Whether there is a value: the value itself is a secret.
        case presence
    }

    let name: String
    let kind: Kind

    static func text(_ names: String...) -> [PersonalColumn] { names.map { Self(name: $0, kind: .text) } }
    static func integer(_ names: String...) -> [PersonalColumn] { names.map { Self(name: $0, kind: .integer) } }
    static func flag(_ names: String...) -> [PersonalColumn] { names.map { Self(name: $0, kind: .flag) } }
    static func bytes(_ names: String...) -> [PersonalColumn] { names.map { Self(name: $0, kind: .bytes) } }
    static func json(_ names: String...) -> [PersonalColumn] { names.map { Self(name: $0, kind: .json) } }
    static func presence(_ names: String...) -> [PersonalColumn] { names.map { Self(name: $0, kind: .presence) } }

    private static let limits = JSONValue.Limits(bytesMax: 16_777_216, membersMax: 65_536)

    /// `nil` for a null.
    fileprivate func value(of row: SQLRow, at position: Int) -> JSONValue? {
        switch kind {
        case .text: (row[position] as String?).map(JSONValue.string)
        case .integer: (row[position] as Int64?).map(JSONValue.integer)
        case .flag: (row[position] as Bool?).map(JSONValue.bool)
        case .bytes: (row[position] as Data?).map { .string(Base64URL.encode($0)) }
        case .json:
            (row[position] as String?).map { text in
                (try? JSONValue(parsing: Array(text.utf8), limits: Self.limits)) ?? .string(text)
            }
        case .presence: .bool(row[position] as String? != nil)
        }
    }
}

extension SQLDatabase {
    /// Everything that the database keeps about a user, as of one moment: an array for each section of
    /// ``PersonalSection/all``, without secrets and hashes. Times are seconds since 1970. Blocks the calling thread.
    ///
    /// - Throws: ``StoreError``.
    package func personalData(of user: UserID) throws -> [String: JSONValue] {
        var document: [String: JSONValue] = [:]
        try walk { db in
            for section in PersonalSection.all { document[section.name] = try section.rows(of: user, db) }
        }
        return document
    }
}
