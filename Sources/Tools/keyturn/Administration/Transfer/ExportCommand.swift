internal import Authority
internal import ArgumentParser
internal import Foundation
internal import KeyturnBase
internal import Model
internal import StoreSQL

/// `keyturn export`: a project in a file, for another server.
struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write everything that belongs to the project to a file, for another server.",
        discussion: """
              keyturn backup key create move.identity           # once, where the file goes to; prints ktbr_…
              keyturn export --config keyturn.yaml --recipient ktbr_… project.export
              keyturn import --config keyturn.yaml --identity move.identity project.export     # on the other server

            In it are users with all that they sign in with, tenants, roles, clients, connections, access keys, the \
            tokens of directories, and operators of the console. What this server's secrets seal is opened, so that \
            the other server can seal it with its own: the file is encrypted to a recipient, or has no secrets at all \
            (--plain).

            Not in it are sign-ins under way, messages, counts, the audit log (`keyturn audit export`) and the \
            configuration file. Sessions and signing keys go along if asked for. Servers go on meanwhile: the file has \
            what was there at its start. A backup of the same server is `keyturn backup`; one user's data is \
            `keyturn user data`.

            docs/export.md has the format, and what happens to each part. Exit codes: 0 written, 1 failed, 2 refused.
            """)

    @OptionGroup var options: AdministrationOptions
    @OptionGroup var local: LocalDatabaseOnly
    @Argument(help: "The file to make, for you alone (mode 0600).") var file: String
    @Option(
        name: .customLong("recipient"),
        help: ArgumentHelp("Encrypt to this public key. May be repeated; each can read it.", valueName: "key"))
    var recipientKeys: [String] = []
    @Flag(help: "Do not encrypt it, and leave out whatever lets in: users then have no password.") var plain = false
    @Flag(help: "Also sessions. They go on where this server's secrets and project identifier are known.")
    var withSessions = false
    @Flag(help: "Also signing keys: what they signed stays good there. They sign nothing new.")
    var withSigningKeys = false

    func run() async throws {
        try local.check()
        let recipients = try BackupKeyFiles.recipients(recipientKeys)
        try check(recipients)
        guard !FileManager.default.fileExists(atPath: file) else {
            throw CommandFailure.refused("\(file) is there already: name another file.")
        }
        let configuration = try options.existing()
        let database = try ServerRunner.openDatabase(of: configuration)
        defer { database.close() }
        let secrets = try TransferSecrets.of(configuration)
        let meter = BackupMeter()
        let output = try PendingFile(for: file, ambient: .live)
        let writer = try ProjectFile.Writer(into: output, to: recipients, ambient: .live)
        let report: TransferReport
        do {
            defer { meter.clear() }
            report = try ProjectExport(
                of: TransferSecrets.side(configuration), secrets: secrets,
                options: ProjectExport.Options(
                    withSecrets: !plain, withSessions: withSessions, withSigningKeys: withSigningKeys),
                release: ProgramVersion.text, digest: ProjectFile.Digest(), ambient: .live
            ) { progress in
                try meter.show(BackupProgress(.copying, done: progress.rows, total: progress.total ?? 0))
            }.run(output: writer.write)
        } catch let problem as TransferProblem {
            throw CommandFailure(code: problem.isRefusal ? 2 : 1, sentence: "the export: \(problem)")
        }
        let written = try writer.finish()
        // First the event: there is no file of which the log says nothing.
        try await record(written.digest, database)
        try output.place()
        let summary = ExportSummary(
            file: file, report: report, byteCount: written.byteCount, digest: written.digest,
            recipientCount: recipients.count)
        if options.json { Report.json(summary.json) } else { Live.write(summary.text) }
        if plain { Live.writeError("keyturn: \(summary.warning)\n") }
    }

    private func check(_ recipients: [BackupRecipient]) throws {
        guard plain || !recipients.isEmpty else {
            throw CommandFailure.refused(
                """
                an export has password hashes and keys in the clear, so it is encrypted: name a --recipient \
                (`keyturn backup key create FILE` makes one, where the file goes to). Or say --plain for a file \
                without whatever lets in.
                """)
        }
        guard !plain || recipients.isEmpty else {
            throw CommandFailure.refused("--plain is a file that is not encrypted: say it, or --recipient.")
        }
        guard !plain || (!withSessions && !withSigningKeys) else {
            throw CommandFailure.refused(
                "sessions and signing keys go into an encrypted file alone: name a --recipient in place of --plain.")
        }
    }

    private func record(_ digest: String, _ database: any SQLDatabase) async throws {
        let event = AuditEvent(
            .projectExported, at: Ambient.live.now(), reason: plain ? "plain" : "encrypted", actor: Operator.actor.name,
            target: digest)
        do {
            try await database.stores().audit.append([event])
        } catch {
            throw CommandFailure.failed("the audit log cannot be written (\(error)), so there is no file.")
        }
    }
}

/// What both commands take from a configuration.
enum TransferSecrets {
    /// The server's secrets.
    ///
    /// - Throws: ``CommandFailure`` if there are none.
    static func of(_ configuration: ServerConfiguration) throws -> ServerSecrets {
        guard let bytes = try SecretsFile.present(for: configuration), let secrets = ServerSecrets(bytes) else {
            throw CommandFailure.refused(
                """
                the server's secrets are not there: start the server once, which makes them, or name its file with \
                --config.
                """)
        }
        return secrets
    }

    static func side(_ configuration: ServerConfiguration) throws -> DatabaseSide {
        switch configuration.database {
        case .memory: throw CommandFailure.refused("a database in memory belongs to its server alone.")
        case .file(let path): .sqlite(path: path)
        case .postgreSQL(let address): .postgreSQL(address)
        }
    }
}
