/// One step of the schema.
///
/// A step adds: a table, a column that may be empty, an index. What an earlier release knows is renamed or removed by a
/// step of the release after, whose ``oldest`` says so. So the release before goes on beside each step, and can be gone
/// back to.
struct Migration: Sendable {
    /// The same for all engines; a database knows the number of its last step.
    let number: Int
    /// The oldest schema whose servers can go on beside this step's: what they know is still there, and means the same.
    let oldest: Int
    let work: Work

    /// What is done, in the engine's own form.
    enum Work: Sendable {
        /// Statements in one transaction, for what takes moments, however many rows there are.
        case statements(String)
        /// A change of rows, in batches.
        case rows(RowChange)
        /// An index on a large table, such as `grant_ (later)`. PostgreSQL builds it while others write, SQLite holds
        /// them up meanwhile.
        case index(name: String, on: String)
    }

    /// - Parameter oldest: `nil`: servers of earlier schemas must be stopped first.
    init(number: Int, oldest: Int? = nil, sql: String) {
        self.init(number: number, oldest: oldest, .statements(sql))
    }

    /// - Parameter oldest: as for `init(number:oldest:sql:)`.
    init(number: Int, oldest: Int? = nil, _ work: Work) {
        self.number = number
        self.oldest = oldest ?? number
        self.work = work
    }
}

/// A change of many rows. Each batch is a transaction of its own, and servers write between two of them. After an
/// interruption the rows that are left are changed.
///
/// Servers of the release before add rows behind the walk. So the first release with the step reads rows without the
/// change as well, and the step of a later one, beside which those servers cannot go on, changes what is left.
struct RowChange: Sendable {
    /// Not one with partitions.
    let table: String
    /// A column that no two rows share.
    let key: String
    /// What is set, such as `later = created_at`.
    let change: String
    /// Which rows are to be changed. It holds for none that was.
    let condition: String

    /// Rows of a batch.
    static let batchRows = 1_000
    /// Between two batches, in seconds: SQLite's writers have no queue, and would find the file taken each time.
    static let pauseSeconds = 0.005

    var count: String { "SELECT count(*) AS number FROM \(table) WHERE \(condition)" }

    /// - Parameter range: the rows of the batch.
    func update(_ range: String) -> String {
        "UPDATE \(table) SET \(change) WHERE \(range) AND (\(condition))"
    }
}

/// How far a step of the schema is.
public struct StepProgress: Hashable, Sendable {
    /// The number of the step.
    public let number: Int
    /// The number of the last one.
    public let newest: Int
    /// Rows that were changed, by this process, for a step that changes many.
    public var rows = 0
    /// Rows that it had to change; 0 for other steps.
    public var total = 0
}

/// What a database says about its schema.
package struct SchemaVersion: Hashable, Sendable {
    /// The last step that was taken; 0 in an empty database, and negative while a copy into it is under way.
    package let number: Int
    /// The oldest schema whose servers may use it.
    package let oldest: Int

    /// The number, for a release whose last step is `newest`.
    ///
    /// - Throws: ``OpenProblem/newer(version:)`` if such a release must not use the database;
    ///   ``OpenProblem/unfinishedCopy``.
    func usable(by newest: Int) throws(OpenProblem) -> Int {
        guard number >= 0 else { throw .unfinishedCopy }
        guard oldest <= newest else { throw .newer(version: number) }
        return number
    }
}
