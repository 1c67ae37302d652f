import Foundation
import KeyturnBase
import Testing

@testable import keyturn

@Suite("The data of one user, by the command line")
struct UserDataCommandTests {
    private let place: Place

    init() throws {
        place = try Place()
    }

    private func run(_ arguments: String..., input: String = "") throws -> (
        status: Int32, output: String, errors: String
    ) {
        let (process, output, errors) = try place.start(arguments, input: input)
        process.waitUntilExit()
        return (
            process.terminationStatus, try String(contentsOf: output, encoding: .utf8),
            try String(contentsOf: errors, encoding: .utf8)
        )
    }

    @Test func `a file of its owner alone has what is kept, no hash, and stands in the audit log`() throws {
        #expect(
            try run("user", "create", "ann@example.com", "--verified", input: "correct-horse-battery").status == 0)
        #expect(try run("user", "create", "bea@example.com", input: "correct-horse-battery").status == 0)
        let done = try run("user", "data", "ann@example.com", "--output", place.path("ann.json"))
        #expect(done.status == 0, "\(done.errors)")
        #expect(try place.mode("ann.json") == 0o600)
        let text = try place.read("ann.json")
        let document = try JSONValue(parsing: text.utf8)
        #expect(!text.contains("argon2") && !text.contains("bea@example.com"))
        #expect(document["login_ids"]?.arrayValue?.first?["value"] == "ann@example.com")
        #expect(document["passwords"] == [["hash": true]])
        #expect(document["passkeys"] == [])
        let events = document["audit_events"]?.arrayValue?.compactMap { $0["kind"]?.stringValue }
        #expect(events == ["user.created", "users.exported"])
        #expect(document["audit_events"]?.arrayValue?.last?["reason"] == "data")
    }

    @Test func `it can be read by a program, and an unknown user is refused`() throws {
        #expect(try run("user", "create", "ann@example.com", input: "correct-horse-battery").status == 0)
        let printed = try run("user", "data", "ann@example.com").output
        #expect(try JSONValue(parsing: printed.utf8)["made_at"]?.integerValue ?? 0 > 1_700_000_000)
        let unknown = try run("user", "data", "nina@example.com", "--output", place.path("nina.json"))
        #expect(unknown.status == 2 && !FileManager.default.fileExists(atPath: place.path("nina.json")))
    }
}
