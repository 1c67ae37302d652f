internal import Foundation
internal import KeyturnBase
internal import Model
internal import StoreSQL

/// A backup that was decrypted into a file of this command's own, and is whole.
struct OpenedBackup {
    let scratch: ScratchFile
    /// `nil` for one that is not encrypted: it has none.
    let manifest: BackupManifest?
    let contents: BackupContents
    /// Whether it was made from a snapshot and what followed it.
    let isLog: Bool

    /// Reads all of it, and checks the database in it.
    ///
    /// - Parameters:
    ///   - path: a backup, or the folder of a log.
    ///   - moment: of which the database is made from a log; `nil`: the newest one.
    ///   - place: where the database is put. Nothing else is written.
    /// - Throws: ``CommandFailure``.
    init(
        _ path: String, at moment: UnixTime? = nil, with identities: [BackupIdentity], in place: ScratchPlace,
        meter: BackupMeter
    ) throws {
        defer { meter.clear() }
        let replay = LogFolder.isFolder(path) ? try LogReplay.find(in: LogFolder(path: path), at: moment) : nil
        guard moment == nil || replay != nil else {
            throw CommandFailure.refused("--at is for the folder of a log: \(path) is a backup as of one moment.")
        }
        let file = replay.map { $0.line.snapshot($0.snapshot) } ?? path
        _ = try BackupArchive.isEncrypted(file)
        let scratch = try ScratchFile(place)
        let manifest = try BackupArchive.read(file, with: identities, onProgress: meter.show) { try scratch.write($0) }
        do {
            try replay?.run(on: scratch, with: identities, onProgress: meter.show)
            if replay != nil { try DatabaseInspection.turnOffLog(of: scratch.path) }
            try meter.show(BackupProgress(.checking, done: 0, total: 1))
            let contents = try DatabaseInspection.check(scratch.path)
            (self.scratch, self.contents, isLog) = (scratch, contents, replay != nil)
            self.manifest =
                if let replay { manifest?.replayed(to: replay.time, contents) } else { manifest }
            try compare(path)
        } catch let problem as BackupProblem {
            throw CommandFailure(code: problem.isRefusal ? 2 : 1, sentence: "\(path): \(problem)")
        }
    }

    /// Compares what is in it with what it says of itself.
    private func compare(_ path: String) throws {
        guard let manifest else { return }
        guard contents == manifest.contents else {
            throw CommandFailure.failed("\(path) has other rows than when it was made: take another backup.")
        }
        let keys = try DatabaseInspection.signingKeys(in: scratch.path)
        guard manifest.secrets.isEmpty || SecretsFile.opens(keys, with: manifest.secrets, at: Ambient.live.now()) else {
            throw CommandFailure.failed("\(path): the secrets in it are not those of its keys: take another backup.")
        }
    }

    /// When it was made, in words.
    var moment: String { manifest.map { "as of \(Report.text($0.madeAt))" } ?? "which does not say when it was made" }

    var rowsText: String { "\(contents.rows) rows of \(contents.tables.count) tables, schema \(contents.schema)" }

    /// What was checked, in words.
    var checks: String {
        guard manifest != nil else {
            return
                "integrity_check and foreign_key_check found nothing. It is not encrypted: only its digest shows a change"
        }
        let rows = isLog ? "no part is missing" : "tables have the rows they had"
        return "each byte is authentic, \(rows), integrity_check and foreign_key_check are clean"
    }

    var json: [String: JSONValue] {
        [
            "made_at": manifest.map { .integer($0.madeAt.rawValue) } ?? .null,
            "engine": manifest.map { .string($0.engine) } ?? .null, "schema": .integer(Int64(contents.schema)),
            "rows": .integer(Int64(contents.rows)),
            "tables": .object(contents.tables.mapValues { .integer(Int64($0)) }), "encrypted": .bool(manifest != nil),
        ]
    }
}
