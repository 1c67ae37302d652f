import Foundation
import Testing

@Suite("Style: what a machine can check")
struct StyleTests {
    static let sources = SourceTree.swiftFiles(below: ["Sources"])
    static let everything = SourceTree.swiftFiles(below: ["Sources", "Tests", "Benchmarks", "Examples"])

    private func bad(_ path: String, _ text: String) -> SourceTree.File {
        SourceTree.File(
            path: path, lines: text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
    }

    @Test func `the tree is there`() {
        #expect(Self.sources.count > 100)
    }

    @Test func `time, randomness and force are where they belong`() {
        #expect(Self.sources.flatMap(Rules.bannedCalls) == [])
        #expect(Rules.bannedCalls(bad("Sources/x.swift", "let now = Date()")).count == 1)
        #expect(Rules.bannedCalls(bad("Sources/x.swift", "let x = try! y()\nlet z = a as! B")).count == 2)
        #expect(Rules.bannedCalls(bad("Sources/Live.swift", "let now = Date()")).isEmpty)
    }

    @Test func `the thread sanitizer sees every lock of the client library`() {
        #expect(Self.everything.flatMap(Rules.unseenLocks) == [])
        #expect(Rules.unseenLocks(bad("Tests/SDK/Client/x.swift", "let x = Mutex(0)")).count == 1)
        #expect(Rules.unseenLocks(bad("Tests/Server/x.swift", "let x = Mutex(0)")).isEmpty)
    }

    @Test func `libraries do not print`() {
        #expect(Self.sources.filter { !$0.path.hasPrefix("Sources/Tools/") }.flatMap(Rules.prints) == [])
        #expect(Rules.prints(bad("Sources/x.swift", "print(1)")).count == 1)
    }

    @Test func `arrows point inwards`() {
        #expect(Self.sources.flatMap(Rules.forbiddenImports) == [])
        #expect(Rules.forbiddenImports(bad("Sources/SDK/Client/x.swift", "internal import Identity")).count == 1)
        #expect(Rules.forbiddenImports(bad("Sources/Server/Identity/x.swift", "import GRDB")).count == 1)
        #expect(Rules.forbiddenImports(bad("Sources/Server/StoreSQL/Users/x.swift", "import GRDB")).count == 1)
        #expect(Rules.forbiddenImports(bad("Sources/Server/Identity/x.swift", "public import KeyturnBase")).isEmpty)
    }

    @Test func `KeyturnTesting shows no module of the server`() {
        #expect(Self.sources.flatMap(Rules.shownServerModules) == [])
        let path = "Sources/Testing/Library/x.swift"
        for line in ["public import Model", "import Identity", "@_exported public import Web"] {
            #expect(Rules.shownServerModules(bad(path, line)).count == 1, "\(line)")
        }
        #expect(Rules.shownServerModules(bad(path, "internal import Model\npublic import Keyturn")).isEmpty)
    }

    @Test func `the stores speak SQL that two engines take`() {
        #expect(Self.sources.flatMap(StatementRules.engineForms) == [])
        let store = StatementRules.folder + "Users/x.swift"
        for text in [
            "SELECT * FROM grant_", "SELECT u.id, p.* FROM p", "DELETE FROM p RETURNING *",
            "SELECT 1 FROM user WHERE id = ?",
            "UPDATE user SET a = 1", "SET a = iif(b, 1, 2)", "WHERE a IS ?1", "WHERE a IS NOT ?", "WHERE a IS b",
            "VALUES (randomblob(32))", "LIMIT -1 OFFSET 3", "INSERT OR REPLACE INTO p", "SELECT json_array(1)",
            "WHERE instr(a, ?) > 0", "SET a = max(a - 1, 0)", "WHERE (a = 1 OR ?3)", "CASE WHEN ?2 THEN a END",
        ] {
            #expect(StatementRules.engineForms(bad(store, "let sql = \"\(text)\"")).count == 1, "\(text)")
            #expect(
                StatementRules.engineForms(bad(store, "let sql = \"\"\"\n    \(text)\n    \"\"\"")).count == 1,
                "\(text)")
            #expect(StatementRules.engineForms(bad(StatementRules.engines + "SQLite/x.swift", "\"\(text)\"")).isEmpty)
        }
        for text in [
            "SELECT max(a) FROM \\\"user\\\"", "WHERE a IS NOT NULL AND b IS NULL", "WHERE a IS NOT DISTINCT FROM ?1",
            "WHERE a IS DISTINCT FROM ? AND ?2 = 1", "SELECT count(*) FROM p", "WHERE ?1 IS NULL OR a = ?1",
        ] {
            #expect(StatementRules.engineForms(bad(store, "let sql = \"\(text)\"")).isEmpty, "\(text)")
        }
    }

