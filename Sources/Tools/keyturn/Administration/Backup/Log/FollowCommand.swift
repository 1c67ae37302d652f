internal import ArgumentParser
internal import Foundation
internal import KeyturnBase
internal import Logging
internal import Synchronization

extension BackupCommand {
    struct Follow: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "follow", abstract: "Keep every change of a SQLite database as it comes, in a folder.",
            discussion: """
                  keyturn backup key create backup.identity        # once, on another machine; prints ktbr_…
                  keyturn backup follow /backups/keyturn --recipient ktbr_… --with-secrets --database sqlite:keyturn.db

                Runs until it is stopped, beside the server and through its restarts and upgrades. Once a second it \
                appends what was committed, encrypted, to a file of FOLDER, and once a day it makes a snapshot, \
                compared with the database. `keyturn restore FOLDER --at TIME` makes the database of any second from \
                them. A command that was stopped or killed goes on where it was, if the database's log is still there; \
                otherwise a new line begins, with a snapshot.

                Put FOLDER on another disk, or copy it to another machine: rsync --append-verify, or any program that \
                copies files. `keyturn backup list FOLDER --max-age 5m` ends with 1 if nothing was written for so long.

                PostgreSQL has this itself: see docs/backup.md.
                """)

        @OptionGroup var options: AdministrationOptions
        @Argument(help: "The folder. It is made if it is not there.") var folder: String
        @Option(
            name: .customLong("recipient"),
            help: ArgumentHelp("Encrypt to this public key. May be repeated; each can read it.", valueName: "key"))
        var recipientKeys: [String] = []
        @Flag(help: "Put the server's secrets into the snapshots.") var withSecrets = false
        @Option(help: ArgumentHelp("Seconds between two looks at the database, 1 to 60.", valueName: "seconds"))
        var every = 1
        @Option(help: ArgumentHelp("Hours between two snapshots, 1 to 168.", valueName: "hours"))
        var snapshotEvery = 24
        @Option(help: ArgumentHelp("Days for which moments can be restored, 1 to 3650.", valueName: "days"))
        var keep = 7
        @Option(
            help: ArgumentHelp(
                """
                While FOLDER cannot be written, the database's log may grow to so many MiB, 64 to 1048576. Then the \
                command ends with 1.
                """, valueName: "MiB"))
        var waitingMax = 1_024

        func validate() throws {
            guard !recipientKeys.isEmpty else {
                throw ValidationError("name a --recipient: `keyturn backup key create FILE` makes one.")
            }
            guard (1...60).contains(every) else { throw ValidationError("--every is 1 to 60 seconds.") }
            guard (1...168).contains(snapshotEvery) else {
                throw ValidationError("--snapshot-every is 1 to 168 hours.")
            }
            guard (1...3_650).contains(keep) else { throw ValidationError("--keep is 1 to 3650 days.") }
            guard (64...1_048_576).contains(waitingMax) else {
                throw ValidationError("--waiting-max is 64 to 1048576 MiB.")
            }
        }

        func run() async throws {
            let recipients = try BackupKeyFiles.recipients(recipientKeys)
            let configuration = try options.existing()
            guard case .file(let path) = configuration.database else {
                throw CommandFailure.refused(
                    "PostgreSQL keeps its own log: see archive_command and pg_basebackup, and docs/backup.md.")
            }
            let (isStopped, json) = (Stop(), options.json)
            let signals = await StopSignals { isStopped.flag.store(true, ordering: .relaxed) }
            defer { signals.cancel() }
            let manager = try ServiceManager.attach()
            let following = LogFollowing(
                configuration: configuration, database: path, folder: LogFolder(path: folder), recipients: recipients,
                withSecrets: withSecrets,
                schedule: LogFollowing.Schedule(
                    poll: Int64(every), snapshot: Int64(snapshotEvery) * 3_600,
                    keep: Int64(keep) * 86_400, waitingBytesMax: waitingMax << 20),
                ambient: .live,
                onNews: { news in
                    Self.tell(news, json: json)
                    if case .snapshot = news { manager.notify(.ready(news.text), logger: Logger(label: "keyturn")) }
                    if case .resumed = news { manager.notify(.ready(news.text), logger: Logger(label: "keyturn")) }
                },
                isStopped: { isStopped.flag.load(ordering: .relaxed) })
            try await following.run()
        }

        private final class Stop: Sendable {
            let flag = Atomic(false)
        }

        private static func tell(_ news: LogNews, json: Bool) {
            let now = Ambient.live.now()
            if json {
                Live.write(String(decoding: news.json(at: now).serialized, as: UTF8.self) + "\n")
            } else if news.isTrouble {
                Live.writeError("\(Report.text(now)) \(news.text)\n")
            } else {
                Live.write("\(Report.text(now)) \(news.text)\n")
            }
        }
    }
}
