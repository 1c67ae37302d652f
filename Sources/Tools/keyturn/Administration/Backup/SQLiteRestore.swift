#if canImport(Darwin)
    internal import Darwin
#else
    // The compiler finds `stat` in the one or the other, whichever it read first.
    internal import CoreFoundation
    internal import Glibc
#endif
internal import Foundation
internal import KeyturnBase
internal import Model
internal import StoreSQL

/// A restore into a file of SQLite.
///
/// The backup is decrypted, checked and recorded under a name that no server looks for. Then the secrets get their
/// place, and last the database, in one step. Between the two a server would find secrets that are not those of its
/// keys, and does not start.
struct SQLiteRestore {
    let path: String
    let secretsPath: String
    let replaces: Bool
    /// Those of the configuration: with them the server reads no file of secrets.
    let listedSecrets: [[UInt8]]

    /// - Throws: ``CommandFailure``.
    func run(
        _ file: String, at moment: UnixTime?, _ identities: [BackupIdentity]
    ) async throws -> RestoreOutcome {
        try requirePlace()
        let backup = try OpenedBackup(
            file, at: moment, with: identities, in: .beside(path, ending: "restoring"), meter: BackupMeter())
        let secrets = SecretsPlan(backup.manifest?.secrets ?? [], at: secretsPath, listed: listedSecrets)
        try secrets.requirePlace(replacing: replaces)
        let unrecorded = try await record(backup)
        // A server may have made one meanwhile.
        try requirePlace()
        let suffix = freeSuffix(at: Ambient.live.now())
        let isThere = try size() != nil
        try replacing(isThere, suffix) {
            if isThere {
                try FilePlacing.keep(path, as: "\(path).\(suffix)")
            } else {
                // Of a database that is gone, or of an empty file.
                ScratchFile.removeLog(of: path)
            }
            try secrets.place(keepingOldAs: "\(path).\(suffix).secrets")
            try backup.scratch.place(at: path, replacing: FileManager.default.fileExists(atPath: path))
        }
        return RestoreOutcome(
            backup: backup, keptAside: isThere ? "\(path).\(suffix)" : nil, secretsFile: secrets.file,
            secretsAdvice: secrets.advice, unrecorded: unrecorded)
    }

    /// The size of the database that is there; `nil` if there is none, or an empty file.
    private func size() throws -> Int? {
        var found = stat()
        guard unsafe stat(path, &found) == 0 else { return nil }
        guard found.st_mode & S_IFMT == S_IFREG else {
            throw CommandFailure.refused("\(path) is no file: name another one.")
        }
        return found.st_size > 0 ? Int(found.st_size) : nil
    }

    private func requirePlace() throws {
        guard try size() != nil, !replaces else { return }
        throw CommandFailure.refused(
            """
            \(path) is there already. Name another file, or stop its server and say --replace, which keeps it aside. \
            Nothing was changed.
            """)
    }

    /// Writes the event into the file that is not in its place yet.
    ///
    /// - Returns: why it was not written.
    private func record(_ backup: OpenedBackup) async throws -> String? {
        guard DatabaseInspection.isUpToDate(backup.contents) else {
            return "the backup is one of an older release, and stays as it is until the server starts."
        }
        do {
            let database = try SQLiteDatabase(path: backup.scratch.path)
            defer { database.close() }
            try await database.stores().audit.append([RestoreOutcome.event(for: backup)])
        } catch {
            throw CommandFailure.failed("the restored database cannot be written: \(error)")
        }
        do {
            // Its log is in the file then.
            try DatabaseInspection.alone(with: backup.scratch.path) {}
            return nil
        } catch let problem as BackupProblem {
            throw CommandFailure.failed("the restored database: \(problem)")
        }
    }