    @Test func `what decides who may do what is written in the stores alone that the rulebook knows`() {
        let sources = SourceTree.swiftFiles(below: ["Sources"])
        #expect(sources.flatMap(AuthorityWriters.strangers) == [])
        // A file that no longer writes a table leaves the list.
        let found = sources.reduce(into: [String: Set<String>]()) { found, file in
            guard file.path.hasPrefix("Sources/Server/StoreSQL/Stores/") else { return }
            let name = String(file.path.split(separator: "/").last?.dropLast(".swift".count) ?? "")
            for (_, table) in AuthorityWriters.written(file) { found[table, default: []].insert(name) }
        }
        for (table, writers) in AuthorityWriters.writers { #expect(found[table] == writers, "\(table)") }
        let stranger = SourceTree.File(
            path: "Sources/Server/Web/Sneak.swift", lines: [#"db.run("UPDATE \"user\" SET status = ?")"#])
        #expect(AuthorityWriters.strangers(stranger).count == 1)
    }

    @Test func `no source opens what another module keeps to itself`() {
        let found = SourceTree.swiftFiles(below: ["Sources"]).flatMap { file in
            file.lines.enumerated().filter { $0.element.contains("@testable import") }
                .map { Finding(path: file.path, line: $0.offset + 1, text: "a permission could be made there") }
        }
        #expect(found == [])
    }

    @Test func `the checks of routes read credentials, and nothing else does`() {
        #expect(Self.sources.flatMap(Rules.strayCredentials) == [])
        let bad = [
            "let header = request.headers[.authorization]", "request.headers[values: .cookie]",
            "cookies.session(request)",
            "try await services.signIn.session(of: cookie)", "services.clientAuthenticator.authenticate(presented)",
            "ProjectBearer(header: header)",
        ]
        for line in bad {
            #expect(Rules.strayCredentials(self.bad("Sources/Server/Web/Token/x.swift", line)).count == 1, "\(line)")
            #expect(Rules.strayCredentials(self.bad("Sources/Server/Web/Checks/x.swift", line)).isEmpty)
        }
    }

    @Test func `URIs and addresses have one parser`() {
        #expect(Self.sources.flatMap(AddressRules.ownParsers) == [])
        for line in [
            "inet_pton(AF_INET, text, &bytes)", "try SocketAddress(ipAddress: host, port: 0)",
            "text.hasPrefix(\"127.\")", "[\"localhost\", \"::1\"].contains(host)", "text.hasPrefix(\"[::1]\")",
            "host == \"localhost\"", "host.hasSuffix(\".localhost\")", "URLComponents(string: uri)?.host",
            "uri.firstRange(of: \"://\")", "URL(string: text)?.host()",
        ] {
            #expect(AddressRules.ownParsers(bad("Sources/Server/x.swift", line)).count == 1, "\(line)")
            #expect(AddressRules.ownParsers(bad(AddressRules.folder + "x.swift", line)).isEmpty)
        }
        for line in ["// 127.0.0.1 or \"::1\"", "URL(string: url)", "\"http://127.0.0.1:9000/callback\""] {
            #expect(AddressRules.ownParsers(bad("Sources/Server/x.swift", line)).isEmpty, "\(line)")
        }
        for path in AddressRules.exceptions.keys {
            let file = Self.sources.first { $0.path == path }
            #expect(file.map { AddressRules.parsers($0).isEmpty } == false, "\(path) needs no exception")
        }
    }

    @Test func `public types say what they are`() {
        let libraries = Self.sources.filter { !$0.path.hasPrefix("Sources/Tools/") }
        #expect(libraries.flatMap(Rules.undocumented).filter { !Ratchet.undocumented.contains($0.path) } == [])
        #expect(Rules.undocumented(bad("Sources/x.swift", "public struct X {}")).count == 1)
        #expect(Rules.undocumented(bad("Sources/x.swift", "/// Something.\npublic struct X {}")).isEmpty)
    }

    @Test func `nothing is left unfinished`() {
        #expect(Self.everything.flatMap(Rules.unfinished) == [])
        #expect(Rules.unfinished(bad("Sources/x.swift", "// TO" + "DO: later")).count == 1)
    }

    @Test func `files have one subject`() {
        let findings = Self.everything.flatMap { Rules.long($0, linesMax: 300) }
        #expect(findings.filter { finding in !Ratchet.longFiles.keys.contains(finding.path) } == [])
        for (path, lines) in Ratchet.longFiles {
            let file = Self.everything.first { $0.path == path }
            #expect(
                (301...lines).contains(file?.lines.count ?? 0), "\(path) may only shrink; below 301 leaves the list")
        }
        #expect(Rules.long(bad("x.swift", String(repeating: "\n", count: 301)), linesMax: 300).count == 1)
    }

    @Test func `functions are short`() {
        #expect(Self.sources.flatMap { Rules.longFunctions($0, linesMax: 70) } == [])
        let body = String(repeating: "    x()\n", count: 71)
        #expect(Rules.longFunctions(bad("x.swift", "func f() {\n\(body)}"), linesMax: 70).count == 1)
    }

    @Test(arguments: ["Util", "Utils", "Helper", "Helpers", "Manager", "Misc", "Common"])
    func `there is no drawer`(_ name: String) {
        let drawers = Self.everything.map(\.path).filter { path in
            path.split(separator: "/").contains { $0 == name || $0 == "\(name).swift" }
        }
        #expect(drawers == [])
    }

    @Test(arguments: [
        "README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "STYLE.md", "docs/operating.md",
    ])
    func `documents name files that exist`(_ document: String) throws {
        let text = try String(contentsOf: SourceTree.root.appendingPathComponent(document), encoding: .utf8)
        let links = text.matches(of: #/\]\(([\w./-]+)\)/#).map { String($0.1) }
        let paths =
            text.matches(of: #/`((?:Sources|Tests|Benchmarks|Examples|Scripts|docs)/[\w./-]+)`/#).map {
                String($0.1)
            }
            + text.matches(of: #/`((?:Protocol|SDK|Server|Tools|Testing)/[\w./+-]+)`/#).map { "Sources/\($0.1)" }
        let folder = SourceTree.root.appendingPathComponent(document).deletingLastPathComponent()
        for link in links {
            #expect(
                FileManager.default.fileExists(atPath: folder.appendingPathComponent(link).path), "\(document): \(link)"
            )
        }
        for path in paths {
            #expect(
                FileManager.default.fileExists(atPath: SourceTree.root.appendingPathComponent(path).path),
                "\(document): \(path)")
        }
    }

    @Test func `the READMEs of folders name files that exist`() throws {
        let sources = SourceTree.root.appendingPathComponent("Sources")
        let names = FileManager.default.enumerator(atPath: sources.path)?.compactMap { $0 as? String } ?? []
        let documents = names.filter { $0.hasSuffix("/README.md") }.sorted()
        #expect(documents.count > 10)
        for document in documents {
            let url = sources.appendingPathComponent(document)
            let text = try String(contentsOf: url, encoding: .utf8)
            for path in text.matches(of: #/`([\w+/-]+\.swift)`/#).map({ String($0.1) }) {
                let file = url.deletingLastPathComponent().appendingPathComponent(path)
                #expect(FileManager.default.fileExists(atPath: file.path), "\(document): \(path)")
            }
        }
    }

    @Test(arguments: [("ARCHITECTURE.md", 2_000), ("README.md", 900)])
    func `the documents to start with are short`(_ document: String, _ wordsMax: Int) throws {
        let text = try String(contentsOf: SourceTree.root.appendingPathComponent(document), encoding: .utf8)
        #expect(text.split(whereSeparator: \.isWhitespace).count <= wordsMax, "\(document)")
    }

    @Test func `the start page shows the code of the README`() throws {
        func text(_ path: String) throws -> String {
            try String(contentsOf: SourceTree.root.appendingPathComponent(path), encoding: .utf8)
        }
        let page = try TemplateTests.template("home")
        let sample = try #require(page.firstMatch(of: #/<code>(import Keyturn\n[^<]*)<\/code>/#)?.1)
            .replacing("{{issuer}}", with: "https://id.example.com").replacing("keyturn-cli", with: "app")
        let document = try text("README.md").split(separator: "\n")
        for line in sample.split(separator: "\n") {
            #expect(document.contains { $0.hasPrefix(line) }, "\(line)")
        }
        #expect(sample.contains("auth.authorize("), "without it nobody is signed in")
        #expect(sample.split(separator: "\n").allSatisfy { $0.count <= 72 }, "it fits into its box on the page")
    }
}

/// What is not yet as it should be. Entries may shrink and go, never come.
enum Ratchet {
    static let longFiles: [String: Int] = [:]
    static let undocumented: Set<String> = []
}
