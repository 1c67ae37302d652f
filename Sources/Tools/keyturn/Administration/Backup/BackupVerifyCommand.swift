internal import ArgumentParser
internal import Foundation
internal import KeyturnBase

extension BackupCommand {
    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "verify", abstract: "Check that a backup is whole and can be restored.",
            discussion: """
                Reads all of it: each chunk is authentic and in its place, the database decrypts, its pages and indexes\
                 are sound, each row that another one names is there, tables have as many rows as when the backup was \
                made, and the secrets, if they are in it, open its signing keys. Nothing of it stays on the disk.

                Of a log, its newest state is made, or the one of --at: every record up to there is read. It has no \
                digest.

                The digest is the one that `keyturn backup` printed. A backup that is not encrypted shows a changed \
                value by it alone.

                Exit codes: 0 whole, 1 damaged, 2 refused.
                """)

        @Argument(help: "The backup, or the folder of a log.") var file: String
        @Option(help: ArgumentHelp("Of a log: the moment, as for `keyturn restore`.", valueName: "time"))
        var at: AuditTime?
        @OptionGroup var reading: BackupReadingOptions
        @Flag(help: "Print one JSON object instead of text.") var json = false

        func run() async throws {
            let meter = BackupMeter()
            let backup = try OpenedBackup(
                file, at: at?.last(at: Ambient.live.now()), with: reading.identities(), in: reading.scratchPlace(),
                meter: meter)
            let digest = backup.isLog ? nil : Base16.encode(try BackupArchive.digest(of: file, onProgress: meter.show))
            meter.clear()
            let hasSecrets = backup.manifest?.secrets.isEmpty == false
            let secrets = hasSecrets ? "are in it, and open its keys" : "are not in it"
            guard json else {
                return Live.write(
                    """
                    \(file): \(backup.rowsText), \(backup.moment)
                    Checked: \(backup.checks).
                    The server's secrets \(secrets).
                    \(digest.map { "sha256 \($0)\n" } ?? "")
                    """)
            }
            var object = backup.json
            object["file"] = .string(file)
            object["sha256"] = digest.map(JSONValue.string) ?? .null
            object["secrets"] = .bool(hasSecrets)
            Report.json(.object(object))
        }
    }
}
