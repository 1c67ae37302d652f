internal import ArgumentParser
internal import Foundation
internal import KeyturnBase

extension BackupCommand {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Show which moments a log can restore.",
            discussion: """
                  keyturn backup list /backups/keyturn
                  keyturn backup list /backups/keyturn --max-age 5m || echo "keyturn backup follow is behind"

                A row is a line: changes without a gap. Between the end of one and the beginning of the next one the \
                last moment of the first is what can be restored. Needs no identity: times are not encrypted.

                Exit codes: 0, 1 with --max-age if the newest moment is older or there is none, 2 refused.
                """)

        @Argument(help: "The folder of `keyturn backup follow`.") var folder: String
        @Option(help: ArgumentHelp("The newest moment must not be older, such as 5m or 1h.", valueName: "time"))
        var maxAge: AuditTime?
        @Flag(help: "Print one JSON object instead of text.") var json = false

        func validate() throws {
            guard let maxAge else { return }
            guard case .ago = maxAge else { throw ValidationError("--max-age is so long: 30s, 5m, 1h or 2d.") }
        }

        func run() async throws {
            guard LogFolder.isFolder(folder) else {
                throw CommandFailure.refused("\(folder) is no folder: name that of `keyturn backup follow`.")
            }
            let rows = try LogFolder(path: folder).lines().map { try Row($0) }
            if json {
                Report.json(["folder": .string(folder), "lines": .array(rows.map(\.json))])
            } else if rows.isEmpty {
                Live.write("There is nothing in \(folder) yet.\n")
            } else {
                Report.table(["LINE", "FROM", "UNTIL", "SNAPSHOTS", "MIB"], rows.map(\.cells))
            }
            guard let maxAge else { return }
            let newest = rows.compactMap(\.until).max()
            guard let newest, newest >= maxAge.first(at: Ambient.live.now()) else {
                let age = newest.map { "the newest moment is \(Report.text($0))" } ?? "no moment can be restored"
                throw CommandFailure.failed("\(age): look after `keyturn backup follow`.")
            }
        }
    }

    /// A line as it is shown.
    private struct Row {
        let index: LogIndex
        let byteCount: Int

        init(_ line: LogLine) throws {
            (index, byteCount) = (try LogIndex(line), try line.byteCount())
        }

        private var from: UnixTime? { index.span?.lowerBound }
        var until: UnixTime? { index.span?.upperBound }

        var cells: [String] {
            [
                index.line.name, from.map { Report.text($0) } ?? "no snapshot yet",
                until.map { Report.text($0) } ?? "–", "\(index.snapshots.count)", "\(byteCount >> 20)",
            ]
        }

        var json: JSONValue {
            [
                "line": .string(index.line.name), "from": from.map { .integer($0.rawValue) } ?? .null,
                "until": until.map { .integer($0.rawValue) } ?? .null,
                "snapshots": .array(index.snapshots.map { .integer($0.time.rawValue) }),
                "bytes": .integer(Int64(byteCount)),
            ]
        }
    }
}
