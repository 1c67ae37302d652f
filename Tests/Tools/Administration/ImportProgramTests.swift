import Foundation
import KeyturnBase
import StoreSQL
import Testing

@testable import keyturn

@Suite("Bringing in users: the program")
struct ImportProgramTests {
    let place: Place

    init() throws {
        place = try Place()
    }

    /// Users with a little of everything, as an export has them.
    private func sample(_ count: Int) -> String {
        (0..<count).map { number in
            var row: [String: JSONValue] = [
                "sub": .string("user-\(number)"), "status": .string(number % 7 == 0 ? "disabled" : "active"),
                "created_at": .integer(1_500_000_000 + Int64(number)), "updated_at": .integer(1_600_000_000),
                "login_ids": [.string("user\(number)@example.com")], "email": .string("user\(number)@example.com"),
                "email_verified": .bool(number % 2 == 0), "name": .string("Nutzer \(number) ü\u{1F511}"),
            ]
            if number % 3 == 0 {
                row["attributes"] = ["team": .string("t\(number % 5)"), "n": .integer(Int64(number))]
            }
            if number % 4 == 0 { row["claims"] = ["shoe": .number(42.5), "list": [1, "two", .null]] }
            if number % 5 == 0 {
                row["login_ids"] = [
                    .string("user\(number)@example.com"),
                    ["value": .string("other\(number)@example.com"), "verified": true],
                ]
            }
            if number % 6 == 0 { row["password_hash"] = .string(ImportTests.hash) }
            if number % 10 == 0 { row["tenants"] = [["id": "ent-1", "roles": ["admin"]]] }
            if number % 9 == 0 { row["others_at"] = 1_550_000_000 }
            if number % 18 == 0 { row["operators_at"] = 1_560_000_000 }
            if number % 27 == 0 { row["disputed_at"] = 1_570_000_000 }
            if number % 11 == 0 { row["address"] = ["country": "DK"] }
            return String(decoding: JSONValue.object(row).serialized, as: UTF8.self)
        }.joined(separator: "\n") + "\n"
    }

    private func prepare(_ place: Place) throws {
        #expect(try place.run("tenant", "create", "ent-1", "--name", "One").status == 0)
        #expect(try place.run("role", "create", "admin").status == 0)
    }

    @Test func `a thousand users go out and come back unchanged`() throws {
        try prepare(place)
        try place.write(sample(1_000), "users.jsonl")
        let first = try place.run("user", "import", place.path("users.jsonl"), "--json")
        #expect(first.status == 0, "\(first.errors)")
        #expect(try JSONValue(parsing: first.output.utf8)["created"] == 1_000)
        #expect(try place.run("user", "export", "--with-hashes", "--output", place.path("a.jsonl")).status == 0)
        #expect(try place.mode("a.jsonl") == 0o600)

        let other = try Place()
        try prepare(other)
        #expect(try other.run("user", "import", place.path("a.jsonl")).status == 0)
        #expect(try other.run("user", "export", "--with-hashes", "--output", other.path("b.jsonl")).status == 0)
        #expect(try other.read("b.jsonl") == place.read("a.jsonl"))
        #expect(try place.lines("a.jsonl").count == 1_000)

        let again = try other.run("user", "import", place.path("a.jsonl"), "--json")
        #expect(try JSONValue(parsing: again.output.utf8)["unchanged"] == 1_000)
    }

    @Test func `hashes go out only when they are asked for, and never onto a screen`() throws {
        try place.write(sample(12), "users.jsonl")
        try prepare(place)
        #expect(try place.run("user", "import", place.path("users.jsonl")).status == 0)
        let plain = try place.run("user", "export")
        #expect(plain.status == 0 && !plain.output.contains("argon2"))
        #expect(plain.output.split(separator: "\n").count == 12)
        #expect(try place.run("user", "export", "--with-hashes").status == 2)
        #expect(try place.run("user", "export", "--with-hashes", "--output", "-").output.contains("argon2"))
    }

