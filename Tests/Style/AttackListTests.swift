import Foundation
import Testing

@Suite("Style: the list of attacks")
struct AttackListTests {
    /// Their tests carry other numbers, as the page says; these tests carry invented ones.
    private static let others = [
        "Tests/SDK/Client/Vault/", "/SiteCompatibilityTests.swift", "Tests/Interop/box/", "Tests/Style/",
    ]

    /// Files below `Tests` with an extension, by path from the root.
    private static func files(_ suffix: String) throws -> [(path: String, text: String)] {
        let names = FileManager.default.enumerator(atPath: SourceTree.root.appendingPathComponent("Tests").path)
        return try (names?.compactMap { $0 as? String } ?? []).sorted()
            .filter { $0.hasSuffix(suffix) && !$0.contains(".build/") }
            .map { name in
                let url = SourceTree.root.appendingPathComponent("Tests/\(name)")
                return ("Tests/\(name)", try String(contentsOf: url, encoding: .utf8))
            }
    }

    private static func page() throws -> String {
        try String(contentsOf: SourceTree.root.appendingPathComponent("docs/attacks.md"), encoding: .utf8)
    }

    /// The numbers at the beginning of tests' names, such as `attacks 15 to 17: …`, `46, 48: …` and `test_attack_45_…`.
    private static func numbers(_ path: String, _ text: String) -> Set<Int> {
        guard !others.contains(where: path.contains) else { return [] }
        var lists: [Substring] = []
        if path.hasSuffix(".swift") {
            lists += text.matches(of: #/func `(?:attacks? )?(\d{1,3}(?:(?:, | and | to )\d{1,3})*): /#).map { $0.1 }
            lists += text.matches(of: #/"attacks? (\d{1,3}(?:(?:, | and | to )\d{1,3})*): /#).map { $0.1 }
        } else {
            lists += text.matches(of: #/def test_attacks?_((?:\d{1,3}_(?:and_)?)+)/#).map { $0.1 }
            if path.contains("/passkeys/") { lists += text.matches(of: #/def test_(\d{1,3})_/#).map { $0.1 } }
        }
        return Set(lists.flatMap { $0.matches(of: #/\d+/#).compactMap { Int($0.0) } })
    }

    @Test func `every number in a test's name is explained`() throws {
        let listed = Set(try Self.page().matches(of: #/\n(?:### |- \*\*)(\d+)\./#).compactMap { Int($0.1) })
        let named = try (Self.files(".swift") + Self.files(".py")).reduce(into: Set<Int>()) {
            $0.formUnion(Self.numbers($1.path, $1.text))
        }
        #expect(named.count > 90)
        #expect(named.subtracting(listed).sorted() == [])
        #expect(Self.numbers("Tests/x.swift", "@Test func `attacks 200, 201 and 202: x`() {}") == [200, 201, 202])
        #expect(Self.numbers("Tests/x.py", "def test_attacks_29_and_113_x(site):") == [29, 113])
    }

    @Test func `the tests that the list names exist`() throws {
        let page = try Self.page()
        let swift = Set(try Self.files(".swift").compactMap { $0.path.split(separator: "/").last?.dropLast(6) })
        let python = Set(try Self.files(".py").map(\.path))
        #expect(page.matches(of: #/`(\w+Tests)`/#).map { $0.1 }.filter { !swift.contains($0) } == [])
        #expect(
            page.matches(of: #/`(\w+/test_\w+\.py)`/#).map { $0.1 }.filter { !python.contains("Tests/Interop/\($0)") }
                == [])
    }
}
