internal import ArgumentParser
internal import Delivery
internal import Foundation
internal import KeyturnBase
internal import Model

/// `keyturn audit export`: events for another program, or for an archive.
struct AuditExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write events as JSON Lines, the oldest first.",
        discussion: """
            One object a line, with the digest of the event and of the one before: whoever has all lines can verify the \
            chain without this program. docs/audit.md says how.

              keyturn audit export > audit.jsonl
              keyturn audit export --since 2026-11-01 --until 2026-11-30 --output november.jsonl
            """)

    @OptionGroup var options: AdministrationOptions
    @OptionGroup var conditions: AuditConditions
    @Option(help: ArgumentHelp("Write to this file, which must not exist yet.", valueName: "file"))
    var output: String?

    private func newFile() throws -> PendingFile? {
        guard let output else { return nil }
        guard !FileManager.default.fileExists(atPath: output) else {
            throw CommandFailure.refused("\(output) is there already. Name another file, or remove it.")
        }
        return try PendingFile(for: output, ambient: .live)
    }

    func run() async throws {
        try await options.withStores { stores in
            var query = try await conditions.query(stores)
            query.order = .oldestFirst
            let end = try await stores.audit.head().number
            let file = try newFile()
            let progress = ProgressLine("events")
            var written = 0
            while true {
                let records = try await stores.audit.records(query).filter { $0.number <= end }
                var text = ""
                for record in records { text += String(decoding: record.json.serialized, as: UTF8.self) + "\n" }
                if let file { try file.write(Array(text.utf8)) } else { Live.write(text) }
                written += records.count
                progress.show(written)
                guard let last = records.last, records.count == query.limit else { break }
                query.after = last.number
            }
            progress.end()
            try file?.place()
            if let output { Live.writeError("\(written) events written to \(output).\n") }
        }
    }
}
