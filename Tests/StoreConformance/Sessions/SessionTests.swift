import KeyturnBase
import Model
import ServerTesting
import Testing

@Suite("Store: browser sessions")
struct SessionTests {
    @Test(arguments: Engines.withValues)
    func `a session is found by its cookie, with its active user, until its end`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        let session = try await bench.openSession(of: andy)
        let (sessions, cookie) = (bench.stores.sessions, bench.digest("cookie session"))
        let found = try #require(try await sessions.session(cookie, at: bench.now + 9_999))
        #expect(found.0 == session && found.1 == andy.user)
        #expect(try await sessions.session(cookie, at: bench.now + 10_000) == nil)
        #expect(try await sessions.session(bench.digest("cookie"), at: bench.now) == nil)
    }

    @Test(arguments: Engines.withValues)
    func `a new sign-in ends the session that the browser had, and its grants stay`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        let old = try await bench.openSession(of: andy, "old")
        let grant = try await bench.openGrant(of: andy, session: old.id)
        let isOpen = try await bench.stores.sessions.create(
            bench.session(of: andy, "new"), epoch: 0, digest: bench.digest("cookie new"),
            replacing: bench.digest("cookie old"), at: bench.now)
        #expect(isOpen)
        #expect(try await !bench.isAlive(session: "old"))
        #expect(try await bench.isAlive(session: "new"))
        #expect(try await bench.isAlive(grant))
    }

    @Test(arguments: Engines.withValues)
    func `a session that goes on under its name has another cookie, and ends with what came from it`(
        _ engine: any Engine
    ) async throws {
        let bench = try await Bench(engine)
        let (sessions, identities) = (bench.stores.sessions, bench.stores.identities)
        let andy = try await bench.user()
        let old = try await bench.openSession(of: andy, "old")
        let grant = try await bench.redeemedGrant(of: andy, session: old.id)
        let key = FederatedIdentity.Key(connectionID: "c", issuer: "i", subject: "s")
        for name in ["first", "second"] {
            try await identities.note(
                session: old.id, of: key, providerSession: name, providerName: nil, expiresAt: bench.now + 9)
        }
        let isOpen = try await sessions.create(
            bench.session(of: andy, "old"), epoch: 0, digest: bench.digest("cookie new"),
            replacing: bench.digest("cookie old"), at: bench.now)
        #expect(isOpen)
        #expect(try await !bench.isAlive(session: "old"))
        #expect(try await bench.isAlive(session: "new"))
        let origin = try #require(try await identities.origin(of: old.id, at: bench.now + 10))
        #expect(origin.providerSession == "second", "the newest, as long as the session")
        #expect(try await sessions.end(old.id, of: andy.user.id, at: bench.now))
        #expect(try await !bench.isAlive(grant))
    }

    @Test(arguments: Engines.withValues)
    func `a sign-in that is refused leaves the session that the browser had`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        try await bench.openSession(of: andy, "old")
        let isOpen = try await bench.stores.sessions.create(
            bench.session(of: andy, "new"), epoch: 7, digest: bench.digest("cookie new"),
            replacing: bench.digest("cookie old"), at: bench.now)
        #expect(!isOpen)
        #expect(try await bench.isAlive(session: "old"))
        #expect(try await !bench.isAlive(session: "new"))
    }

    @Test(arguments: Engines.withValues)
    func `the end of a session ends its grants except offline ones, and queues a notice for each client`(
        _ engine: any Engine
    ) async throws {
        let bench = try await Bench(engine)
        let (andy, bea) = (try await bench.user(), try await bench.user("bea@example.com"))
        for id in ["web", "shop"] {
            try await bench.stores.clients.put(bench.client(id, logoutURI: "https://\(id)/logout"), at: bench.now)
        }
        let session = try await bench.openSession(of: andy)
        let online = try await bench.redeemedGrant(of: andy, session: session.id)
        let offline = bench.grant(of: andy, client: "shop", session: session.id, scope: ["openid", "offline_access"])
        #expect(try await bench.stores.grants.open(offline, epoch: 0, endingOthers: false, at: bench.now))
        let quiet = try await bench.openGrant(of: andy, client: "quiet")
        #expect(try await !bench.stores.sessions.end(session.id, of: bea.user.id, at: bench.now), "not hers")
        #expect(try await bench.isAlive(session: "session"))
        #expect(try await bench.stores.sessions.end(session.id, of: andy.user.id, at: bench.now))
        #expect(try await !bench.stores.sessions.end(session.id, of: andy.user.id, at: bench.now), "once")
        #expect(try await !bench.isAlive(online))
        #expect(try await bench.isAlive(offline))
        #expect(try await bench.isAlive(quiet))
        let grants = bench.stores.grants
        for (seconds, counts) in [(Int64(-1), false), (0, false), (1, true)] {
            let (issued, now) = (bench.now + seconds, bench.now + 2)
            #expect(try await grants.isLive(offline.id, forTokenOf: issued, at: now) == counts, "\(seconds)")
            #expect(try await (grants.live(offline.id, forTokenOf: issued, at: now) != nil) == counts, "\(seconds)")
            #expect(try await grants.isLive(quiet.id, forTokenOf: issued, at: now), "of another session")
        }
        let notices = try await bench.stores.logoutNotices.waiting(limit: 10)
        #expect(Set(notices.map(\.clientID)) == ["web", "shop"] && notices.count == 2)
        #expect(notices.allSatisfy { $0.sessionID == session.id && $0.userID == andy.user.id })
    }

    @Test(arguments: Engines.withValues)
    func `a provider ends what came from a session, also after another user took its browser`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        let (sessions, identities) = (bench.stores.sessions, bench.stores.identities)
        let (andy, bea) = (try await bench.user(), try await bench.user("bea@example.com"))
        for id in ["web", "shop"] {
            try await bench.stores.clients.put(bench.client(id, logoutURI: "https://\(id)/logout"), at: bench.now)
        }
        let old = try await bench.openSession(of: andy, "old")
        try await identities.note(
            session: old.id, of: FederatedIdentity.Key(connectionID: "c", issuer: "i", subject: "s"),
            providerSession: "p", providerName: nil, expiresAt: old.expiresAt)
        let online = try await bench.redeemedGrant(of: andy, session: old.id)
        let offline = bench.grant(of: andy, client: "shop", session: old.id, scope: ["openid", "offline_access"])
        #expect(try await bench.stores.grants.open(offline, epoch: 0, endingOthers: false, at: bench.now))
        let isOpen = try await sessions.create(
            bench.session(of: bea, "new"), epoch: 0, digest: bench.digest("cookie new"),
            replacing: bench.digest("cookie old"), at: bench.now)
        #expect(isOpen)
        let hers = try await bench.openGrant(of: bea, client: "hers", session: SessionID(rawValue: "new"))
        #expect(try await !sessions.end(old.id, of: andy.user.id, at: bench.now), "no session any more")
        #expect(try await !sessions.endByProvider(old.id, of: bea.user.id, at: bench.now), "not hers")
        #expect(try await bench.isAlive(online))
        #expect(try await sessions.endByProvider(old.id, of: andy.user.id, at: bench.now))
        #expect(try await !sessions.endByProvider(old.id, of: andy.user.id, at: bench.now), "once")
        #expect(try await !bench.isAlive(online))
        #expect(try await bench.isAlive(offline))
        #expect(try await !bench.stores.grants.isLive(offline.id, forTokenOf: bench.now, at: bench.now + 1))
        let notices = try await bench.stores.logoutNotices.waiting(limit: 10)
        #expect(Set(notices.map(\.clientID)) == ["web", "shop"] && notices.count == 2)
        #expect(notices.allSatisfy { $0.sessionID == old.id && $0.userID == andy.user.id })
        #expect(try await bench.isAlive(session: "new"))
        #expect(try await bench.isAlive(hers))
    }

    @Test(arguments: Engines.withValues)
    func `a provider ends an open session, and nothing of one that its user signed out`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        let (sessions, identities) = (bench.stores.sessions, bench.stores.identities)
        let andy = try await bench.user()
        let key = FederatedIdentity.Key(connectionID: "c", issuer: "i", subject: "s")
        for name in ["open", "closed"] {
            let session = try await bench.openSession(of: andy, name)
            for provider in ["p1", "p2"] {
                try await identities.note(
                    session: session.id, of: key, providerSession: provider, providerName: nil,
                    expiresAt: session.expiresAt)
            }
        }
        let closed = SessionID(rawValue: "closed")
        let offline = try await bench.openGrant(of: andy, session: closed, scope: ["openid", "offline_access"])
        #expect(try await sessions.end(closed, of: andy.user.id, at: bench.now))
        #expect(try await !sessions.endByProvider(closed, of: andy.user.id, at: bench.now + 5))
        #expect(try await bench.stores.grants.isLive(offline.id, forTokenOf: bench.now + 1, at: bench.now + 6))
        let known = try await identities.sessions(of: key, providerSession: nil, at: bench.now)
        #expect(known.map(\.id.rawValue) == ["open"])
        #expect(try await sessions.endByProvider(SessionID(rawValue: "open"), of: andy.user.id, at: bench.now))
        #expect(try await !bench.isAlive(session: "open"))
        #expect(try await identities.sessions(of: key, providerSession: nil, at: bench.now).isEmpty)
    }

    @Test(arguments: Engines.withValues)
    func `of a hundred ends of one session one counts`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        let session = try await bench.openSession(of: andy)
        let ended = try await bench.race { [now = bench.now] stores, _ in
            try await stores.sessions.end(session.id, of: andy.user.id, at: now)
        }
        #expect(ended.count { $0 } == 1)
    }

    @Test(arguments: Engines.withValues)
    func `sessions are listed with the newest use first`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        for (name, second) in [("one", Int64(1)), ("two", 2), ("three", 3)] {
            try await bench.openSession(of: andy, name, at: bench.now + second)
        }
        try await bench.openSession(of: try await bench.user("bea@example.com"), "hers")
        let grant = bench.grant(of: andy, session: SessionID(rawValue: "one"), at: bench.now + 9)
        #expect(try await bench.stores.grants.add(grant, code: bench.code(), ticket: nil) == .added)
        let (sessions, id) = (bench.stores.sessions, andy.user.id)
        let listed = try await sessions.sessions(of: id, limit: 10, at: bench.now + 10)
        #expect(listed.map(\.session.id.rawValue) == ["one", "three", "two"])
        #expect(listed.first?.usedAt == bench.now + 9)
        #expect(try await sessions.sessions(of: id, limit: 2, at: bench.now + 10) == Array(listed.prefix(2)))
        #expect(try await sessions.sessions(of: id, limit: 9, at: bench.now + 10_002).count == 1, "two are over")
    }

    @Test(arguments: Engines.withValues)
    func `a cookie takes the place of another, in a live session alone`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let session = try await bench.openSession(of: try await bench.user())
        let (sessions, fresh) = (bench.stores.sessions, bench.digest("fresh"))
        #expect(try await sessions.replaceCookie(of: session.id, by: fresh, at: bench.now))
        #expect(try await sessions.session(bench.digest("cookie session"), at: bench.now) == nil)
        #expect(try await sessions.session(fresh, at: bench.now)?.0.id == session.id)
        #expect(try await !sessions.replaceCookie(of: session.id, by: bench.digest("late"), at: bench.now + 10_000))
        let unknown = SessionID(rawValue: "unknown")
        #expect(try await !sessions.replaceCookie(of: unknown, by: bench.digest("x"), at: bench.now))
    }

    @Test(arguments: Engines.withValues)
    func `what was shown beside is written down, in a live session alone`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let session = try await bench.openSession(of: try await bench.user())
        let facts = AuthenticationFacts(time: bench.now + 5, methods: ["pwd", "otp", "mfa"], contextClass: "strong")
        try await bench.stores.sessions.strengthen(session.id, to: facts, at: bench.now + 10_000)
        let cookie = bench.digest("cookie session")
        #expect(
            try await bench.stores.sessions.session(cookie, at: bench.now)?.0.authentication == session.authentication)
        try await bench.stores.sessions.strengthen(session.id, to: facts, at: bench.now + 5)
        #expect(try await bench.stores.sessions.session(cookie, at: bench.now)?.0.authentication == facts)
    }

    @Test(arguments: Engines.withValues)
    func `all sessions but one end, with every grant wherever it came from`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        try await bench.stores.clients.put(bench.client("web", logoutURI: "https://web/logout"), at: bench.now)
        let kept = try await bench.openSession(of: andy, "kept")
        let other = try await bench.openSession(of: andy, "other")
        let grants = [
            try await bench.openGrant(of: andy, session: kept.id),
            try await bench.openGrant(of: andy, session: other.id),
            try await bench.openGrant(of: andy, scope: ["openid", "offline_access"]),
        ]
        try await bench.stores.sessions.endOthers(of: andy.user.id, keeping: kept.id, at: bench.now)
        #expect(try await bench.isAlive(session: "kept"))
        #expect(try await !bench.isAlive(session: "other"))
        for grant in grants { #expect(try await !bench.isAlive(grant)) }
        #expect(try await bench.epoch(of: andy) == 1)
        let notices = try await bench.stores.logoutNotices.waiting(limit: 10)
        #expect(Set(notices.map(\.sessionID)) == [kept.id, other.id, SessionID(of: grants[2].id)])
    }

    @Test(arguments: Engines.withValues)
    func `a session that an app opened is not listed, and ends with the app's grant or the next one of it`(
        _ engine: any Engine
    ) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        let grant = try await bench.redeemedGrant(of: andy)
        func open(_ name: String) async throws -> Bool {
            let plain = bench.session(of: andy, name)
            let session = BrowserSession(
                id: plain.id, userID: andy.user.id, authentication: plain.authentication, createdAt: bench.now,
                expiresAt: plain.expiresAt, openedBy: grant.id)
            return try await bench.stores.sessions.create(
                session, epoch: 0, digest: bench.digest("cookie \(name)"), replacing: nil, at: bench.now)
        }
        #expect(try await open("one"))
        let found = try #require(try await bench.stores.sessions.session(bench.digest("cookie one"), at: bench.now))
        #expect(found.0.openedBy == grant.id)
        #expect(try await open("two"))
        #expect(try await !bench.isAlive(session: "one"))
        #expect(try await bench.isAlive(session: "two"))
        #expect(try await bench.stores.sessions.sessions(of: andy.user.id, limit: 9, at: bench.now).isEmpty)
        let other = try await bench.openGrant(of: andy, client: "other")
        let kept = try #require(try await bench.stores.sessions.session(bench.digest("cookie two"), at: bench.now))
        try await bench.stores.sessions.endOthers(of: andy.user.id, keeping: kept.0.id, at: bench.now)
        #expect(try await !bench.isAlive(other))
        #expect(try await bench.isAlive(grant))
        #expect(try await bench.isAlive(session: "two"))
        try await bench.stores.sessions.endOthers(of: andy.user.id, keeping: found.0.id, at: bench.now)
        #expect(try await !bench.isAlive(grant))
        #expect(try await !bench.isAlive(session: "two"))
        #expect(try await !open("three"), "the grant is over")
    }
}
