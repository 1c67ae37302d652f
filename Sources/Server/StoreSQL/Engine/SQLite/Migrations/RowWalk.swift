internal import Foundation
internal import GRDB

/// Changes the rows of a file in the order of their keys.
struct RowWalk {
    private let change: RowChange
    private let present: Int
    private let database: Database

    /// - Parameter present: the number of the schema while the rows are changed.
    init(_ change: RowChange, after present: Int, _ database: Database) {
        (self.change, self.present, self.database) = (change, present, database)
    }

    /// Returns when all rows are changed, or another process has taken the step.
    func run(_ start: StepProgress, _ onProgress: (StepProgress) throws -> Void) throws {
        var progress = start
        progress.total = try Int.fetchOne(database, sql: change.count) ?? 0
        var range = "TRUE"
        while let batch = try batch(range) {
            range = "\(change.key) > \(batch.last)"
            progress.rows += batch.rows
            try onProgress(progress)
            Thread.sleep(forTimeInterval: RowChange.pauseSeconds)
        }
    }

    /// - Returns: the last key of the batch as SQL, and how many of its rows were changed; `nil` if there is none.
    private func batch(_ range: String) throws -> (last: String, rows: Int)? {
        var result: (last: String, rows: Int)?
        try database.inTransaction(.immediate) {
            guard try Migrations.version(of: database).number == present else { return .rollback }
            let keys = """
                SELECT \(change.key) AS id FROM \(change.table) WHERE \(range)
                ORDER BY \(change.key) LIMIT \(RowChange.batchRows)
                """
            let last = try String.fetchOne(database, sql: "SELECT quote(max(id)) FROM (\(keys))") ?? "NULL"
            guard last != "NULL" else { return .rollback }
            try database.execute(sql: change.update("\(range) AND \(change.key) <= \(last)"))
            result = (last, database.changesCount)
            return .commit
        }
        return result
    }
}
