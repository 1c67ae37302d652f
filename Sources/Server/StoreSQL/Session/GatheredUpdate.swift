internal import Model

/// An `UPDATE` of one row by its `id`, in a form in which an engine with connections runs it for many callers at once.
struct GatheredUpdate: Sendable {
    /// Its parameters are arrays, with one element for each caller; the column `place` says whose a row is, from 1.
    let sql: String

    /// - Parameters:
    ///   - table: whose rows are changed.
    ///   - key: the number of the parameter that is the row's `id`.
    ///   - types: of the parameters, as SQL names them.
    ///   - statement: makes the `UPDATE` from what must stand before its `WHERE` and at the end of its `RETURNING`.
    init(
        of table: String, key: Int, types: [String], _ statement: (_ from: String, _ returning: String) -> String
    ) {
        let numbers = 1...types.count
        let arrays = zip(numbers, types).map { "?\($0)::\($1)[]" }.joined(separator: ", ")
        let names = numbers.map { "v\($0)" }.joined(separator: ", ")
        let update = statement("FROM asked JOIN free ON free_id = v\(key)", "place")
            .replacing(#/\?(\d+)/#) { "v\($0.1)" }
        // A row that another transaction holds must not stop the rest: it may wait for another machine.
        sql = """
            WITH asked AS MATERIALIZED (
                SELECT \(names), place FROM unnest(\(arrays)) WITH ORDINALITY AS asked(\(names), place)
            ), free AS MATERIALIZED (
                SELECT id AS free_id FROM \(table) WHERE id IN (SELECT v\(key) FROM asked)
                ORDER BY id FOR UPDATE SKIP LOCKED
            )
            \(update)
            """
    }
}

/// What one caller asks of a gathered update.
package struct GatheredCall<Value: Sendable>: Sendable {
    let update: GatheredUpdate
    let values: Values
    /// Reads the row.
    let read: @Sendable (SQLRow) throws -> Value
}
