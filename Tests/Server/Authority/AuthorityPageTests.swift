import Foundation
import Testing

@testable import Authority

@Suite("Rulebook: the page for auditors")
struct AuthorityPageTests {
    private static let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../docs/authority.md").standardizedFileURL

    private static let marks = ("<!-- the table begins -->\n", "\n<!-- the table ends -->")

    /// With `KEYTURN_RECORD=1` the table is written anew: read the difference.
    @Test func `the table on the page is the table in the code`() throws {
        var text = try String(contentsOf: Self.page, encoding: .utf8)
        let begin = try #require(text.range(of: Self.marks.0)?.upperBound)
        let end = try #require(text.range(of: Self.marks.1)?.lowerBound)
        if ProcessInfo.processInfo.environment["KEYTURN_RECORD"] == "1" {
            text.replaceSubrange(begin..<end, with: AuthorityPage.table)
            try text.write(to: Self.page, atomically: true, encoding: .utf8)
            return
        }
        #expect(String(text[begin..<end]) == AuthorityPage.table)
    }

    @Test func `every kind of caller and every act has a row or a refusal`() {
        for act in Act.allCases {
            #expect(RuleTable.rule(act, .machine) != nil, "the machine has an owner's rights: \(act)")
        }
        #expect(RuleTable.rows.count > 100)
    }
}
