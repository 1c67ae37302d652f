package import KeyturnBase
package import Model

/// Takes what ``ProjectExport`` wrote into a database that has secrets of its own: all of it in one transaction, or
/// nothing.
///
/// The file is read twice. First to its end, so that one that was cut or changed is found out before anything is
/// written, and with it what meets rows that are there; then row by row into the database.
package struct ProjectImport {
    /// What is decided about a file.
    package struct Options: Sendable {
        /// Whether rows that are there stay, and what they are in the way of is left out. Otherwise the import is
        /// refused.
        package var keepsExisting: Bool
        /// Whether sessions in the file are left out.
        package var leavesSessions: Bool

        package init(keepsExisting: Bool = false, leavesSessions: Bool = false) {
            (self.keepsExisting, self.leavesSessions) = (keepsExisting, leavesSessions)
        }
    }

    private let target: DatabaseSide
    private let secrets: ServerSecrets
    private let options: Options
    private let digest: any TransferDigest
    private let ambient: Ambient
    private let onProgress: (TransferProgress) throws -> Void

    /// - Parameters:
    ///   - secrets: of the server of the target.
    ///   - digest: of nothing yet.
    ///   - onProgress: what it throws ends the import, and nothing is written.
    package init(
        into target: DatabaseSide, secrets: ServerSecrets, options: Options, digest: any TransferDigest,
        ambient: Ambient,
        onProgress: @escaping (TransferProgress) throws -> Void
    ) {
        (self.target, self.secrets, self.options) = (target, secrets, options)
        (self.digest, self.ambient, self.onProgress) = (digest, ambient, onProgress)
    }

    /// Imports.
    ///
    /// - Parameters:
    ///   - open: opens the file at its beginning; called twice.
    ///   - event: recorded in the same transaction.
    /// - Throws: ``TransferProblem``, and what `open` and `onProgress` throw.
    package func run(
        _ open: () throws -> TransferSource, event: (TransferReport) -> AuditEvent
    ) throws -> TransferReport {
        try translating {
            try target.write(.to) { database in
                try database.requireServers(.to)
                var result: TransferReport?
                try database.answering(for: .to) { try database.finish() }
                try transaction(of: database) {
                    try database.lock(TransferTable.all.filter { $0.need != .sessions }.map(\.name))
                    let survey = try survey(open, database)
                    guard options.keepsExisting || survey.report.collisionCount == 0 else {
                        throw TransferProblem.collisions(survey.report.collisions, count: survey.report.collisionCount)
                    }
                    let report = try take(open, survey, database, writes: true)
                    try SQLAuditStore.append([event(report)], database.session)
                    result = report
                }
                guard let result else { preconditionFailure("the transaction ran") }
                return result
            }
        }
    }

    /// Says what an import would come to, and changes nothing.
    ///
    /// - Throws: as ``run(_:event:)``, but for collisions, which the report has.
    package func tryOut(_ open: () throws -> TransferSource) throws -> TransferReport {
        try translating {
            try target.read(.to) { database in
                try database.requireServers(.to)
                return try database.answering(for: .to) {
                    try database.beginSnapshot()
                    defer { database.endSnapshot() }
                    return try take(open, survey(open, database), database, writes: false)
                }
            }
        }
    }

    private func translating(_ body: () throws -> TransferReport) throws -> TransferReport {
        do {
            return try body()
        } catch let problem as CopyProblem {
            throw TransferProblem(problem)
        }
    }

    /// Runs `body` in a transaction, with the engine's errors put into words. An error of the commit itself may have
    /// come too late.
    private func transaction(of database: any WholeDatabase, _ body: () throws -> Void) throws {
        var isDone = false
        do {
            try database.transaction {
                try body()
                isDone = true
            }
        } catch {
            guard let reason = database.reason(of: error) else { throw error }
            throw isDone ? TransferProblem.unknownEnd(reason) : TransferProblem.engine(reason)
        }
    }

    private func survey(_ open: () throws -> TransferSource, _ database: any WholeDatabase) throws -> TransferSurvey {
        var reader = try TransferReader(try open(), digest, for: database)
        try checkSessions(reader.head, database)
        return try TransferSurvey(&reader, in: database, onProgress: onProgress)
    }

    private func checkSessions(_ head: TransferHead, _ database: any WholeDatabase) throws {
        guard head.hasSessions, !options.leavesSessions else { return }
        guard isShared(.refreshToken, head) else { throw TransferProblem.sessions(.otherSecrets) }
        let project: String = try database.session.first("SELECT id FROM project", [])?["id"] ?? ""
        guard project == head.project else {
            throw TransferProblem.sessions(.otherProject(there: head.project, here: project))
        }
    }

    /// Whether the secrets here are those there as well.
    private func isShared(_ purpose: ServerSecrets.Purpose, _ head: TransferHead) -> Bool {
        let there = Set(head.keys[purpose.rawValue] ?? [])
        return !there.isEmpty && there.isSubset(of: secrets.keyedIDs[purpose.rawValue] ?? [])
    }

    private func take(
        _ open: () throws -> TransferSource, _ survey: TransferSurvey, _ database: any WholeDatabase, writes: Bool
    ) throws -> TransferReport {
        var report = survey.report
        var reader = try TransferReader(try open(), digest, for: database)
        var writer = try TransferWriter(into: database, secrets: secrets, survey, writes: writes, ambient: ambient)
        var sieve = TransferSieve(survey) { table in
            if table.need == .sessions, options.leavesSessions { return false }
            return table.keyedBy.map { isShared($0, survey.report.head) } ?? true
        }
        var done = 0
        while let (row, layout) = try reader.next() {
            if sieve.passes(row, layout, &report) { try writer.add(row, layout) }
            done += 1
            try onProgress(TransferProgress(phase: .importing, rows: done, total: report.total))
        }
        try writer.flush()
        guard reader.digestText == report.digest else { throw TransferProblem.replaced }
        return report
    }
}

/// Decides which rows of a file are written, and counts the others.
private struct TransferSieve {
    private let there: [String: Set<[CopiedValue]>]
    private var blocked: [String: Set<[CopiedValue]>]
    private let isOfUse: (TransferTable) -> Bool
    private let owners = Set(TransferTable.all.flatMap(\.owners.values))

    /// - Parameter isOfUse: whether rows of a table are worth something here.
    init(_ survey: TransferSurvey, isOfUse: @escaping (TransferTable) -> Bool) {
        (there, blocked, self.isOfUse) = (survey.there, survey.blocked, isOfUse)
    }

    mutating func passes(_ row: TransferRow, _ layout: TransferLayout, _ report: inout TransferReport) -> Bool {
        let name = layout.table.name
        let key = row.values(layout.key, layout)
        if !isOfUse(layout.table) {
            report.keyed[name, default: 0] += 1
        } else if there[name]?.contains(key) == true {
            report.alreadyThere[name, default: 0] += 1
        } else if blocked[name]?.contains(key) == true || isOwnerBlocked(row, layout) {
            report.leftOut[name, default: 0] += 1
            // What belongs to it comes later.
            if owners.contains(name) { blocked[name, default: []].insert(key) }
        } else {
            report.imported[name, default: 0] += 1
            return true
        }
        return false
    }

    private func isOwnerBlocked(_ row: TransferRow, _ layout: TransferLayout) -> Bool {
        layout.table.owners.contains { column, owner in
            let value = row[column, layout]
            return value != .null && blocked[owner]?.contains([value]) == true
        }
    }
}
