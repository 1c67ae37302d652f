internal import Foundation
internal import KeyturnBase

/// The columns of a table, the same in both databases.
struct RowShape: Sendable {
    let table: CopiedTable
    let columns: [CopiedColumn]
    /// Where the columns of the key are.
    private let keyPlaces: [Int]

    /// - Throws: ``CopyProblem/unknownColumn(_:)`` unless both databases have the same columns, all of known types.
    init(_ table: CopiedTable, _ one: any WholeDatabase, _ other: any WholeDatabase) throws {
        self.table = table
        columns = try Self.columns(of: table, one)
        if let column = Set(columns).symmetricDifference(try Self.columns(of: table, other)).map(\.name).min() {
            throw CopyProblem.unknownColumn("\(table.name).\(column)")
        }
        let names = columns.map(\.name)
        keyPlaces = table.key.compactMap { names.firstIndex(of: $0) }
        precondition(keyPlaces.count == table.key.count, "the key of \(table.name) has columns that are not there")
    }

    private static func columns(of table: CopiedTable, _ database: any WholeDatabase) throws -> [CopiedColumn] {
        let found = try database.columns(of: table.name).map { name, type in
            guard let type else { throw CopyProblem.unknownColumn("\(table.name).\(name)") }
            return CopiedColumn(name: name, type: type)
        }
        // SQLite's own number of a row is not among its columns.
        guard let numbered = table.numbered, !found.contains(where: { $0.name == numbered }) else { return found }
        return found + [CopiedColumn(name: numbered, type: .integer)]
    }

    /// The table's name in a statement.
    var quotedName: String { "\"\(table.name)\"" }

    /// The names of all columns in a statement.
    var quotedColumns: String { columns.map { "\"\($0.name)\"" }.joined(separator: ", ") }

    var keyColumns: [CopiedColumn] { keyPlaces.map { columns[$0] } }

    func key(of row: CopiedRow) -> [CopiedValue] { keyPlaces.map { row.values[$0] } }

    /// The key as parameters.
    ///
    /// - Throws: ``CopyProblem/unfitRow(table:key:reason:)``.
    func parameters(_ key: [CopiedValue]) throws -> Values {
        do throws(UnfitText) {
            var values = Values()
            for (column, value) in zip(keyColumns, key) { values.append(try column.parameter(value)) }
            return values
        } catch {
            throw CopyProblem.unfitRow(table: table.name, key: words(key), reason: error.reason)
        }
    }

    /// The key in words, for messages.
    func words(_ key: [CopiedValue]) -> String {
        zip(keyColumns, key).map { "\($0.name) = \(Self.words($1, $0.type))" }.joined(separator: ", ")
    }

    private static func words(_ value: CopiedValue, _ type: SQLType) -> String {
        switch value {
        case .null: "null"
        case .integer(let number): "\(number)"
        case .bytes(let bytes) where type == .text: "'\(String(decoding: bytes, as: UTF8.self))'"
        case .bytes(let bytes): "x'\(Base16.encode(bytes))'"
        }
    }

    /// Reads a row of a statement with the columns in their order.
    func row(_ row: SQLRow) -> CopiedRow {
        CopiedRow(
            values: columns.indices.map { place in
                switch columns[place].type {
                case .integer, .real: (row[place] as Int64?).map(CopiedValue.integer) ?? .null
                case .text, .bytes: (row[place] as Data?).map(CopiedValue.bytes) ?? .null
                }
            })
    }
}
