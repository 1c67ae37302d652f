import Foundation
import Testing

@Suite("Style: the pages in docs")
struct GuideTests {
    private struct Page {
        /// From the root of the repository.
        let path: String
        let text: String
        var folder: URL { SourceTree.root.appendingPathComponent(path).deletingLastPathComponent() }
    }

    private static func pages() throws -> [Page] {
        let root = SourceTree.root.appendingPathComponent("docs")
        let names = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []
        return try names.filter { $0.hasSuffix(".md") }.sorted().map { name in
            Page(
                path: "docs/\(name)",
                text: try String(contentsOf: root.appendingPathComponent(name), encoding: .utf8))
        }
    }

    /// What is wrong with the order of a page's sections; `nil`: nothing.
    private static func flaw(_ text: String) -> String? {
        let headings = text.split(separator: "\n").filter { $0.hasPrefix("## ") }.map { $0.dropFirst(3) }
        let isRight =
            headings.count == 5 && headings[0] == "What it is for" && headings[1] == "The shortest working example"
            && headings[2] == "Options" && headings[3].hasPrefix("What is ")
            && headings[4] == "What an operator must know"
        return isRight ? nil : headings.joined(separator: ", ")
    }

    @Test func `every guide has the same sections in the same order`() throws {
        let lists = ["docs/attacks.md", "docs/limits.md"]
        let pages = try Self.pages().filter { !lists.contains($0.path) }
        #expect(pages.count > 15)
        #expect(pages.compactMap { page in Self.flaw(page.text).map { "\(page.path): \($0)" } } == [])
        #expect(Self.flaw("## Options\n## What it is for\n") == "Options, What it is for")
    }

    @Test func `the first example of the guide to testing is a test`() throws {
        let page = try #require(try Self.pages().first { $0.path == "docs/testing.md" })
        let example = try #require(page.text.firstMatch(of: #/```swift\n([\s\S]*?)```/#)).1
        let path = SourceTree.root.appendingPathComponent("Tests/Testing/GuideTests.swift")
        let lines = try String(contentsOf: path, encoding: .utf8).components(separatedBy: "\n")
        #expect(example == lines.filter { !$0.hasPrefix("//") }.joined(separator: "\n"))
    }

    /// `Tests/Interop/run operation/test_proxies.py` tries these files.
    @Test(arguments: ["nginx.conf", "Caddyfile", "haproxy.cfg"])
    func `the guide to proxies shows the files that are tried`(name: String) throws {
        let page = try #require(try Self.pages().first { $0.path == "docs/proxies.md" })
        let file = SourceTree.root.appendingPathComponent("Packaging/proxies/\(name)")
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(text.count > 300 && page.text.contains("\n\(text)```\n"))
    }

    @Test func `every alert has a section of its own`() throws {
        let file = SourceTree.root.appendingPathComponent("Packaging/monitoring/keyturn.rules.yml")
        let rules = try String(contentsOf: file, encoding: .utf8)
        let alerts = rules.matches(of: #/- alert: (\w+)/#).map { String($0.1) }
        let targets = rules.matches(of: #/runbook: docs\/alerts\.md#(\w+)/#).map { String($0.1) }
        let page = try #require(try Self.pages().first { $0.path == "docs/alerts.md" })
        let sections = page.text.matches(of: #/\n### (Keyturn\w+)\n/#).map { String($0.1) }
        #expect(alerts.count > 20 && targets == alerts.map { $0.lowercased() })
        #expect(sections.sorted() == alerts.sorted())
    }

    @Test func `links between pages lead somewhere`() throws {
        for page in try Self.pages() {
            for link in page.text.matches(of: #/\]\(([\w./-]+)[)#]/#).map({ String($0.1) }) {
                let target = page.folder.appendingPathComponent(link).path
                #expect(FileManager.default.fileExists(atPath: target), "\(page.path): \(link)")
            }
        }
    }

    @Test func `pages name the user, the client or the caller`() throws {
        let vague = #/(?i)\b(?:whoever|whomever|somebody|anybody|nobody)\b/#
        let found = try Self.pages().flatMap { page in page.text.matches(of: vague).map { "\(page.path): \($0.0)" } }
        #expect(found == [])
    }
}