    @Test func `an import that is killed is simply run again`() async throws {
        try prepare(place)
        try place.write(sample(20_000), "users.jsonl")
        var killed = 0
        for milliseconds in [150, 300, 600, 900] {
            let (process, _, _) = try place.start(
                ["user", "import", place.path("users.jsonl"), "--report", place.path("report.jsonl")])
            try await Task.sleep(for: .milliseconds(milliseconds))
            if process.isRunning { killed += 1 }
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            let count = try place.userCount()
            #expect(count % ImportLimits.batchRowsMax == 0, "whole batches, nothing half-done")
        }
        #expect(killed > 0)
        let run = try place.run(
            "user", "import", place.path("users.jsonl"), "--json", "--report", place.path("report.jsonl"))
        #expect(run.status == 0, "\(run.errors)")
        let json = try JSONValue(parsing: run.output.utf8)
        #expect((json["created"]?.integerValue ?? 0) + (json["unchanged"]?.integerValue ?? 0) == 20_000)
        #expect(try place.userCount() == 20_000)
        #expect(try place.lines("report.jsonl").count == 20_000)
    }

    @Test func `refused rows are told by line, in the report too, with exit code 2, and no secret is shown`() throws {
        let rows = """
            {"email":"a@b.cd","password":"my-secret-phrase","emial":1}
            {"email":"e@f.gh","password_hash":"$9z$secret-hash"}
            {"email":"i@j.kl"}
            """
        let run = try place.run("user", "import", "-", "--report", place.path("report.jsonl"), input: rows)
        #expect(run.status == 2)
        #expect(run.errors.contains("line 1:") && run.errors.contains("line 2:"))
        #expect(run.output.contains("1 created") && run.output.contains("2 refused"))
        let report = try place.read("report.jsonl")
        #expect(try place.lines("report.jsonl").map { $0["outcome"] } == ["refused", "refused", "created"])
        #expect(try place.mode("report.jsonl") == 0o600)
        for text in [run.output, run.errors, report] { #expect(!text.contains("secret")) }
    }

    @Test func `a dry run writes nothing and says so`() throws {
        let run = try place.run("user", "import", "-", "--dry-run", input: #"{"email":"a@b.cd"}"#)
        #expect(run.status == 0)
        #expect(run.output.contains("nothing was written") && run.output.contains("1 created"))
        #expect(try place.userCount() == 0)
    }

    @Test func `a file or a database that is not there is refused with what to do`() throws {
        let run = try place.run("user", "import", place.path("missing.jsonl"))
        #expect(run.status == 2 && run.errors.contains("cannot be read"))
        #expect(try place.run("user", "import", "-", "--continue-from", "0").status == 2)
        let file = try place.write(sample(1), "same.jsonl")
        #expect(try place.run("user", "import", file, "--report", file).status == 2)
        #expect(try place.lines("same.jsonl").count == 1, "the report did not overwrite it")
        #expect(try place.run("user", "import", "-", "--on-conflict", "destroy").status == 2)
    }

    @Test func `login IDs are added and taken away, but not the last one`() throws {
        #expect(try place.run("user", "create", "a@b.cd", "--no-password").status == 0)
        #expect(try place.run("user", "add-login-id", "a@b.cd", "+4512345678", "--verified").status == 0)
        #expect(try place.run("user", "create", "e@f.gh", "--no-password").status == 0)
        #expect(try place.run("user", "add-login-id", "e@f.gh", "+4512345678").status == 2, "it belongs to somebody")
        #expect(try place.run("user", "remove-login-id", "a@b.cd").status == 0)
        #expect(try place.run("user", "remove-login-id", "+4512345678").status == 2)
        #expect(try place.run("user", "show", "+4512345678").status == 0)
        #expect(try place.run("user", "show", "a@b.cd").status == 2)
    }

    @Test func `users are searched and paged`() throws {
        try prepare(place)
        #expect(try place.run("user", "import", "-", input: sample(25)).status == 0)
        let count = { (arguments: [String]) throws -> Int in
            let (process, output, _) = try place.start(["user", "list", "--json"] + arguments)
            process.waitUntilExit()
            return try JSONValue(parsing: Data(contentsOf: output)).arrayValue?.count ?? -1
        }
        #expect(try count(["user1"]) == 11)
        #expect(try count(["--status", "disabled"]) == 4)
        #expect(try count(["--limit", "10", "--page", "3"]) == 5)
        #expect(try count(["--tenant", "ent-1"]) == 3)
        #expect(try count(["NUTZER 7"]) == 1)
        #expect(try place.run("user", "list", "--limit", "0").status == 2)
    }
}
