internal import ArgumentParser
internal import Foundation
internal import KeyturnBase
internal import StoreSQL

extension DatabaseCommand {
    struct Copy: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "copy",
            abstract: "Copy everything from one database into an empty one, and compare both.",
            discussion: """
                From SQLite to PostgreSQL, back, or between two of a kind:

                  keyturn database copy sqlite:keyturn.db postgres://keyturn@db.example.com/keyturn
                  keyturn database copy postgres://keyturn@db.example.com/keyturn sqlite:keyturn.db

                Stop every server of FROM first: what is written after the start of the copy is not in it. If FROM was \
                written meanwhile, the command says so and fails. FROM is only read. TO is a file that is not there \
                yet, or a database that was just made (createdb).

                After copying, each row of both is read again and compared. No server starts on TO before that. A copy \
                that was interrupted goes on where it was: run the same command again. FROM must not have been used in \
                between.

                Every user of the machine can read a command line: keep the password in ~/.pgpass or PGPASSWORD, \
                where libpq finds it.

                Secrets are not in the database: the command says what to do with them. docs/operating.md has the \
                whole move. Exit codes: 0 complete and the same, 1 failed or not the same, 2 refused, nothing changed.
                """)

        @Argument(help: "The database to copy: sqlite:FILE or postgres://…") var from: String
        @Argument(help: "The empty database to copy into, written likewise.") var to: String
        @Flag(help: "Compare both, and copy nothing. Neither is changed.") var verifyOnly = false
        @Flag(help: "Print one JSON object instead of text.") var json = false

        func run() async throws {
            let (source, target) = (try location(from, "FROM"), try location(to, "TO"))
            let meter = CopyMeter()
            let copy = DatabaseCopy(from: try side(source, "FROM"), to: try side(target, "TO"), onProgress: meter.show)
            let report: CopyReport
            do {
                report = try verifyOnly ? copy.compare() : copy.run()
                meter.clear()
            } catch let problem as CopyProblem {
                meter.clear()
                throw CommandFailure(code: problem.isRefusal ? 2 : 1, sentence: problem.description)
            }
            let summary = CopySummary(report: report, meter: meter, source: source, target: target)
            if json { Report.json(summary.json) } else { Live.write(verifyOnly ? summary.comparison : summary.text) }
            if let failure = summary.failure(verifyOnly: verifyOnly) { throw CommandFailure.failed(failure) }
        }

        private func location(_ text: String, _ name: String) throws -> DatabaseLocation {
            do {
                return try DatabaseLocation(text)
            } catch {
                throw CommandFailure.refused("\(name): \(error)")
            }
        }

        private func side(_ location: DatabaseLocation, _ name: String) throws -> DatabaseSide {
            switch location {
            case .memory: throw CommandFailure.refused("\(name): a database in memory belongs to its server alone.")
            case .file(let path): .sqlite(path: path)
            case .postgreSQL(let address): .postgreSQL(address)
            }
        }
    }
}
