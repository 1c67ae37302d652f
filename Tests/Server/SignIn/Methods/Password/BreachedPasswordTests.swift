import Foundation
import KeyturnBase
import Testing
@testable import Model
@testable import SignIn

@Suite("Breached passwords")
struct BreachedPasswordTests {
    /// SHA-1 of the numbers from 0, in hexadecimal, sorted, as the published list has them.
    private func lines(_ count: Int) -> [String] {
        (0..<count).map { "\(Self.hash("breached-\($0)")):\($0 * 37 % 100_000 + 1)" }.sorted()
    }

    private static func hash(_ text: String) -> String {
        HashedList.hexadecimalSHA1(Array(text.utf8)).map { String(UnicodeScalar($0)) }.joined()
    }

    private func withFile<Result>(_ text: String, _ body: (String) throws -> Result) throws -> Result {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("keyturn-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(text.utf8).write(to: file)
        return try body(file.path)
    }

    @Test(arguments: [1, 2, 3, 63, 64, 65, 100, 3_000], ["\n", "\r\n"])
    func `83: every line of an ordered list is found, and nothing else`(_ count: Int, _ lineEnd: String) throws {
        for ending in [lineEnd, ""] {
            try withFile(lines(count).joined(separator: lineEnd) + ending) { path in
                let list = try BreachedPasswords(path: path)
                let found = (0..<count).count { list.contains(Secret("breached-\($0)")) }
                #expect(found == count)
                #expect(!(count..<count + 300).contains { list.contains(Secret("breached-\($0)")) })
            }
        }
    }

    @Test func `83: a breached password is a flaw`() async throws {
        try withFile(lines(50).joined(separator: "\n")) { path in
            let list = try BreachedPasswords(path: path)
            let policy = PasswordPolicy()
            #expect(policy.flaws(in: Secret("breached-7"), breached: list) == [.breached])
            #expect(policy.flaws(in: Secret("breached-7")) == [])
            #expect(policy.flaws(in: Secret("breached-77"), breached: list) == [])
        }
        let passwords = Passwords(pool: HashingPool(threads: 1), ambient: .live)
        let list = try withFile("import Foundation\n") { try BreachedPasswords(path: $0) }
        let flaws = try await passwords.flaws(
            in: Secret("import Foundation"), policy: PasswordPolicy(), identifiers: [], breached: list)
        #expect(flaws == [.breached])
    }

    @Test func `a list in plain text is compared without regard to case and spelling`() throws {
        try withFile("Tr0ub4dor&3\r\ncaf\u{E9}-caf\u{E9}\n\nspace inside\n") { path in
            let list = try BreachedPasswords(path: path)
            for text in ["tr0ub4dor&3", "TR0UB4DOR&3", "cafe\u{301}-cafe\u{301}", "space inside"] {
                #expect(list.contains(Secret(text)), "\(text)")
            }
            #expect(!list.contains(Secret("tr0ub4dor&4")))
            #expect(!list.contains(Secret("")))
        }
    }

    @Test func `what cannot be used is refused with the reason`() throws {
        func reason(_ text: String) throws -> String? {
            try withFile(text) { path in
                let refusal = #expect(throws: BreachedPasswords.Unusable.self) { try BreachedPasswords(path: path) }
                return refusal?.description
            }
        }
        #expect(try reason("")?.contains("empty") == true)
        #expect(try reason(lines(1_000).reversed().joined(separator: "\n"))?.contains("ordered") == true)
        let long = String(repeating: "abcdefgh\n", count: Limits.breachedListBytesMax / 9 + 1)
        #expect(try reason(long)?.contains("SHA-1") == true)
        let missing = #expect(throws: BreachedPasswords.Unusable.self) { try BreachedPasswords(path: "/nowhere/x") }
        #expect(missing?.description == "there is no such file")
        #expect(throws: BreachedPasswords.Unusable.self) { try BreachedPasswords(path: "/tmp") }
    }

    @Test func `a list that is gone holds nothing`() throws {
        let list = try withFile(lines(10).joined(separator: "\n")) { try BreachedPasswords(path: $0) }
        #expect(!list.contains(Secret("breached-1")))
    }
}
