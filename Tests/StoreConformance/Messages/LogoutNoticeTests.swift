import KeyturnBase
import Model
import ServerTesting
import Testing

@Suite("Store: the queue of logout notices")
struct LogoutNoticeTests {
    /// Ends sessions of a user, each with a live grant of a client that wants to hear of it.
    private func endSessions(_ count: Int, _ bench: Bench) async throws {
        let andy = try await bench.user()
        for number in 0..<count {
            let client = "client \(number)"
            try await bench.stores.clients.put(
                bench.client(client, logoutURI: "https://client/logout"), at: bench.now)
            let session = try await bench.openSession(of: andy, "session \(number)")
            _ = try await bench.openGrant(of: andy, client: client, session: session.id)
        }
        #expect(try await !bench.stores.logoutNotices.hasDue(at: bench.now))
        _ = try await bench.stores.grants.endEverything(of: andy.user.id, reason: .logout, at: bench.now)
    }

    @Test(arguments: Engines.withValues)
    func `of a hundred callers one gets each notice`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        try await endSessions(10, bench)
        #expect(try await bench.stores.logoutNotices.hasDue(at: bench.now))
        let claims = try await bench.race { [now = bench.now] stores, _ in
            try await stores.logoutNotices.claim(limit: 2, leaseSeconds: 20, at: now)
        }
        let claimed = claims.flatMap(\.self)
        #expect(claims.allSatisfy { $0.count <= 2 })
        #expect(claimed.count == 10 && Set(claimed.map(\.notice.number)).count == 10)
        #expect(try await !bench.stores.logoutNotices.hasDue(at: bench.now + 19))
        #expect(try await bench.stores.logoutNotices.hasDue(at: bench.now + 20))
    }

    @Test(arguments: Engines.withValues)
    func `a claim that is over removes and postpones nothing`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (notices, now) = (bench.stores.logoutNotices, bench.now)
        try await endSessions(1, bench)
        let first = try #require(try await notices.claim(limit: 9, leaseSeconds: 20, at: now).first)
        let second = try #require(try await notices.claim(limit: 9, leaseSeconds: 20, at: now + 20).first)
        #expect(first.attempt == 1 && second.attempt == 2 && first.notice == second.notice)
        #expect(try await !notices.remove(first))
        #expect(try await !notices.postpone(first, until: now + 500))
        #expect(try await notices.postpone(second, until: now + 100))
        #expect(try await !notices.hasDue(at: now + 99))
        let third = try #require(try await notices.claim(limit: 9, leaseSeconds: 20, at: now + 100).first)
        #expect(try await notices.remove(third))
        #expect(try await !notices.remove(third))
        #expect(try await notices.waiting(limit: 9).isEmpty)
    }

    @Test(arguments: Engines.withValues)
    func `the oldest are listed first, and those with the fewest attempts are claimed first`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        let (notices, now) = (bench.stores.logoutNotices, bench.now)
        try await endSessions(3, bench)
        let waiting = try await notices.waiting(limit: 9)
        #expect(waiting.map(\.number) == waiting.map(\.number).sorted() && waiting.count == 3)
        #expect(try await notices.waiting(limit: 2) == Array(waiting.prefix(2)))
        let first = try #require(try await notices.claim(limit: 1, leaseSeconds: 20, at: now).first)
        #expect(try await notices.postpone(first, until: now))
        let next = try await notices.claim(limit: 2, leaseSeconds: 20, at: now)
        #expect(next.allSatisfy { $0.attempt == 1 } && !next.map(\.notice).contains(first.notice))
    }

    @Test(arguments: Engines.withValues)
    func `whatever ends a grant tells its client, and those of the grants that derive from it`(_ engine: any Engine)
        async throws
    {
        let ends: [(String, @Sendable (Stores, Grant, UnixTime) async throws -> Void)] = [
            ("its client", { _ = try await $0.grants.end($1.id, clientID: "web", reason: .revoked, at: $2) }),
            ("its user", { _ = try await $0.grants.end($1.id, of: $1.userID, reason: .revoked, at: $2) }),
            ("all of the user's", { _ = try await $0.grants.endAll(of: $1.userID, reason: .administrator, at: $2) }),
            ("a withdrawn consent", { try await $0.consents.withdraw(from: $1.userID, to: "web", at: $2) }),
            ("the user's end", { _ = try await $0.users.delete($1.userID, at: $2) }),
        ]
        for (name, end) in ends {
            let bench = try await Bench(engine)
            let andy = try await bench.user()
            for id in ["web", "sister"] {
                try await bench.stores.clients.put(bench.client(id, logoutURI: "https://\(id)/logout"), at: bench.now)
            }
            let session = try await bench.openSession(of: andy)
            let grant = try await bench.openGrant(
                of: andy, session: session.id, scope: ["openid", "offline_access"])
            let sister = bench.grant(of: andy, client: "sister")
            #expect(try await bench.stores.grants.derive(sister, from: grant.id, at: bench.now))
            let own = try await bench.openGrant(of: andy)
            try await end(bench.stores, grant, bench.now + 1)
            let told = try await bench.stores.logoutNotices.waiting(limit: 9)
            #expect(Set(told.map(\.clientID)) == ["web", "sister"], "\(name)")
            let isWhole = name != "its client" && name != "its user"
            let sessions: Set = isWhole ? [session.id, SessionID(of: own.id)] : [session.id]
            #expect(Set(told.map(\.sessionID)) == sessions, "\(name)")
            #expect(told.allSatisfy { $0.userID == andy.user.id && $0.createdAt == bench.now + 1 }, "\(name)")
        }
    }

    @Test(arguments: Engines.withValues)
    func `a session that ends once more while its notice is on the way is told once more`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        let (notices, now) = (bench.stores.logoutNotices, bench.now)
        let andy = try await bench.user()
        try await bench.stores.clients.put(bench.client("web", logoutURI: "https://web/logout"), at: now)
        let session = try await bench.openSession(of: andy)
        let grants = [
            try await bench.openGrant(of: andy, session: session.id),
            try await bench.openGrant(of: andy, session: session.id),
        ]
        func end(_ number: Int, _ seconds: Int64) async throws {
            let ended = try await bench.stores.grants.end(
                grants[number].id, clientID: "web", reason: .revoked, at: now + seconds)
            #expect(ended)
        }
        try await end(0, 0)
        let first = try #require(try await notices.claim(limit: 9, leaseSeconds: 20, at: now).first)
        try await end(1, 5)
        #expect(try await notices.hasDue(at: now + 5), "at once, though the first is on the way")
        #expect(try await !notices.remove(first), "it was signed before the second one ended")
        #expect(try await !notices.postpone(first, until: now + 500))
        let second = try #require(try await notices.claim(limit: 9, leaseSeconds: 20, at: now + 5).first)
        #expect(second.notice.createdAt == now + 5 && second.notice.sessionID == session.id && second.attempt == 1)
        #expect(try await notices.remove(second))
        #expect(try await notices.waiting(limit: 9).isEmpty)
    }

    @Test(arguments: Engines.withValues)
    func `a caller takes no more notices of a client than it wants, and none of a busy one`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        let (notices, now) = (bench.stores.logoutNotices, bench.now)
        let andy = try await bench.user()
        for id in ["slow", "quick"] {
            try await bench.stores.clients.put(bench.client(id, logoutURI: "https://\(id)/logout"), at: now)
            for _ in 0..<5 { _ = try await bench.openGrant(of: andy, client: id) }
        }
        _ = try await bench.stores.grants.endEverything(of: andy.user.id, reason: .logout, at: now)
        func claim(_ max: Int, except busy: Set<String> = []) async throws -> [String] {
            try await notices.claim(limit: 9, ofClientMax: max, except: busy, leaseSeconds: 20, at: now)
                .map(\.notice.clientID).sorted()
        }
        #expect(try await claim(1) == ["quick", "slow"])
        #expect(try await claim(2, except: ["slow", "gone"]) == ["quick", "quick"])
        #expect(try await claim(9, except: ["slow", "quick"]).isEmpty)
        #expect(try await claim(9) == ["quick", "quick"] + Array(repeating: "slow", count: 4))
    }

    @Test(arguments: Engines.withValues)
    func `of a hundred ends of one session its client is told once`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        try await bench.stores.clients.put(bench.client("web", logoutURI: "https://web/logout"), at: bench.now)
        let session = try await bench.openSession(of: andy)
        for _ in 0..<3 { _ = try await bench.openGrant(of: andy, session: session.id) }
        _ = try await bench.race { [now = bench.now] stores, number in
            if number % 2 == 0 {
                _ = try await stores.sessions.end(session.id, of: andy.user.id, at: now)
            } else {
                _ = try await stores.grants.endEverything(of: andy.user.id, reason: .logout, at: now)
            }
        }
        #expect(try await bench.stores.logoutNotices.waiting(limit: 9).count == 1)
    }
}
