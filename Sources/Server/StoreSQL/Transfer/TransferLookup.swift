internal import Foundation
internal import Model

/// Finds rows of a database by what rows of a file have, many with one statement.
struct TransferLookup {
    private let database: any WholeDatabase
    /// Whether a table has no row: then there is nothing to find.
    private var isEmpty: [String: Bool] = [:]

    init(_ database: any WholeDatabase) {
        self.database = database
    }

    /// The rows of the file whose columns are those of a row that is there, each with what that row has in the columns
    /// that are compared.
    mutating func find(
        _ rows: [TransferRow], _ unique: TransferUnique, _ layout: TransferLayout
    ) throws -> [(TransferRow, [String: CopiedValue])] {
        let candidates = rows.filter { row in
            row.values(unique.columns, layout).allSatisfy { $0 != .null }
                && (unique.condition?.holds(for: row, layout) ?? true)
        }
        guard !candidates.isEmpty, try !isEmpty(layout.table.name) else { return [] }
        let columns = layout.columns.filter { column in
            unique.columns.contains(column.name) || layout.table.compared.contains(column.name)
        }
        var found: [[CopiedValue]: [String: CopiedValue]] = [:]
        for part in candidates.parts(of: database.parametersMax / unique.columns.count) {
            for row in try database.session.search(statement(part.count, unique, layout, columns), try values(part)) {
                let values = Dictionary(
                    columns.enumerated().map { ($1.name, row.value($0, $1.type)) }
                ) { first, _ in first }
                found[unique.columns.map { values[$0] ?? .null }] = values
            }
        }
        func values(_ rows: ArraySlice<TransferRow>) throws -> Values {
            try rows.flatMap { row in try row.parameters(unique.columns, layout) }
        }
        return candidates.compactMap { row in found[row.values(unique.columns, layout)].map { (row, $0) } }
    }

    private func statement(
        _ count: Int, _ unique: TransferUnique, _ layout: TransferLayout, _ columns: [CopiedColumn]
    ) -> String {
        let terms = Self.terms(unique.columns, count)
        let condition = unique.condition.map { " AND \($0.sql)" } ?? ""
        return "SELECT \(list(columns)) FROM \"\(layout.table.name)\" WHERE (\(terms))\(condition)"
    }

    /// In a form in which both engines use the index.
    private static func terms(_ columns: [String], _ count: Int) -> String {
        if columns.count == 1 {
            return "\"\(columns[0])\" IN (\(repeatElement("?", count: count).joined(separator: ", ")))"
        }
        let term = "(" + columns.map { "\"\($0)\" = ?" }.joined(separator: " AND ") + ")"
        return repeatElement(term, count: count).joined(separator: " OR ")
    }

    private func list(_ columns: [CopiedColumn]) -> String {
        columns.map { $0.type == .text ? database.bytes(ofText: "\"\($0.name)\"") : "\"\($0.name)\"" }
            .joined(separator: ", ")
    }

    /// The users whose identifier is the login ID of another user who is there, or the login IDs that are the
    /// identifier of another user.
    mutating func namesakes(_ rows: [TransferRow], _ layout: TransferLayout) throws -> [TransferRow] {
        switch layout.table.name {
        case "user":
            guard try !isEmpty("identifier") else { return [] }
            let kinds = Identifier.Kind.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
            return try namesakes(rows, layout, "id", owner: "id") { places in
                """
                SELECT value AS name, user_id AS owner FROM identifier
                WHERE kind IN (\(kinds)) AND value IN (\(places))
                """
            }
        case "identifier":
            guard try !isEmpty("user") else { return [] }
            return try namesakes(rows, layout, "value", owner: "user_id") { places in
                "SELECT id AS name, id AS owner FROM \"user\" WHERE id IN (\(places))"
            }
        default: return []
        }
    }

    private func namesakes(
        _ rows: [TransferRow], _ layout: TransferLayout, _ column: String, owner: String,
        _ statement: (_ places: String) -> String
    ) throws -> [TransferRow] {
        var owners: [String: String] = [:]
        for part in rows.parts(of: database.parametersMax) {
            let places = part.map { _ in "?" }.joined(separator: ", ")
            let names = try part.flatMap { try $0.parameters([column], layout) }
            for row in try database.session.search(statement(places), names) { owners[row["name"]] = row["owner"] }
        }
        return rows.filter { row in
            guard let found = row[column, layout].text.flatMap({ owners[$0] }) else { return false }
            return found != row[owner, layout].text
        }
    }

    private mutating func isEmpty(_ table: String) throws -> Bool {
        if let known = isEmpty[table] { return known }
        let answer = try database.session.search("SELECT 1 AS found FROM \"\(table)\" LIMIT 1", []).isEmpty
        isEmpty[table] = answer
        return answer
    }
}

extension TransferRow {
    /// Some of the values as parameters.
    ///
    /// - Throws: ``TransferProblem/unfitRow(table:key:reason:)``.
    func parameters(_ names: [String], _ layout: TransferLayout) throws(TransferProblem) -> Values {
        do throws(UnfitText) {
            var values = Values()
            for name in names {
                guard let place = layout.place(name) else { continue }
                values.append(try layout.columns[place].parameter(self.values[place]))
            }
            return values
        } catch {
            throw .unfitRow(
                table: layout.table.name, key: layout.words(layout.key, of: self),
                reason: "\(error.reason) (column \(error.column))")
        }
    }
}

extension TransferCondition {
    /// The same in a statement. Its values are the program's own words.
    fileprivate var sql: String {
        guard let values else { return "\"\(column)\" IS NOT NULL" }
        let words = values.map { value in value.text.map { "'\($0)'" } ?? "\(value.number ?? 0)" }
        return "\"\(column)\" IN (\(words.joined(separator: ", ")))"
    }
}

extension SQLRow {
    /// A value as a copy sees it.
    fileprivate func value(_ place: Int, _ type: SQLType) -> CopiedValue {
        switch type {
        case .integer, .real: (self[place] as Int64?).map(CopiedValue.integer) ?? .null
        case .text, .bytes: (self[place] as Data?).map(CopiedValue.bytes) ?? .null
        }
    }
}

extension [TransferRow] {
    /// Parts of at most so many rows.
    fileprivate func parts(of count: Int) -> [ArraySlice<TransferRow>] {
        stride(from: 0, to: self.count, by: Swift.max(1, count)).map {
            self[$0..<Swift.min($0 + Swift.max(1, count), self.count)]
        }
    }
}
