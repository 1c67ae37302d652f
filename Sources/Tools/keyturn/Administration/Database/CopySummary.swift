internal import Foundation
internal import KeyturnBase
internal import StoreSQL

/// What a copy came to, and what to do next.
struct CopySummary {
    let report: CopyReport
    let meter: CopyMeter
    let source: DatabaseLocation
    let target: DatabaseLocation

    private var copyRate: Int { meter.rate(.copying, report.copiedRows) }
    private var compareRate: Int { meter.rate(.comparing, report.comparedRows) }

    var text: String {
        let earlier = report.earlierRows > 0 ? ", and \(report.earlierRows) earlier" : ""
        let copied = "copied \(report.copiedRows) rows (\(copyRate) a second)\(earlier)\n"
        guard report.isGood else { return copied + comparison }
        return copied + comparison + """
            Writes to FROM after the start of this copy are not in it.
            \(secrets)
            Then start the server on TO, and keep FROM until it has run for a while. A server on both would split them.

            """
    }

    var comparison: String {
        let found =
            report.differenceCount == 0
            ? "all the same" : "\(report.differenceCount) \(report.differenceCount == 1 ? "is" : "are") not the same"
        return "compared \(report.comparedRows) rows (\(compareRate) a second): \(found)\n"
    }

    /// Why the command fails; `nil` if it does not.
    func failure(verifyOnly: Bool) -> String? {
        if report.differenceCount > 0 { return differences(verifyOnly) }
        guard report.hasSourceChanged else { return nil }
        let others =
            report.otherConnections > 0
            ? " When the copy began, \(report.otherConnections) other connections of Keyturn were open there." : ""
        return """
            FROM was written while it was copied, and what was written is not in TO.\(others) Stop every server of \
            FROM, remove TO, or drop and make it, and copy again. No server starts on TO as it is.
            """
    }

    private func differences(_ verifyOnly: Bool) -> String {
        let lines = report.differences.map { difference in
            "  \(difference.table) (\(Self.printable(difference.key))) \(difference.reason)"
        }
        let more = report.differenceCount - lines.count
        let rest = more > 0 ? "\n  and \(more) more" : ""
        let advice =
            verifyOnly
            ? "" : "\nOne of them was written meanwhile. Remove TO, or drop and make it, and copy again."
        return "the databases are not the same:\n\(lines.joined(separator: "\n"))\(rest)\(advice)"
    }

    /// Keys hold what users chose.
    private static func printable(_ key: String) -> String {
        String(
            key.unicodeScalars.prefix(200).map {
                $0.properties.generalCategory == .control ? "\u{FFFD}" : Character($0)
            })
    }

    /// What the server on the copy needs: the keys in it are sealed.
    private var secrets: String {
        switch (source, target) {
        case (.file, .postgreSQL):
            guard let file = secretsFile else { return Self.same }
            return """
                Its keys are sealed with the secrets in \(file). A server with PostgreSQL has no such file: list its \
                lines under `secrets` in the configuration, or say
                  export KEYTURN_SECRETS="$(paste -sd, '\(file)')"
                """
        case (.file, .file(let path)):
            guard let file = secretsFile else { return Self.same }
            return "Its keys are sealed with the secrets in \(file). Copy them:\n  cp -p '\(file)' '\(path).secrets'"
        case (_, .file(let path)):
            return "\(Self.same) Or write them into \(path).secrets, one a line, with mode 0600."
        default: return Self.same
        }
    }

    private static let same = "Give the server on TO the same `secrets` in its configuration as the one on FROM had."

    private var secretsFile: String? {
        guard case .file(let path) = source, FileManager.default.fileExists(atPath: "\(path).secrets") else {
            return nil
        }
        return "\(path).secrets"
    }

    var json: JSONValue {
        [
            "copied": .integer(Int64(report.copiedRows)), "copied_earlier": .integer(Int64(report.earlierRows)),
            "compared": .integer(Int64(report.comparedRows)), "copied_per_second": .integer(Int64(copyRate)),
            "compared_per_second": .integer(Int64(compareRate)), "source_changed": .bool(report.hasSourceChanged),
            "complete": .bool(report.isGood), "difference_count": .integer(Int64(report.differenceCount)),
            "differences": .array(
                report.differences.map {
                    ["table": .string($0.table), "key": .string($0.key), "difference": .string($0.reason)]
                }),
            "tables": .object(
                Dictionary(report.tables.map { ($0.name, .integer(Int64($0.rows))) }) { first, _ in first }),
            "secrets_file": secretsFile.map(JSONValue.string) ?? .null,
        ]
    }
}
