internal import Authority
internal import ArgumentParser
internal import Foundation
internal import KeyturnBase
internal import Model
internal import StoreSQL

/// `keyturn restore`: a backup becomes a database again.
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Make a database from a backup.",
        discussion: """
              keyturn restore keyturn-2026-11-26.backup --identity backup.identity --database sqlite:keyturn.db
              keyturn restore backups/ --at 2026-11-26T14:05:00Z --identity backup.identity --database sqlite:keyturn.db
              keyturn restore copy.db --database postgres://keyturn@db.example.com/keyturn

            The second line is for the folder of `keyturn backup follow`: the database becomes what it was at that \
            moment; without --at the newest there is. `keyturn backup list` shows the moments.

            All of the backup is read and checked before anything takes its place. The database is a file that is not \
            there yet, or one of PostgreSQL that was just made (createdb). With --replace a file that is there is kept \
            aside, under its name with the time behind it; stop its server first. A command that was killed is run \
            again: no server starts on half of a database.

            The schema stays what it was: the server migrates it when it starts. PostgreSQL takes backups of this \
            release's schema alone.

            Secrets in the backup are written beside a SQLite database (mode 0600); with PostgreSQL say where to, with \
            --secrets-file. docs/backup.md says what else to do. Exit codes: 0 restored, 1 failed, 2 refused.
            """)

    @OptionGroup var options: AdministrationOptions
    @Argument(help: "The backup, or the folder of a log.") var file: String
    @Option(
        help: ArgumentHelp(
            "Of a log: the moment, such as 2026-11-26T14:05:00Z, or 10m for ten minutes ago.", valueName: "time"))
    var at: AuditTime?
    @OptionGroup var reading: BackupReadingOptions
    @Flag(help: "Keep a database that is there aside, and take its place. SQLite only.") var replace = false
    @Option(help: ArgumentHelp("Where to write the secrets of the backup, if it has them.", valueName: "file"))
    var secretsFile: String?

    func run() async throws {
        let configuration = try options.configuration()
        let identities = try reading.identities()
        let moment = at?.last(at: Ambient.live.now())
        let outcome: RestoreOutcome
        switch configuration.database {
        case .memory: throw CommandFailure.refused("a database in memory belongs to its server alone: name a file.")
        case .file(let path):
            let restore = SQLiteRestore(
                path: path, secretsPath: secretsFile ?? "\(path).secrets", replaces: replace,
                listedSecrets: configuration.secrets.map(\.bytes))
            outcome = try await restore.run(file, at: moment, identities)
        case .postgreSQL(let address):
            guard !replace else {
                throw CommandFailure.refused(
                    "--replace is for SQLite: make a new database with createdb, and restore into it.")
            }
            let restore = PostgreSQLRestore(
                address: address, secretsPath: secretsFile, configuration: configuration)
            outcome = try await restore.run(file, at: moment, identities, in: reading.scratchPlace())
        }
        if options.json { Report.json(outcome.json) } else { Live.write(outcome.text) }
    }
}

/// What a restore came to.
struct RestoreOutcome {
    let backup: OpenedBackup
    /// Where the old database is now; `nil` if there was none.
    let keptAside: String?
    /// Where the secrets were written, or were already; `nil`: nowhere.
    let secretsFile: String?
    /// What to do about secrets, if something is to be done.
    let secretsAdvice: String?
    /// Why the audit log says nothing of it; `nil` if it does.
    let unrecorded: String?

    static func event(for backup: OpenedBackup) -> AuditEvent {
        AuditEvent(
            .databaseRestored, at: Ambient.live.now(), actor: Operator.actor.name,
            target: backup.manifest.map { Report.text($0.madeAt) })
    }

    var text: String {
        var lines = ["Restored \(backup.rowsText), \(backup.moment).", "Checked: \(backup.checks)."]
        if let keptAside { lines.append("The old database is \(keptAside) now.") }
        if let secretsFile { lines.append("Its secrets are in \(secretsFile).") }
        if let secretsAdvice { lines.append(secretsAdvice) }
        if let unrecorded { lines.append("The audit log says nothing of it: \(unrecorded)") }
        lines.append(
            """
            Start the server. It knows what it knew at the time of the backup:
            - sessions that began later are gone, and sessions, users and clients that were ended or removed later are
              back. `keyturn user end-sessions` ends those of a user.
            - apps that refreshed meanwhile go on: each refresh token that is newer than the database is accepted, and
              the audit log has refresh.ahead for it.
            """)
        return lines.joined(separator: "\n") + "\n"
    }

    var json: JSONValue {
        var object = backup.json
        object["kept_aside"] = keptAside.map(JSONValue.string) ?? .null
        object["secrets_file"] = secretsFile.map(JSONValue.string) ?? .null
        object["recorded"] = .bool(unrecorded == nil)
        return .object(object)
    }
}
