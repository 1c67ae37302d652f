/// Copies a database that servers use into a file of SQLite, as of one moment.
///
/// A file of SQLite is copied page by page, so that numbers of rows stay what they are, from one snapshot: servers go
/// on writing, and their log grows until the copy is there. PostgreSQL is copied row by row, in one snapshot as well.
package struct DatabaseBackup {
    private let source: DatabaseSide
    private let onProgress: (BackupProgress) throws -> Void

    /// - Parameter onProgress: what it throws ends the backup there.
    package init(of source: DatabaseSide, onProgress: @escaping (BackupProgress) throws -> Void) {
        (self.source, self.onProgress) = (source, onProgress)
    }

    /// Makes the copy, without a log beside it.
    ///
    /// - Parameters:
    ///   - path: an empty file.
    ///   - comparing: whether each row of the copy is read again and compared with the database, as of the same moment.
    /// - Returns: how many rows were compared.
    /// - Throws: ``BackupProblem``, and what `onProgress` throws.
    package func run(into path: String, comparing: Bool) throws -> Int {
        try BackupProblem.translating {
            switch source {
            case .sqlite(let original): try copyPages(of: original, into: path, comparing)
            case .postgreSQL: try copyRows(into: path, comparing)
            }
        }
    }

    private func copyPages(of original: String, into path: String, _ comparing: Bool) throws -> Int {
        try SQLiteWholeDatabase.read(original) { from in
            switch try from.schemaOfFile() {
            case .none: throw BackupProblem.noSchema
            case .unfinished: throw BackupProblem.unfinishedCopy
            case .ready: break
            }
            try from.beginSnapshot()
            defer { from.endSnapshot() }
            try from.copyPages(into: path) { done, total in
                try onProgress(BackupProgress(.copying, done: done, total: total))
            }
            guard comparing else { return 0 }
            return try SQLiteWholeDatabase.read(path) { to in try compare(from, to) }
        }
    }

    /// - Returns: the number of rows.
    private func compare(_ from: SQLiteWholeDatabase, _ to: SQLiteWholeDatabase) throws -> Int {
        let shapes = try from.everyTable().map { name, key in
            let hasOwnKey = !key.isEmpty
            let table = CopiedTable(
                name, keyColumns: hasOwnKey ? key : ["rowid"], numbered: hasOwnKey ? nil : "rowid")
            return try RowShape(table, from, to)
        }
        let total = try shapes.reduce(0) { sum, shape in sum + (try from.count(of: shape)) }
        let comparison = RowComparison(source: from, target: to, pageRows: CopyLimits.batchRowsMax)
        var differences: [RowDifference] = []
        var rows = 0
        for shape in shapes {
            try comparison.compare(shape) { difference in
                if differences.count < CopyLimits.differencesShown { differences.append(difference) }
            } onRows: { more in
                rows += more
                try onProgress(BackupProgress(.comparing, done: rows, total: total))
            }
        }
        guard differences.isEmpty else { throw BackupProblem.different(differences) }
        return rows
    }

    private func copyRows(into path: String, _ comparing: Bool) throws -> Int {
        let copy = DatabaseCopy(from: source, to: .sqlite(path: path)) { try onProgress(BackupProgress($0)) }
        let report = try copy.runOnline(comparing: comparing)
        guard report.differenceCount == 0 else { throw BackupProblem.different(report.differences) }
        try SQLiteWholeDatabase.turnOffLog(path)
        return report.comparedRows
    }
}
