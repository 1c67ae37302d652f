internal import Crypto
internal import Foundation
internal import KeyturnBase
internal import Model
internal import StoreSQL

/// The making of one backup.
struct BackupCreation {
    let configuration: ServerConfiguration
    let recipients: [BackupRecipient]
    /// Those that the result is decrypted with; none: it is not.
    let identities: [BackupIdentity]
    let withSecrets: Bool
    let verifies: Bool
    let scratch: String?
    /// What it throws ends the backup there.
    let onProgress: (BackupProgress) throws -> Void

    /// - Throws: ``CommandFailure``.
    func run(to path: String) throws -> BackupReport {
        let scratch = try ScratchFile(place())
        let file = try PendingFile(for: path, ambient: .live)
        let madeAt = Ambient.live.now()
        let (compared, contents) = try copy(into: scratch)
        let manifest = BackupManifest(
            madeAt: madeAt, engine: engine, contents: contents, byteCount: try ReadFile(scratch.path).byteCount,
            secrets: try secrets(for: scratch))
        let written = try BackupArchive.write(
            scratch.path, manifest, to: recipients, into: file, ambient: .live, onProgress: onProgress)
        try file.sync()
        if verifies { try check(file, written) }
        try file.place()
        return BackupReport(
            file: path, manifest: manifest, byteCount: written.byteCount,
            digest: Array(written.digest),
            recipientCount: recipients.count, comparedRows: verifies ? compared : nil,
            isDecrypted: verifies && !identities.isEmpty && !recipients.isEmpty)
    }

    private var engine: String {
        if case .file = configuration.database { "sqlite" } else { "postgresql" }
    }

    private func place() -> ScratchPlace {
        guard scratch == nil, case .file(let path) = configuration.database else { return .apart(in: scratch) }
        return .beside(path)
    }

    private func copy(into scratch: ScratchFile) throws -> (compared: Int, contents: BackupContents) {
        let side: DatabaseSide =
            switch configuration.database {
            case .memory: throw CommandFailure.refused("a database in memory belongs to its server alone.")
            case .file(let path): .sqlite(path: path)
            case .postgreSQL(let address): .postgreSQL(address)
            }
        do {
            let backup = DatabaseBackup(of: side) { progress in try onProgress(progress) }
            let compared = try backup.run(into: scratch.path, comparing: verifies)
            try onProgress(BackupProgress(.checking, done: 0, total: 1))
            let contents =
                try verifies
                ? DatabaseInspection.check(scratch.path) : DatabaseInspection.count(scratch.path)
            return (compared, contents)
        } catch let problem as BackupProblem {
            throw CommandFailure(code: problem.isRefusal ? 2 : 1, sentence: "the backup: \(problem)")
        }
    }

    /// Those that the server has, if they are asked for. They must be the ones that sealed its keys.
    private func secrets(for scratch: ScratchFile) throws -> [[UInt8]] {
        guard withSecrets else { return [] }
        guard let secrets = try SecretsFile.present(for: configuration) else {
            throw CommandFailure.refused(
                "there are no secrets to put into the backup: name the server's file with --config.")
        }
        do {
            let keys = try DatabaseInspection.signingKeys(in: scratch.path)
            try SecretsFile.check(keys, for: configuration, at: Ambient.live.now())
        } catch let problem as BackupProblem {
            throw CommandFailure.failed("the backup: \(problem)")
        }
        return secrets
    }

    private func check(_ file: PendingFile, _ written: BackupArchive.Written) throws {
        guard try BackupArchive.digest(of: file.path, onProgress: onProgress) == written.digest else {
            throw CommandFailure.failed(
                "\(file.finalPath) does not have the bytes that were written: its disk or network is damaged.")
        }
        guard !identities.isEmpty, !recipients.isEmpty else { return }
        var digest = SHA256()
        _ = try BackupArchive.read(file.path, with: identities, onProgress: onProgress) { digest.update(data: $0) }
        guard digest.finalize() == written.databaseDigest else {
            throw CommandFailure.failed("\(file.finalPath) does not decrypt to what was written.")
        }
    }
}
