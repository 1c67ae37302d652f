internal import Model

/// Inserts rows, many with one statement.
struct RowWriter {
    let shape: RowShape
    let database: any WholeDatabase

    /// Runs in a transaction.
    ///
    /// - Throws: ``CopyProblem/unfitRow(table:key:reason:)`` for a text that cannot be copied, ``StoreError``.
    func insert(_ rows: [CopiedRow]) throws {
        let most = max(1, database.parametersMax / shape.columns.count)
        var start = 0
        while start < rows.count {
            let end = min(start + most, rows.count)
            try insert(rows[start..<end])
            start = end
        }
    }

    private func insert(_ rows: ArraySlice<CopiedRow>) throws {
        var values = Values()
        values.reserveCapacity(rows.count * shape.columns.count)
        for row in rows { try append(row, to: &values) }
        let places = "(\(shape.columns.map { _ in "?" }.joined(separator: ", ")))"
        let all = repeatElement(places, count: rows.count).joined(separator: ", ")
        try database.session.run(
            "INSERT INTO \(shape.quotedName) (\(shape.quotedColumns)) VALUES \(all)", values)
    }

    private func append(_ row: CopiedRow, to values: inout Values) throws {
        do throws(UnfitText) {
            for (column, value) in zip(shape.columns, row.values) { values.append(try column.parameter(value)) }
        } catch {
            throw unfit(row, "\(error.reason) (column \(error.column))")
        }
    }

    /// Finds the row that the database does not take, and says why. Nothing is written.
    func findRefused(in rows: [CopiedRow]) throws {
        try database.transaction {
            for row in rows {
                do {
                    try insert([row][...])
                } catch let error as StoreError where error.code == .conflict {
                    throw unfit(row, database.reason(of: error) ?? "\(error)")
                }
            }
            throw StoreError(.conflict)
        }
    }

    private func unfit(_ row: CopiedRow, _ reason: String) -> CopyProblem {
        .unfitRow(table: shape.table.name, key: shape.words(shape.key(of: row)), reason: reason)
    }
}
