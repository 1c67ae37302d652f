internal import Authority
internal import ArgumentParser
internal import Foundation
internal import KeyturnBase
internal import Model
internal import StoreSQL

/// `keyturn import`: a project of another server is taken in.
struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Take in what `keyturn export` wrote at another server.",
        discussion: """
              keyturn import --config keyturn.yaml --identity move.identity --dry-run project.export
              keyturn import --config keyturn.yaml --identity move.identity project.export

            The database is one of this server, SQLite or PostgreSQL, which was started once: it has secrets and \
            signing keys of its own, and keeps them. All of the file is checked first, then taken in as one \
            transaction: all of it is there, or nothing. It may be killed at any time, and run again.

            A user, login ID, client, tenant, role or connection that is there already with other values is in the \
            way, and nothing is taken in. With --keep-existing what is there stays, and what it is in the way of is \
            left out: of a user all that belongs to the user. Run twice with it, the second time changes nothing.

            Sign-ins wait while a large file is written; with SQLite stop the server, or they fail after seconds. To \
            bring in users of another service, `keyturn user import`; a whole database, `keyturn database copy`.

            docs/export.md says what does not move, and what to do then. Exit codes: 0 taken in, 1 failed, 2 refused.
            """)

    @OptionGroup var options: AdministrationOptions
    @OptionGroup var local: LocalDatabaseOnly
    @Argument(help: "The export.") var file: String
    @Option(
        name: .customLong("identity"),
        help: ArgumentHelp("File with the private key of a recipient. May be repeated.", valueName: "file"))
    var identityFiles: [String] = []
    @Flag(help: "Only say what would be taken in, and what is in the way.") var dryRun = false
    @Flag(help: "What is there stays; leave out what it is in the way of.") var keepExisting = false
    @Flag(help: "Leave out the sessions of the file: users sign in again.") var withoutSessions = false

    func run() async throws {
        try local.check()
        let source = try ProjectFile.Reader(file, BackupKeyFiles.identities(identityFiles))
        let configuration = try options.existing()
        // Brings the schema up to date, and finds out whether the secrets are those of the database.
        try ServerRunner.openDatabase(of: configuration).close()
        let meter = BackupMeter()
        let work = ProjectImport(
            into: try TransferSecrets.side(configuration), secrets: try TransferSecrets.of(configuration),
            options: ProjectImport.Options(keepsExisting: keepExisting, leavesSessions: withoutSessions),
            digest: ProjectFile.Digest(), ambient: .live
        ) { progress in
            let phase: BackupProgress.Phase = progress.phase == .importing ? .writing : .checking
            try meter.show(BackupProgress(phase, done: source.bytesRead, total: source.byteCount))
        }
        let summary: ImportSummary
        do {
            defer { meter.clear() }
            let report = try dryRun ? work.tryOut(source.open) : work.run(source.open, event: event)
            summary = ImportSummary(
                report: report, isTrial: dryRun, keepsExisting: keepExisting, configuration: configuration)
        } catch let problem as TransferProblem {
            throw CommandFailure(code: problem.isRefusal ? 2 : 1, sentence: "\(file): \(problem)")
        } catch let problem as ContainerProblem {
            throw ProjectFile.failure(file, problem)
        }
        if options.json { Report.json(summary.json) } else { Live.write(summary.text) }
        if let refusal = summary.refusal { throw CommandFailure.refused("\(file): \(refusal)") }
    }

    private func event(_ report: TransferReport) -> AuditEvent {
        AuditEvent(
            .projectImported, at: Ambient.live.now(), reason: keepExisting ? "keep_existing" : nil,
            actor: Operator.actor.name, target: report.head.project)
    }
}
