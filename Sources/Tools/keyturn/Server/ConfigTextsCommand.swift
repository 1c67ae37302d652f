internal import ArgumentParser
private import Foundation
private import KeyturnBase
internal import Texts

extension ConfigCommand {
    /// `keyturn config texts`: the texts of a language, as they are or as a file to begin with.
    struct TextList: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "texts", abstract: "Print every text of pages and messages, with its key.",
            discussion: """
                With --json it is a file to begin with: change what you want, delete the rest, and name its folder as \
                texts in the configuration.
                """)

        @Option(help: "The language, such as de.")
        var language = "en"

        @Option(
            name: .customLong("config"), help: "A configuration with texts of your own, shown in place of ours.")
        var path: String?

        @Flag(help: "Only what the language lacks, in English.")
        var missing = false

        @Flag(help: "As a file for the folder that texts names in the configuration.")
        var json = false

        func run() async throws {
            var catalog = TextCatalog.builtIn
            if let path {
                do throws(ConfigurationProblems) {
                    catalog = try ServerConfiguration.load(
                        path: path, environment: ProcessInfo.processInfo.environment
                    ).texts
                } catch {
                    throw ValidationError("\(path) has mistakes: `keyturn config check --config \(path)` shows them.")
                }
            }
            print(try Self.output(of: language, in: catalog, missing: missing, json: json))
        }

        /// - Throws: `ValidationError` if the language is unknown and `missing` is not asked for.
        static func output(of code: String, in catalog: TextCatalog, missing: Bool, json: Bool) throws -> String {
            let table = catalog.tables.first { $0.code == code }
            guard table != nil || missing else {
                let codes = catalog.tables.map(\.code).joined(separator: ", ")
                throw ValidationError(
                    "There is no language \(Printable.text(code)), but \(codes). For a new one: --missing --json.")
            }
            let english = catalog.english.sources
            let own = table?.sources ?? [:]
            let texts = missing ? english.filter { own[$0.key] == nil && !TextCheck.isOfConsole($0.key) } : own
            return json ? file(code, table, texts) : list(code, table, texts)
        }

        private static func list(_ code: String, _ table: TextTable?, _ texts: [String: String]) -> String {
            let review = table?.review.map { ", \($0.rawValue)" } ?? ""
            let head = "# \(table?.name ?? code) (\(code))\(review), \(texts.count) texts"
            let lines = texts.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
            return ([head] + lines).joined(separator: "\n")
        }

        private static func file(_ code: String, _ table: TextTable?, _ texts: [String: String]) -> String {
            let head: [(String, String)] = [
                ("language", code), ("name", table?.name ?? code),
                ("direction", table?.isRightToLeft == true ? "rtl" : "ltr"),
            ]
            let groups = Dictionary(grouping: texts.sorted { $0.key < $1.key }) { $0.key.prefix { $0 != "." } }
            let body = groups.sorted { $0.key < $1.key }.map { group, entries in
                "    \(quoted(String(group))): {\n"
                    + entries.map { "      \(quoted(String($0.key.dropFirst(group.count + 1)))): \(quoted($0.value))" }
                    .joined(separator: ",\n") + "\n    }"
            }
            return "{\n" + head.map { "  \(quoted($0.0)): \(quoted($0.1)),\n" }.joined() + "  \"texts\": {\n"
                + body.joined(separator: ",\n") + "\n  }\n}"
        }

        private static func quoted(_ text: String) -> String {
            var writer = JSONWriter()
            writer.write(text)
            return String(decoding: writer.bytes, as: UTF8.self)
        }
    }
}
