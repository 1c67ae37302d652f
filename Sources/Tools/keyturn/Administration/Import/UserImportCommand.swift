internal import Authority
internal import ArgumentParser
internal import Foundation
internal import KeyturnBase
internal import Model
internal import SignIn
internal import StoreSQL

extension UserCommand {
    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import",
            abstract: "Bring in users from a file.",
            discussion: """
                The file is JSON Lines (one object a line) or CSV with names in its first line, UTF-8. Names are those of \
                `users:` in the configuration, and OpenID Connect's claims:

                  {"login_ids": ["ann@example.com"], "email": "ann@example.com",
                   "email_verified": true, "name": "Ann", "password_hash": "$2b$12$…",
                   "attributes": {"team": "blue"},
                   "tenants": [{"id": "ent-1", "roles": ["admin"]}]}

                A row is one line of the file. totp_secret is the key of an authenticator, in base32; it needs the server's --config, or its secrets beside \
                the database, and counts from the first sign-in.

                Each row is brought in whole or not at all, and a bad one does not stop the others. Whoever is there \
                already and differs is refused, unless --on-conflict says otherwise. A user's present password stays, \
                unless --replace-passwords is said, and a present authenticator always. An import that was interrupted is simply run again.

                Try first: keyturn user import FILE --dry-run --report report.jsonl
                docs/users.md tells how to get such a file out of other systems. Exit code 2: some rows were refused.
                """)

        @OptionGroup var options: AdministrationOptions
        @Argument(help: "The file; - for standard input.") var file: String
        @Option(help: "jsonl or csv, if the first character does not tell.") var format: UserFileFormat?
        @Flag(help: "Check everything, say what would happen, and write nothing.") var dryRun = false
        @Option(help: "A user who is there and differs: refuse the row, update the user, or skip the row.")
        var onConflict: UserImport.Rule = .refuse
        @Flag(help: "Let the file's passwords take the place of present ones; those users' sessions end.")
        var replacePasswords = false
        @Option(help: ArgumentHelp("Write what became of each row, as JSON Lines.", valueName: "file"))
        var report: String?
        @Option(help: ArgumentHelp("Pass over what comes before this line.", valueName: "line"))
        var continueFrom = 1

        func validate() throws {
            guard continueFrom >= 1 else { throw ValidationError("--continue-from counts lines from 1.") }
            let paths = [file, report ?? ""].map { URL(fileURLWithPath: $0).resolvingSymlinksInPath().path }
            guard paths[0] != paths[1] else { throw ValidationError("the report would overwrite the file itself.") }
        }

        func run() async throws {
            let input = try InputFile(path: file)
            var rows = try UserRows(input.read, format: format, firstLine: continueFrom)
            let progress = ImportProgress(input: input)
            var result = ImportReport(file: try report.map(PrivateFile.init), onBatch: progress.show)
            try await options.withDatabase { database in
                let importer = try await importer(database)
                do {
                    try await importer.run(&rows, &result)
                } catch {
                    progress.clear()
                    Live.writeError("keyturn: stopped after line \(result.lastLine): \(result.text).\n")
                    throw error
                }
            }
            progress.clear()
            try show(result, rate: progress.rate(result))
        }

        private func importer(_ database: any SQLDatabase) async throws -> UserImporter {
            let stores = database.stores()
            let access = AccessDirectory(tenants: stores.tenants, roles: stores.roles)
            try await access.reload()
            let cores = ProcessInfo.processInfo.activeProcessorCount
            return UserImporter(
                store: database.userImport(by: Operator.actor.name),
                reader: UserRowReader(access: access, ambient: .live),
                passwords: RowPasswords(
                    users: stores.users, passwords: Passwords(pool: HashingPool(threads: cores), ambient: .live),
                    width: cores * ImportLimits.hashesPerCore),
                authenticators: RowAuthenticators(stores: stores, configuration: try options.configuration()),
                plan: UserImportPlan(
                    rule: onConflict, replacesPasswords: replacePasswords, isRehearsal: dryRun),
                ledger: try NameLedger())
        }

        private func show(_ result: ImportReport, rate: Int) throws {
            let refused = result.counts[.refused] ?? 0
            if options.json {
                Report.json(result.json(isRehearsal: dryRun))
            } else {
                let prefix = dryRun ? "nothing was written; this would be: " : ""
                print("\(prefix)\(result.text) (\(result.rowCount) rows, \(rate) a second)")
            }
            guard refused > 0 else { return }
            for entry in result.shown { Live.writeError("line \(entry.line): \(entry.reason ?? "")\n") }
            let more = refused - result.shown.count
            let rest = more > 0 ? "; \(more) more\(report == nil ? ": see them with --report FILE" : "")" : ""
            throw CommandFailure.refused(
                "\(refused) of \(result.rowCount) rows \(refused == 1 ? "was" : "were") refused\(rest).")
        }
    }
}
