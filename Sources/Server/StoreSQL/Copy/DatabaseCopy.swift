internal import Foundation
internal import KeyturnBase
internal import Model

/// Copies all rows of a server's database into an empty one of any engine, and compares them; or only compares two.
///
/// The source is read as of one moment. Rows go over in batches, each with the place where it ended; a copy that was
/// interrupted goes on there. No server starts on the copy before every row was compared.
package struct DatabaseCopy {
    private let source: DatabaseSide
    private let target: DatabaseSide
    private let batchRows: Int
    private let onProgress: (CopyProgress) throws -> Void

    /// - Parameters:
    ///   - batchRows: rows of one transaction.
    ///   - onProgress: called after each batch, when it is committed. What it throws ends the copy there.
    package init(
        from source: DatabaseSide, to target: DatabaseSide, batchRows: Int = CopyLimits.batchRowsMax,
        onProgress: @escaping (CopyProgress) throws -> Void
    ) {
        (self.source, self.target, self.batchRows, self.onProgress) = (source, target, batchRows, onProgress)
    }

    /// Copies, compares, and lets servers use the copy if it is complete.
    ///
    /// - Throws: ``CopyProblem``, and what `onProgress` throws.
    package func run() throws -> CopyReport {
        guard !source.isSameFile(as: target) else { throw CopyProblem.same }
        return try run(isOnline: false, comparing: true)
    }

    /// The same for a source that servers write meanwhile: the copy has what was there at its start.
    ///
    /// - Parameter comparing: whether rows are compared.
    /// - Throws: as ``run()``.
    package func runOnline(comparing: Bool) throws -> CopyReport {
        try run(isOnline: true, comparing: comparing)
    }

    private func run(isOnline: Bool, comparing: Bool) throws -> CopyReport {
        try source.read(.from) { from in
            try from.requireServers(.from)
            return try snapshot(of: from, .from) {
                try target.write(.to) { to in
                    let dialect = from.session.dialect
                    let state = try from.answering(for: .from) { try SourceState.digest(from.session, of: dialect) }
                    let journal = CopyJournal(database: to)
                    let isFinished = try to.answering(for: .to) { try begin(journal, state, of: dialect) == .finished }
                    var run = try CopyRun(from, to, batchRows: batchRows, onProgress: onProgress)
                    if !isFinished { try run.copy(journal) }
                    if comparing { try run.compare() }
                    if !isOnline { try run.lookForChanges() }
                    if run.report.isGood, !isFinished { try to.answering(for: .to) { try finish(journal) } }
                    return run.report
                }
            }
        }
    }

    /// Compares both databases, and changes neither.
    ///
    /// - Throws: as ``run()``.
    package func compare() throws -> CopyReport {
        try source.read(.from) { from in
            try from.requireServers(.from)
            return try target.read(.to) { to in
                try to.requireServers(.to)
                return try snapshot(of: from, .from) {
                    try snapshot(of: to, .to) {
                        var run = try CopyRun(from, to, batchRows: batchRows, onProgress: onProgress)
                        try run.compare()
                        return run.report
                    }
                }
            }
        }
    }

    private func snapshot<Value>(
        of database: any WholeDatabase, _ side: CopyProblem.Side, _ body: () throws -> Value
    ) throws -> Value {
        try database.answering(for: side) { try database.beginSnapshot() }
        defer { database.endSnapshot() }
        return try body()
    }

    private enum Beginning {
        case begun, finished
    }

    /// Makes the schema in an empty database, or recognises the copy that was begun, or finished: the answer to its last
    /// step may have been lost.
    private func begin(_ journal: CopyJournal, _ state: String, of dialect: Dialect) throws -> Beginning {
        let database = journal.database
        switch try database.schema() {
        case .unfinished:
            guard try database.schema() == .unfinished(Migrations.newest), try journal.isCopy(of: state) else {
                throw CopyProblem.otherCopy
            }
        case .none:
            if let table = try database.tables().first { throw CopyProblem.notEmpty(table: table) }
            try begin(journal, in: database, state)
        case .ready:
            if try SourceState.digest(database.session, of: dialect) == state { return .finished }
            try begin(journal, in: database, state)
        }
        try database.requireKnownTables()
        return .begun
    }

    private func begin(_ journal: CopyJournal, in database: any WholeDatabase, _ state: String) throws {
        try requireEmpty(database)
        try database.makeSchema()
        try database.transaction {
            // A server may have come first.
            try requireEmpty(database)
            try journal.begin(source: state)
        }
    }

    private func requireEmpty(_ database: any WholeDatabase) throws {
        let filled = Set(CopiedTable.all.filter(\.hasFirstRow).map(\.name))
        for table in try database.tables().sorted() where !filled.contains(table) {
            guard try database.session.search("SELECT 1 FROM \"\(table)\" LIMIT 1", []).isEmpty else {
                throw CopyProblem.notEmpty(table: table)
            }
        }
    }

    private func finish(_ journal: CopyJournal) throws {
        try journal.database.finish()
        try journal.database.transaction { try journal.end() }
    }
}

/// What a copy that goes on must find as it was. Nearly every change writes an event or raises the revision; the
/// comparison at the end finds the others.
private enum SourceState {
    /// - Parameter dialect: of the source, whose rows these are, or a copy of them.
    static func digest(_ session: SQLSession, of dialect: Dialect) throws -> String {
        var parts = [String(dialect.rawValue)]
        let statements = [
            "SELECT id FROM project", "SELECT id FROM signing_key ORDER BY id",
            "SELECT CAST(number AS TEXT) AS id FROM revision",
            "SELECT CAST(coalesce(max(number), 0) AS TEXT) AS id FROM audit_event",
        ]
        for statement in statements {
            parts += try session.all(statement, []).map { $0["id"] }
            parts.append("")
        }
        return Base64URL.encode(SecretDigest(of: Secret(parts.joined(separator: "\n"))).bytes)
    }
}
