/// How far a backup or a restore is.
package struct BackupProgress: Hashable, Sendable {
    /// What is being done.
    package enum Phase: String, Sendable {
        case copying, comparing, checking, writing, reading, replaying
    }

    package var phase: Phase
    /// Pages, rows or bytes that are done, and how many there are.
    package var done: Int
    package var total: Int

    package init(_ phase: Phase, done: Int, total: Int) {
        (self.phase, self.done, self.total) = (phase, done, total)
    }

    /// The same of a copy from row to row.
    package init(_ progress: CopyProgress) {
        self.init(
            progress.phase == .copying ? .copying : .comparing, done: progress.rows, total: progress.total)
    }
}

/// What a database in a file has.
package struct BackupContents: Hashable, Sendable {
    /// The number of the last step of its schema.
    package let schema: Int
    /// Rows of each table.
    package let tables: [String: Int]

    package init(schema: Int, tables: [String: Int]) {
        (self.schema, self.tables) = (schema, tables)
    }

    package var rows: Int { tables.values.reduce(0, +) }
}
