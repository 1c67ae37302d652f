internal import Foundation
internal import KeyturnBase

/// The columns of a table that a file has.
struct TransferLayout: Sendable {
    let table: TransferTable
    let columns: [CopiedColumn]
    private let places: [String: Int]

    init(_ table: TransferTable, _ columns: [CopiedColumn]) {
        (self.table, self.columns) = (table, columns)
        places = Dictionary(columns.enumerated().map { ($1.name, $0) }) { first, _ in first }
    }

    /// What a database has of a table, and of it what goes along.
    static func layout(of table: TransferTable, in database: any WholeDatabase) throws -> TransferLayout {
        let shape = try RowShape(table.copied, database, database)
        return TransferLayout(table, shape.columns.filter { table.columns[$0.name] != nil })
    }

    func place(_ column: String) -> Int? { places[column] }

    /// The columns that name a row, for messages and for rows that belong to it.
    var key: [String] { table.copied.key }

    func type(of column: String) -> SQLType? { places[column].map { columns[$0].type } }

    /// How to write names and values of columns in a message.
    func words(_ names: [String], of row: TransferRow) -> String {
        names.map { name in
            switch (row[name, self], type(of: name)) {
            case (.bytes(let bytes), .text): "\(name) = '\(String(decoding: bytes, as: UTF8.self))'"
            case (.bytes(let bytes), _): "\(name) = x'\(Base16.encode(bytes))'"
            case (.integer(let number), _): "\(name) = \(number)"
            case (.null, _): "\(name) = null"
            }
        }.joined(separator: ", ")
    }
}

/// A row of a file, with its values in the order of ``TransferLayout/columns``.
struct TransferRow: Hashable, Sendable {
    var values: [CopiedValue]

    /// Null for a column that the file does not have.
    subscript(column: String, layout: TransferLayout) -> CopiedValue {
        layout.place(column).map { values[$0] } ?? .null
    }

    func values(_ columns: [String], _ layout: TransferLayout) -> [CopiedValue] {
        columns.map { self[$0, layout] }
    }
}

extension TransferCondition {
    func holds(for row: TransferRow, _ layout: TransferLayout) -> Bool {
        let value = row[column, layout]
        return values?.contains(value) ?? (value != .null)
    }
}

extension CopiedValue {
    static func text(_ text: String) -> CopiedValue { .bytes(Data(text.utf8)) }

    /// The text; `nil` for null.
    var text: String? {
        guard case .bytes(let bytes) = self else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    var number: Int64? {
        guard case .integer(let number) = self else { return nil }
        return number
    }

    /// The value as it stands in a file: texts as they are, bytes in base64url.
    ///
    /// - Returns: `nil` for a text that is not UTF-8.
    func json(_ type: SQLType) -> JSONValue? {
        switch (self, type) {
        case (.null, _): .null
        case (.integer(let number), _): .integer(number)
        case (.bytes(let bytes), .text): String(validating: bytes, as: UTF8.self).map(JSONValue.string)
        case (.bytes(let bytes), _): .string(Base64URL.encode(Array(bytes)))
        }
    }

    /// - Returns: `nil` for what no column of the type has.
    init?(_ json: JSONValue, _ type: SQLType) {
        switch (json, type) {
        case (.null, _): self = .null
        case (.integer(let number), .integer): self = .integer(number)
        case (.string(let text), .text): self = .text(text)
        case (.string(let text), .bytes):
            guard let bytes = Base64URL.decode(text) else { return nil }
            self = .bytes(Data(bytes))
        default: return nil
        }
    }
}
