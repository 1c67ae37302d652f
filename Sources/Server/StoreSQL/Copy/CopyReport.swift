/// How far a copy or a comparison is.
package struct CopyProgress: Hashable, Sendable {
    /// What is being done.
    package enum Phase: String, Sendable {
        case copying, comparing
    }

    package var phase: Phase
    /// The table that is being worked on.
    package var table: String
    /// Rows of this table that are done, and how many there are.
    package var tableRows: Int
    package var tableTotal: Int
    /// The same for all tables.
    package var rows: Int
    package var total: Int
}

/// A row that is not the same in both databases.
package struct RowDifference: Hashable, Sendable {
    package let table: String
    /// Names and values of the columns of its key.
    package let key: String
    /// What is different, without the values.
    package let reason: String
}

/// What a copy or a comparison came to.
package struct CopyReport: Hashable, Sendable {
    /// Rows of each table in FROM, in the order of copying.
    package var tables: [(name: String, rows: Int)] { counts.map { ($0.name, $0.rows) } }
    /// Rows that this run copied.
    package internal(set) var copiedRows = 0
    /// Rows that were there already, from a run that was interrupted.
    package internal(set) var earlierRows = 0
    /// Rows of FROM that were compared.
    package internal(set) var comparedRows = 0
    /// The first ones.
    package internal(set) var differences: [RowDifference] = []
    /// How many there are.
    package internal(set) var differenceCount = 0
    /// Whether FROM was written meanwhile.
    package internal(set) var hasSourceChanged = false
    /// Other connections of Keyturn that FROM had at the beginning.
    package internal(set) var otherConnections = 0

    private var counts: [TableCount] = []

    private struct TableCount: Hashable, Sendable {
        let name: String
        let rows: Int
    }

    package var isGood: Bool { differenceCount == 0 && !hasSourceChanged }

    mutating func add(_ table: String, rows: Int) {
        counts.append(TableCount(name: table, rows: rows))
    }

    mutating func add(_ difference: RowDifference) {
        differenceCount += 1
        if differences.count < CopyLimits.differencesShown { differences.append(difference) }
    }
}
