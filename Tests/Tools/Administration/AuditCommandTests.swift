import Foundation
import KeyturnBase
import Model
import ServerTesting
import StoreSQL
import Testing

@testable import keyturn

@Suite("The audit log of administration")
struct AuditCommandTests {
    let place: Place

    init() throws {
        place = try Place()
    }

    /// What `keyturn audit --json` prints.
    private func events(_ arguments: String...) throws -> [JSONValue] {
        let (process, output, _) = try place.start(["audit", "--json"] + arguments)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return try JSONValue(parsing: Data(contentsOf: output)).arrayValue ?? []
    }

    private func actions(_ events: [JSONValue]) -> [String] { events.compactMap { $0["action"]?.stringValue } }

    private func done(_ arguments: String..., input: String = "") throws {
        let (process, _, errors) = try place.start(arguments, input: input)
        process.waitUntilExit()
        let said = try String(contentsOf: errors, encoding: .utf8)
        #expect(process.terminationStatus == 0, "\(arguments): \(said)")
    }

    @Test func `each change by a command is in the audit log once, with its operator and object and without secrets`()
        throws
    {
        let password = "correct-horse-battery"
        try done("tenant", "create", "ent-1")
        try done("role", "create", "admin", "--permission", "users.read")
        try done("user", "create", "ann@example.com", "--verified", input: password)
        try done("user", "password", "ann@example.com", input: "\(password)-2")
        try done("user", "disable", "ann@example.com")
        try done("user", "enable", "ann@example.com")
        try done("user", "add-login-id", "ann@example.com", "ann")
        try done("user", "remove-login-id", "ann")
        try done("user", "assign", "ann@example.com", "--tenant", "ent-1", "--role", "admin")
        try done("user", "unassign", "ann@example.com", "--tenant", "ent-1")
        try done("client", "create", "web", "--redirect-uri", "https://www.example.com/callback")
        try done("client", "rotate-secret", "web")
        try done("client", "remove", "web")
        try done("key", "rotate")
        try done("user", "export", "--output", place.path("users.jsonl"))
        try done("user", "delete", "ann@example.com")
        try done("role", "delete", "admin")
        try done("tenant", "delete", "ent-1")

        let events = try events()
        #expect(
            actions(events) == [
                "tenant.created", "permission.created", "role.created", "user.created", "password.changed",
                "user.status",
                "user.status", "identifier.added", "identifier.removed", "user.roles", "user.tenants",
                "client.registered", "client.secret_changed", "client.removed", "signing_key.added", "users.exported",
                "user.deleted", "role.deleted", "tenant.deleted",
            ])
        #expect(events[9]["reason"] == "assigned" && events[10]["reason"] == "unassigned")
        let actor = JSONValue.string("operator:\(ProcessInfo.processInfo.userName)")
        #expect(events.allSatisfy { $0["actor"] == actor })
        #expect(events[0]["target"] == "ent-1" && events[11]["client"] == "web")
        #expect(events[3]["user"] == events[4]["user"] && events[3]["user"]?.stringValue?.isEmpty == false)
        let text = String(decoding: JSONValue.array(events).serialized, as: UTF8.self)
        #expect(!text.contains(password) && !text.contains("$argon2"))
    }

    @Test func `what a command could not change is not in the audit log`() throws {
        try done("user", "create", "ann@example.com", "--no-password")
        try done("role", "create", "admin")
        try done("user", "unassign", "ann@example.com", "--role", "admin")
        #expect(try place.run("user", "create", "ann@example.com", "--no-password").status == 2)
        #expect(try place.run("user", "delete", "ben@example.com").status == 2)
        #expect(try place.run("client", "remove", "nothing").status == 2)
        #expect(try actions(events()) == ["user.created", "role.created"])
    }

    @Test func `a change and its audit event are one transaction`() async throws {
        let opened = try SQLiteDatabase(path: place.database)
        defer { opened.close() }
        let now = Ambient.live.now()
        let event = AuditEvent(.tenantCreated, at: now, actor: "operator:test", target: "t")
        let stores = opened.stores(recording: [event])
        try await stores.tenants.create(Tenant(id: "t", name: "T", createdAt: now))
        await #expect(throws: StoreError.self) {
            try await stores.tenants.create(Tenant(id: "t", name: "T", createdAt: now))
        }
        _ = try await opened.stores(recording: [event]).tenants.delete("nothing", at: now)
        #expect(try await opened.stores().audit.search(AuditQuery()) == [event])
    }

    @Test func `each imported user has an event, and a rehearsal has none`() throws {
        let rows = "{\"login_ids\":[\"ann@example.com\"]}\n{\"login_ids\":[\"ben@example.com\"]}\n"
        try place.write(rows, "users.jsonl")
        try done("user", "import", place.path("users.jsonl"), "--dry-run")
        #expect(try events().isEmpty)
        try done("user", "import", place.path("users.jsonl"))
        try done("user", "import", place.path("users.jsonl"))
        let events = try events()
        #expect(actions(events) == ["user.created", "user.created"])
        #expect(events.allSatisfy { $0["reason"] == "import" })
    }

    @Test func `each filter changes what is shown`() async throws {
        try done("user", "create", "ann@example.com", "--no-password")
        try done("user", "create", "ben@example.com", "--no-password")
        try done("user", "disable", "ben@example.com")
        try done("client", "create", "web", "--redirect-uri", "https://www.example.com/callback")
        let opened = try SQLiteDatabase(path: place.database)
        try await opened.stores().audit.append([AuditEvent(.signedOut, at: Ambient.live.now() - 3 * 86_400)])
        opened.close()
        #expect(try events().count == 5)
        #expect(try actions(events("--user", "ann@example.com")) == ["user.created"])
        #expect(try actions(events("--client", "web")) == ["client.registered"])
        #expect(try actions(events("--action", "user.status", "--action", "sign_out")) == ["user.status", "sign_out"])
        #expect(try events("--since", "1d").count == 4)
        #expect(try actions(events("--until", "1d")) == ["sign_out"])
        #expect(try actions(events("--limit", "1")) == ["sign_out"])
        try done("user", "delete", "ann@example.com")
        let sub = try #require(try events("--action", "user.deleted").first?["user"]?.stringValue)
        #expect(try actions(events("--user", sub)) == ["user.created", "user.deleted"])
        let table = try place.run("audit", "--user", "ben@example.com")
        #expect(table.output.hasPrefix("TIME") && table.output.contains("ben@example.com  operator:"))
        #expect(try place.run("audit", "--since", "yesterday").status == 2)
    }

    @Test func `following shows what another process writes, a line each`() async throws {
        try done("tenant", "create", "first")
        let (process, output, _) = try place.start(["audit", "--follow", "--json"])
        defer { process.terminate() }
        func lines() throws -> [String] {
            try String(contentsOf: output, encoding: .utf8).split(separator: "\n").map(String.init)
        }
        func wait(for count: Int) async throws {
            for _ in 0..<100 where try lines().count < count { try await Task.sleep(for: .milliseconds(100)) }
            #expect(try lines().count == count)
        }
        try await wait(for: 1)
        try done("tenant", "create", "second")
        try await wait(for: 2)
        #expect(try lines().map { try JSONValue(parsing: $0.utf8)["target"] } == ["first", "second"])
    }

    private static let times: [(String, Int64, Int64)] = [
        ("90m", 994_600, 994_600), ("7d", 395_200, 395_200), ("1970-01-02", 86_400, 172_799),
        ("1970-01-02T00:00:01Z", 86_401, 86_401), ("1970-01-02T02:00:01+02:00", 86_401, 86_401),
    ]

    @Test(arguments: times)
    func `a time is so long ago, a day or a moment`(text: String, first: Int64, last: Int64) throws {
        let now = UnixTime(rawValue: 1_000_000)
        let time = try #require(AuditTime(argument: text))
        #expect(time.first(at: now).rawValue == first && time.last(at: now).rawValue == last)
    }

    @Test(arguments: [
        "", "7", "d", "-1d", "yesterday", "2026-13-01", "7d ago", "2026-02-30", "2026-11-22T23:30", "2026-11-22 ",
    ])
    func `what is no time is refused`(text: String) {
        #expect(AuditTime(argument: text) == nil)
    }
}
