internal import Authority
internal import ArgumentParser
internal import Foundation
internal import KeyturnBase
internal import StoreSQL

/// `keyturn backup`: a server's database in a file.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Back a server's database up while it runs, and check backups.",
        discussion: """
            `keyturn backup FILE` is short for `keyturn backup create FILE`. `keyturn backup follow FOLDER` keeps every\
             change as it comes. `keyturn restore` is the way back from either.
            """,
        subcommands: [Create.self, Follow.self, List.self, Verify.self, Key.self], defaultSubcommand: Create.self)

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create", abstract: "Write the database to a file, as of one moment, while servers run.",
            discussion: """
                  keyturn backup key create backup.identity        # once, on another machine; prints ktbr_…
                  keyturn backup --database sqlite:keyturn.db --recipient ktbr_… keyturn-2026-11-26.backup
                  keyturn backup --database sqlite:keyturn.db copy.db     # not encrypted: a database of SQLite

                The file has one format for SQLite and for PostgreSQL, and either can be restored from it. It gets its \
                name when it is whole, on the disk and checked; a command that was killed leaves at most FILE.….partial\
                 and a file that ends with .scratch, which the next one takes over.

                Checked is: each row of the copy with the database, as of the moment of the backup; the structure of \
                the copy; that the file has the bytes that were written; and with --identity, that it decrypts to the \
                copy.

                A database needs the server's secrets. --with-secrets puts them into an encrypted backup: who has its \
                identity can then restore the whole server, and can also sign its tokens.

                docs/backup.md has the whole of it. Exit codes: 0 written and checked, 1 failed, 2 refused.
                """)

        @OptionGroup var options: AdministrationOptions
        @Argument(help: "The file to make.") var file: String
        @Option(
            name: .customLong("recipient"),
            help: ArgumentHelp("Encrypt to this public key. May be repeated; each can read it.", valueName: "key"))
        var recipientKeys: [String] = []
        @Option(
            name: .customLong("identity"),
            help: ArgumentHelp("File with the private key of a recipient, to check the result.", valueName: "file"))
        var identityFiles: [String] = []
        @Flag(help: "Put the server's secrets into it; needs --recipient.") var withSecrets = false
        @Flag(inversion: .prefixedNo, help: "Check what was written.") var verify = true
        @Option(
            help: ArgumentHelp(
                "Folder for the copy before it is written to FILE. Default: beside a SQLite database.",
                valueName: "folder"))
        var scratch: String?

        func run() async throws {
            let recipients = try BackupKeyFiles.recipients(recipientKeys)
            guard !withSecrets || !recipients.isEmpty else {
                throw CommandFailure.refused(
                    "secrets go into an encrypted backup alone: name a --recipient as well.")
            }
            guard !FileManager.default.fileExists(atPath: file) else {
                throw CommandFailure.refused("\(file) is there already: name another file.")
            }
            let configuration = try options.existing()
            let report = try create(configuration, recipients)
            let event = report.event(actor: Operator.actor.name, at: Ambient.live.now())
            let unrecorded = await BackupAudit.record(event, in: configuration)
            if options.json {
                Report.json(report.json(isRecorded: unrecorded == nil))
            } else {
                Live.write(report.text)
                if let unrecorded { Live.writeError("keyturn: the audit log says nothing of it: \(unrecorded)\n") }
            }
        }

        private func create(
            _ configuration: ServerConfiguration, _ recipients: [BackupRecipient]
        ) throws -> BackupReport {
            let meter = BackupMeter()
            defer { meter.clear() }
            let creation = BackupCreation(
                configuration: configuration, recipients: recipients,
                identities: try BackupKeyFiles.identities(identityFiles), withSecrets: withSecrets, verifies: verify,
                scratch: scratch, onProgress: meter.show)
            return try creation.run(to: file)
        }
    }
}
