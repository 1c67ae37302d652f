import Foundation
import KeyturnBase
import Model
@testable import StoreSQL
import Testing

@testable import keyturn

@Suite("The audit log is verified and exported")
struct AuditVerifyTests {
    let place: Place

    init() throws {
        place = try Place()
    }

    /// So many tenants, each with its event.
    private func fill(_ count: Int) async throws {
        let opened = try SQLiteDatabase(path: place.database)
        defer { opened.close() }
        let now = Ambient.live.now()
        try await opened.stores().audit.append(
            (1...count).map { AuditEvent(.tenantCreated, at: now, actor: "operator:test", target: "t\($0)") })
    }

    private func change(_ sql: String) async throws {
        let opened = try SQLiteDatabase(path: place.database)
        defer { opened.close() }
        _ = try await opened.write(.guarded) { db in try db.run(sql, []) }
    }

    @Test func `a log as it was written is verified, and its newest digest is printed`() async throws {
        try await fill(2_500)
        let run = try place.run("audit", "verify")
        #expect(run.status == 0 && run.output.contains("2500 events follow each other."))
        let report = try JSONValue(parsing: Array(try place.run("audit", "verify", "--json").output.utf8))
        let digest = try #require(report["digest"]?.stringValue)
        #expect(report["intact"] == true && report["events"] == 2_500 && run.output.contains(digest))
        try await fill(1)
        #expect(try place.run("audit", "verify", "--digest", digest).status == 0)
        #expect(try place.run("audit", "verify", "--digest", String(repeating: "0", count: 64)).status == 1)
        #expect(try place.run("audit", "verify", "--digest", "abc").status == 2)
    }

    @Test(arguments: [
        "UPDATE audit_event SET target = 't9' WHERE number = 2", "DELETE FROM audit_event WHERE number = 2",
        "DELETE FROM audit_event WHERE number = 4", "UPDATE audit_event SET at = at - 1 WHERE number = 1",
        "INSERT INTO audit_event (kind, at) VALUES ('sign_out', 1)",
    ])
    func `a log that was changed by hand is not`(_ sql: String) async throws {
        try await fill(4)
        try await change(sql)
        let run = try place.run("audit", "verify")
        #expect(run.status == 1 && run.output.contains("Not as it was written"))
    }

    @Test func `an export has every event once, and its lines are a chain`() async throws {
        try await fill(2_100)
        let path = place.path("audit.jsonl")
        #expect(try place.run("audit", "export", "--output", path).status == 0)
        #expect(try place.run("audit", "export", "--output", path).status == 2, "it is there already")
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        let events = try lines.map { try JSONValue(parsing: Array($0.utf8)) }
        #expect(events.count == 2_100)
        #expect(zip(events, events.dropFirst()).allSatisfy { $0["digest"] == $1["previous"] })
        #expect(Set(events.compactMap { $0["target"]?.stringValue }).count == 2_100)
        let some = try place.run("audit", "export", "--action", "sign_out")
        #expect(some.status == 0 && some.output.isEmpty)
    }
}
