import KeyturnBase
import Model
import Testing

@testable import StoreSQL

@Suite("PostgreSQL: audit events by months")
struct MonthlyPartitionTests {
    private let year: Int64 = 365 * 86_400

    /// A moment in UTC, from its ISO 8601 form.
    private func moment(_ text: String, _ session: SQLSession) throws -> UnixTime {
        let sql = "SELECT extract(epoch FROM ?::text::timestamptz)::bigint AS at"
        return try #require(try session.first(sql, [text])).time("at")
    }

    /// The partitions with how many events are in each.
    private func partitions(_ session: SQLSession) throws -> [String: Int] {
        let names = try session.search(
            "SELECT relname::text AS name FROM pg_class WHERE relispartition AND relkind = 'r'", []
        ).map { $0["name"] as String }
        return try names.reduce(into: [:]) { counts, name in
            counts[name] = try session.search("SELECT count(*) AS count FROM \(name)", []).first?["count"]
        }
    }

    private func event(_ at: UnixTime) -> AuditEvent { AuditEvent(.signedIn, at: at, userID: UserID(rawValue: "u")) }

    @Test func `this month and the next are made ahead, and a month that is over goes whole`() async throws {
        let sandbox = try PostgreSQLSandbox()
        let database = try sandbox.database()
        let (audit, session) = (database.stores().audit, try sandbox.session())
        let november = try moment("2026-11-20T12:00:00Z", session)
        #expect(try await audit.remove(before: november - year, limit: 9, at: november) == 0)
        #expect(
            try partitions(session)
                == ["audit_event_rest": 0, "audit_event_2026_11": 0, "audit_event_2026_12": 0])

        let ends = try moment("2026-12-01T00:00:00Z", session)
        try await audit.append([november, ends - 1, ends, november + 90 * 86_400].map(event))
        #expect(
            try partitions(session)
                == ["audit_event_rest": 1, "audit_event_2026_11": 2, "audit_event_2026_12": 1])
        #expect(try await audit.newest(limit: 2).map(\.at) == [november + 90 * 86_400, ends])
        #expect(try await audit.records(AuditQuery()).map(\.number) == [4, 3, 2, 1])

        // A partition that an operator made is left alone.
        try sandbox.connection().script(
            "CREATE TABLE audit_event_0_archive PARTITION OF audit_event FOR VALUES FROM (0) TO (9)")
        // An event that is too old stays until its month is.
        #expect(try await audit.remove(before: november + 1, limit: 9, at: november + 1 + year) == 0)
        #expect(try partitions(session)["audit_event_2026_11"] == 2)
        #expect(try await audit.remove(before: ends, limit: 9, at: ends + year) == 0)
        #expect(
            Set(try partitions(session).keys) == [
                "audit_event_rest", "audit_event_0_archive", "audit_event_2026_12", "audit_event_2027_11",
                "audit_event_2027_12",
                "audit_event_2028_01",
            ])
        #expect(try await audit.records(AuditQuery()).map(\.number) == [4, 3])
        #expect(try await audit.head().number == 4)
        database.close()
    }

    @Test func `a month whose events are in the rest stays there, and they go one by one`() async throws {
        let sandbox = try PostgreSQLSandbox()
        let database = try sandbox.database()
        let (audit, session) = (database.stores().audit, try sandbox.session())
        let november = try moment("2026-11-20T12:00:00Z", session)
        try await audit.append((0..<3).map { event(november + $0) })
        #expect(try await audit.remove(before: november - year, limit: 9, at: november) == 0)
        #expect(try partitions(session) == ["audit_event_rest": 3, "audit_event_2026_12": 0])
        #expect(try await audit.remove(before: november + 2, limit: 1, at: november + 9) == 1)
        #expect(try await audit.remove(before: november + 2, limit: 9, at: november + 9) == 1)
        #expect(try partitions(session)["audit_event_rest"] == 1)
        database.close()
    }

    @Test func `twelve servers make the same months together, while others write and read`() async throws {
        let sandbox = try PostgreSQLSandbox()
        let database = try sandbox.database(connectionsMax: 16)
        let (audit, session) = (database.stores().audit, try sandbox.session())
        let november = try moment("2026-11-30T23:59:50Z", session)
        let year = year
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<12 {
                group.addTask { _ = try await audit.remove(before: november - year, limit: 9, at: november) }
            }
            for offset in Int64(0)..<20 {
                group.addTask {
                    try await audit.append([AuditEvent(.signedIn, at: november + 60 * 86_400 + offset)])
                    _ = try await audit.newest(limit: 5)
                }
            }
            try await group.waitForAll()
        }
        #expect(try partitions(session)["audit_event_2026_12"] == 0)
        #expect(try await audit.count(AuditQuery()) == 20)
        database.close()
    }

    @Test func `what waits for a long reader gives way to those behind it`() async throws {
        let sandbox = try PostgreSQLSandbox()
        let database = try sandbox.database()
        let (audit, session) = (database.stores().audit, try sandbox.session())
        let november = try moment("2026-11-20T12:00:00Z", session)
        _ = try await audit.remove(before: november - year, limit: 9, at: november)
        let reader = try sandbox.connection()
        try reader.script("BEGIN; SELECT count(*) FROM audit_event")
        // November is over: its partition cannot be dropped while it is read.
        async let removal = audit.remove(before: november + 40 * 86_400, limit: 9, at: november + year)
        for offset in Int64(0)..<8 { try await audit.append([event(november + offset)]) }
        try reader.script("COMMIT")
        _ = try await removal
        #expect(try partitions(session)["audit_event_2026_11"] == nil)
        database.close()
    }
}
