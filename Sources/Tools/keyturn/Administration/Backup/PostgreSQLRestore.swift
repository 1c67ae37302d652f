internal import Foundation
internal import KeyturnBase
internal import Model
internal import StoreSQL

/// A restore into an empty database of PostgreSQL: row by row, compared at the end, and no server starts on it before.
struct PostgreSQLRestore {
    let address: Secret
    /// `nil`: secrets are not written.
    let secretsPath: String?
    let configuration: ServerConfiguration

    /// - Parameter scratch: where the backup is decrypted to.
    /// - Throws: ``CommandFailure``.
    func run(
        _ file: String, at moment: UnixTime?, _ identities: [BackupIdentity], in scratch: ScratchPlace
    ) async throws -> RestoreOutcome {
        let meter = BackupMeter()
        let backup = try OpenedBackup(file, at: moment, with: identities, in: scratch, meter: meter)
        let secrets = SecretsPlan(backup.manifest?.secrets ?? [], at: secretsPath, listed: [])
        try secrets.requirePlace(replacing: false)
        let copy = DatabaseCopy(from: .sqlite(path: backup.scratch.path), to: .postgreSQL(address)) { progress in
            try meter.show(BackupProgress(progress))
        }
        defer { meter.clear() }
        do {
            let report = try copy.run()
            guard report.isGood else {
                throw CommandFailure.failed(
                    """
                    the database has other rows than the backup: it was used, or another program writes to it. Name \
                    one that was just made (createdb).
                    """)
            }
        } catch let problem as CopyProblem {
            throw CommandFailure(code: problem.isRefusal ? 2 : 1, sentence: Self.sentence(problem))
        }
        try secrets.place(keepingOldAs: "")
        return RestoreOutcome(
            backup: backup, keptAside: nil, secretsFile: secrets.file, secretsAdvice: secrets.advice,
            unrecorded: await BackupAudit.record(RestoreOutcome.event(for: backup), in: configuration))
    }

    /// In the words of a restore: the copying calls the backup FROM, and the database TO.
    private static func sentence(_ problem: CopyProblem) -> String {
        switch problem {
        case .notEmpty(let table):
            """
            the database is not empty: it has the table \(table). Name one that was just made (createdb). Nothing was \
            changed.
            """
        case .otherSchema(.from, let version, let newest):
            """
            the schema of the backup is number \(version), and this release has \(newest): restore it into a file of \
            SQLite, start the server of this release on it once, and copy that with `keyturn database copy`.
            """
        case .otherCopy:
            "the database has half of another backup in it: drop and make it, and restore again. Nothing was changed."
        case .notOpened(.from, let problem): "the backup cannot be copied into PostgreSQL: \(problem)"
        case .notOpened(.to, let problem): "the database could not be opened: \(problem)"
        default: "the restore: \(problem)"
        }
    }
}
