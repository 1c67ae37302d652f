import Foundation
import Testing

@testable import Texts

/// Compares the keys that the sources name with those of the English file, so that neither side has one too many.
@Suite("Keys of texts")
struct TextKeyTests {
    private struct Use: Hashable {
        let key: String
        /// `nil`: the values are put together elsewhere.
        let places: Set<String>?
    }

    private static let server = URL(fileURLWithPath: #filePath)
        .appendingPathComponent("../../../../Sources/Server").standardizedFileURL

    /// The keys that one file names, with the places that it fills.
    private static func uses(in source: String, group: String) -> [Use] {
        let call = #/\btexts\[\s*"((?:[^"\\]|\\\(\w+\))+)"(?:,\s*(?:(count:)|\[([^\]]*)\]|([\w$]+)))?/#
        return source.matches(of: call).map { match in
            let places: Set<String>? =
                if match.2 != nil {
                    ["count"]
                } else if let filled = match.3 {
                    Set(filled.matches(of: #/"(\w+)":/#).map { String($0.1) })
                } else {
                    match.4 == nil ? [] : nil
                }
            return Use(key: "\(group).\(match.1)", places: places)
        }
    }

    private static func sources(_ folder: String) throws -> [String] {
        let files = FileManager.default.enumerator(
            at: server.appendingPathComponent(folder), includingPropertiesForKeys: nil)
        return try (files?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }
            .map { try String(contentsOf: $0, encoding: .utf8) }
    }

    private static func all() throws -> [Use] {
        let pages = try sources("Web").flatMap { source in
            source.firstMatch(of: #/static let group = "(\w+)"/#).map { uses(in: source, group: String($0.1)) } ?? []
        }
        return try pages + sources("Delivery/Words").flatMap { uses(in: $0, group: "message") }
    }

    @Test func `every key that a page or a message names exists, and gets the places that it has`() throws {
        let english = TextCatalog.builtIn.english.patterns
        let uses = try Self.all()
        #expect(uses.count > 700)
        for use in uses where !use.key.contains("\\(") {
            guard let pattern = english[use.key] else {
                Issue.record("there is no text \(use.key)")
                continue
            }
            if let places = use.places { #expect(Set(pattern.places.keys) == places, "\(use.key)") }
        }
    }

    @Test func `every key of the files is named by a page or a message`() throws {
        let uses = Set(try Self.all().map(\.key))
        // `sentence.\(key).to`: any word where a value stands.
        let open = try uses.filter { $0.contains("\\(") }.map {
            try Regex(
                $0.replacing(#/\\\(\w+\)/#, with: "\u{1}").replacing(".", with: "\\.")
                    .replacing("\u{1}", with: "\\w+"))
        }
        for key in TextCatalog.builtIn.english.patterns.keys.sorted() where !uses.contains(key) {
            #expect(try open.contains { try $0.wholeMatch(in: key) != nil }, "\(key)")
        }
    }

    @Test func `every text that a template names exists`() throws {
        let english = TextCatalog.builtIn.english.patterns
        let files = FileManager.default.enumerator(
            at: Self.server.appendingPathComponent("Web"), includingPropertiesForKeys: nil)
        let names = Set(english.keys.map { String($0.split(separator: ".", maxSplits: 1)[1]) })
        for case let url as URL in files ?? .init() where url.pathExtension == "mustache" {
            let source = try String(contentsOf: url, encoding: .utf8)
            for match in source.matches(of: #/{{[#^]?(?:text|settings)\.(\w+)}}/#) {
                let name = String(match.1)
                #expect(names.contains(name) || names.contains("\(name).first"), "\(url.lastPathComponent) \(name)")
            }
        }
    }
}