    /// Runs `body`; if there is a database, while nothing has it open, and with its log in the file.
    private func replacing(_ isThere: Bool, _ suffix: String, _ body: () throws -> Void) throws {
        guard isThere else { return try body() }
        do {
            try DatabaseInspection.alone(with: path, body)
        } catch BackupProblem.damaged {
            // It is replaced because of that. Its log stays beside it.
            try keepLog(as: suffix)
            try body()
        } catch let problem as BackupProblem {
            throw CommandFailure(
                code: problem.isRefusal ? 2 : 1, sentence: "\(path): \(problem) Nothing was changed.")
        }
    }

    private func keepLog(as suffix: String) throws {
        let log = "\(path)-wal"
        if FileManager.default.fileExists(atPath: log), unsafe rename(log, "\(path).\(suffix)-wal") != 0 {
            throw FileFailure.failed(log, "cannot be kept")
        }
        ScratchFile.removeLog(of: path)
    }

    /// The time as part of names that are free: one of the same second may be taken by a restore that was killed.
    private func freeSuffix(at now: UnixTime) -> String {
        let time = Report.text(now).filter { $0 != "-" && $0 != ":" }
        return ([time] + (2...99).map { "\(time)-\($0)" }).first { suffix in
            ["", ".secrets", "-wal"].allSatisfy {
                !FileManager.default.fileExists(atPath: "\(path).\(suffix)\($0)")
            }
        } ?? time
    }
}

/// What is done with the secrets of a backup.
struct SecretsPlan {
    private let secrets: [[UInt8]]
    private let path: String?
    private let listed: [[UInt8]]

    /// - Parameters:
    ///   - secrets: Those of the backup; none if it has none.
    ///   - path: Their place; `nil`: there is none.
    ///   - listed: Those of the configuration.
    init(_ secrets: [[UInt8]], at path: String?, listed: [[UInt8]]) {
        (self.secrets, self.path, self.listed) = (secrets, path, listed)
    }

    private var isWritten: Bool { !secrets.isEmpty && path != nil && listed.isEmpty }

    private var present: String? { path.flatMap { try? String(contentsOfFile: $0, encoding: .utf8) } }

    /// Where the secrets are afterwards; `nil` if they are not written.
    var file: String? { isWritten ? path : nil }

    /// What is left to do.
    var advice: String? {
        if isWritten { return nil }
        if !listed.isEmpty {
            return "The server uses the secrets of its configuration: they must be those of the backup."
        }
        guard secrets.isEmpty else {
            return """
                The backup has the server's secrets: restore it with --secrets-file FILE to get them, and list them \
                under `secrets`, or say KEYTURN_SECRETS="$(paste -sd, FILE)".
                """
        }
        guard let path else {
            return "The server needs the secrets that it had: under `secrets`, or in KEYTURN_SECRETS."
        }
        return FileManager.default.fileExists(atPath: path)
            ? "The secrets are not in the backup: \(path) must be those of the backup."
            : "The secrets are not in the backup: put them back into \(path), with mode 0600. No server starts without."
    }

    /// - Throws: ``CommandFailure`` if other secrets are there, and must not be replaced.
    func requirePlace(replacing: Bool) throws {
        guard isWritten, let path, let present, present != SecretsFile.text(of: secrets), !replacing else { return }
        throw CommandFailure.refused(
            "\(path) is there already, with other secrets. Move it away, or say --replace. Nothing was changed.")
    }

    /// Writes them, for their owner alone.
    ///
    /// - Parameter old: the name for other secrets that are there.
    func place(keepingOldAs old: String) throws {
        guard isWritten, let path else { return }
        guard present != SecretsFile.text(of: secrets) else {
            guard unsafe chmod(path, 0o600) == 0 else { throw FileFailure.failed(path, "cannot be made private") }
            return
        }
        let isThere = FileManager.default.fileExists(atPath: path)
        if isThere { try FilePlacing.keep(path, as: old) }
        let file = try PendingFile(for: path, ambient: .live)
        try file.write(Array(SecretsFile.text(of: secrets).utf8))
        try file.place(replacing: isThere)
    }
}
