import KeyturnBase
import Model
import ServerTesting
import Testing

@Suite("Store: audit events")
struct AuditTests {
    private func event(_ number: Int64, _ bench: Bench) -> AuditEvent {
        AuditEvent(.signedIn, at: bench.now + number, address: "192.0.2.\(number)")
    }

    @Test(arguments: Engines.all)
    func `events keep their order, and their numbers grow`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let audit = bench.stores.audit
        #expect(try await audit.head().number == 0)
        let events = (0..<5).map { event($0, bench) }
        try await audit.append(Array(events[..<3]))
        try await audit.append([])
        try await audit.append(Array(events[3...]))
        #expect(try await audit.newest(limit: 9) == events.reversed())
        #expect(try await audit.newest(limit: 2) == [events[4], events[3]])
        var query = AuditQuery()
        query.order = .oldestFirst
        let records = try await audit.records(query)
        #expect(records.map(\.event) == events)
        #expect(records.map(\.number) == Set(records.map(\.number)).sorted())
        #expect(try await audit.head().number == records.last?.number)
    }

    @Test(arguments: Engines.withValues)
    func `of parallel batches each stays together and in order`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        _ = try await bench.race(20) { stores, batch in
            try await stores.audit.append(
                (0..<10).map { AuditEvent(.signedIn, at: bench.now, reason: "\($0)", target: "\(batch)") })
        }
        var query = AuditQuery()
        query.order = .oldestFirst
        let records = try await bench.stores.audit.records(query)
        #expect(records.count == 200)
        for batch in 0..<20 {
            let own = records.filter { $0.event.target == "\(batch)" }
            #expect(own.compactMap(\.event.reason) == (0..<10).map { "\($0)" })
        }
    }

    @Test(arguments: Engines.withValues)
    func `a search finds by each of its conditions, and by pages`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (audit, now) = (bench.stores.audit, bench.now)
        var andy = try bench.account("andy@example.com", "andy")
        andy.memberships.tenants = ["t1": []]
        try await bench.stores.tenants.create(Tenant(id: "t1", name: "T", createdAt: now))
        try await bench.stores.users.create(andy, authenticator: nil)
        try await audit.append([
            AuditEvent(
                .signedIn, at: now, userID: andy.user.id, clientID: "web", address: "192.0.2.1", reason: "pwd otp"),
            AuditEvent(.signInFailed, at: now + 1, clientID: "web", address: "192.0.2.2", reason: "pwd"),
            AuditEvent(.tenantCreated, at: now + 2, actor: "operator:andy", target: "t1"),
            AuditEvent(.signedIn, at: now + 3, userID: .make(.live), clientID: "app", reason: "potpourri"),
        ])
        func found(_ change: (inout AuditQuery) -> Void) async throws -> [Int64] {
            var query = AuditQuery()
            query.order = .oldestFirst
            change(&query)
            let records = try await audit.records(query)
            #expect(try await audit.count(query) == records.count || query.limit < 9)
            return records.map { $0.event.at.seconds(since: now) }
        }
        #expect(try await found { _ in } == [0, 1, 2, 3])
        #expect(try await found { $0.kinds = [.signedIn] } == [0, 3])
        #expect(try await found { $0.excludedKinds = [.signedIn, .signInFailed] } == [2])
        #expect(try await found { $0.users = [andy.user.id] } == [0])
        let names = try ["andy", "bea"].map { try bench.identifier($0) }
        #expect(try await found { $0.loginIDs = names } == [0])
        let many = try (0..<1_000).map { try bench.identifier("user\($0)@example.com") }
        #expect(try await found { $0.loginIDs = many } == [], "as many as a search may name")
        #expect(try await found { $0.tenants = ["t1", "t2"] } == [0])
        #expect(
            try await found {
                $0.tenants = ["t2"]
                $0.includesNoTenant = true
            } == [1, 2, 3])
        #expect(try await found { $0.clients = ["web"] } == [0, 1])
        #expect(try await found { $0.actors = ["operator:andy"] } == [2])
        #expect(try await found { $0.addresses = ["192.0.2.1", "192.0.2.2"] } == [0, 1])
        #expect(try await found { $0.methods = ["otp", "x"] } == [0], "a whole word, of a sign-in")
        #expect(try await found { $0.from = now + 1 } == [1, 2, 3])
        #expect(try await found { $0.to = now + 1 } == [0, 1])
        #expect(try await found { $0.text = "192.0.2" } == [0, 1])
        #expect(try await found { $0.text = "%" } == [])
        let second = try await audit.records(AuditQuery()).last { $0.event.kind == .signInFailed }?.number
        #expect(try await found { $0.after = second } == [2, 3])
        var pages: [[Int64]] = []
        for page in 0..<3 {
            pages.append(
                try await found {
                    $0.order = .newestFirst
                    ($0.limit, $0.page) = (2, page)
                })
        }
        #expect(pages == [[3, 2], [1, 0], []])
        let record = try #require(try await audit.records(AuditQuery()).last)
        #expect(record.loginIDs == ["andy", "andy@example.com"] && record.tenants == ["t1"])
    }

    @Test(arguments: Engines.all)
    func `old events are removed, so many at a time`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let audit = bench.stores.audit
        try await audit.append((0..<5).map { event($0, bench) })
        #expect(try await audit.remove(before: bench.now, limit: 9, at: bench.now + 9) == 0)
        #expect(try await audit.remove(before: bench.now + 3, limit: 2, at: bench.now + 9) == 2)
        #expect(try await audit.remove(before: bench.now + 3, limit: 2, at: bench.now + 9) == 1)
        #expect(try await audit.newest(limit: 9) == [event(4, bench), event(3, bench)])
        let last = try await audit.head().number
        _ = try await audit.remove(before: bench.now + 9, limit: 9, at: bench.now + 9)
        try await audit.append([event(7, bench)])
        #expect(try await audit.head().number > last, "no number comes again")
    }
}
