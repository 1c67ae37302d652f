internal import ArgumentParser
internal import KeyturnBase
internal import StoreSQL

/// `keyturn migrate`: brings the schema of a database up to date.
struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Bring the database's schema to this release's, or see what that would do.",
        discussion: """
            A server does this by itself when it starts. Run it before an upgrade of several servers, to see with \
            --check whether the old ones can go on beside the new ones, and to take the steps at a time of your choice.

            A step that changes many rows does so in batches, while servers go on; one that was interrupted goes on \
            where it was.

            --check changes nothing. It ends with 0 if the schema is up to date, or is that of a newer release beside \
            which this one may go on; with 1 if steps are missing, and with 2 if a newer release has changed the \
            database so that this one must not use it.
            """)

    @OptionGroup var options: AdministrationOptions

    @Flag(help: "Only say what would be done.")
    var check = false

    func run() async throws {
        let pending = try pending()
        if !check, !pending.steps.isEmpty {
            let line = ProgressLine("rows")
            defer { line.end() }
            // Opening takes the steps.
            try options.open { line.show(Self.text(of: $0)) }.close()
        }
        report(pending)
        if check, !pending.steps.isEmpty { throw ExitCode(1) }
    }

    private func pending() throws -> PendingSteps {
        let location = try options.existing().database
        do {
            switch location {
            case .memory: throw CommandFailure.refused("a database in memory belongs to its server alone.")
            case .file(let path): return try PendingSteps(path: path)
            case .postgreSQL(let address): return try PendingSteps(postgreSQL: address.exposed())
            }
        } catch let problem as OpenProblem {
            if case .newer = problem { throw CommandFailure.refused("the database: \(problem).") }
            throw CommandFailure.failed("the database could not be opened: \(problem)")
        }
    }

    /// What the progress line says.
    static func text(of progress: StepProgress) -> String {
        let step = "step \(progress.number) of \(progress.newest)"
        return progress.total > 0 ? "\(step): \(progress.rows) of \(progress.total) rows" : step
    }

    private func report(_ pending: PendingSteps) {
        let isTaken = !check
        guard !options.json else {
            return Report.json([
                "schema": .integer(Int64(isTaken ? max(pending.newest, pending.present) : pending.present)),
                "newest": .integer(Int64(pending.newest)),
                "steps": .array(pending.steps.map { .integer(Int64($0)) }),
                "taken": .bool(isTaken && !pending.steps.isEmpty), "rolling": .bool(pending.isRolling),
                "newer": .bool(pending.isNewer),
            ])
        }
        guard !pending.isNewer else {
            return print(
                """
                The schema is \(pending.present), which is a newer release's. This one has \(pending.newest), and may \
                go on beside it.
                """)
        }
        guard !pending.steps.isEmpty else {
            return print("The schema is \(pending.present), which is this release's.")
        }
        let steps = pending.steps.map(String.init).joined(separator: ", ")
        if isTaken {
            print("The schema is \(pending.newest) now; it was \(pending.present). Steps taken: \(steps).")
        } else {
            print("The schema is \(pending.present), and this release's is \(pending.newest). Missing steps: \(steps).")
        }
        print(
            pending.isRolling
                ? "Servers of the present schema can go on: replace them one after the other."
                : "Servers of the present schema cannot use the new one: stop them first.")
    }
}
