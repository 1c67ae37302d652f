import KeyturnBase
import Model
import ServerTesting
import Testing

@Suite("Store: grants without codes, and their ends")
struct GrantTests {
    @Test(arguments: Engines.withValues)
    func `what is opened comes back as it was, with its user`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        var grant = bench.grant(of: andy, scope: ["openid", "offline_access"], key: "key")
        (grant.wantsBearer, grant.tenantID) = (true, "t")
        grant.sessionClaims = SessionClaims(
            client: ["k": 1], management: ["m": "x"], acting: .init(user: "bea", epoch: 3, isOperator: true))
        #expect(try await bench.stores.grants.open(grant, epoch: 0, endingOthers: false, at: bench.now))
        let live = try #require(try await bench.stores.grants.live(grant.id, at: bench.now))
        #expect(live.grant == grant && live.user == andy.user)
        #expect(try await bench.stores.grants.presented(grant.id, at: bench.now)?.account == andy)
        #expect(try await bench.stores.grants.grants(of: andy.user.id, limit: 10, at: bench.now) == [grant])
    }

    @Test(arguments: Engines.withValues)
    func `a grant of a user who may not sign in is not alive, and is not opened`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        let grant = try await bench.openGrant(of: andy)
        for status in [User.Status.disabled, .expired] {
            let changed = try await bench.stores.users.change(andy.user.id, at: bench.now) { $0.user.status = status }
            #expect(changed.user.status == status)
            #expect(try await !bench.stores.grants.isLive(grant.id, at: bench.now))
            #expect(try await bench.stores.grants.presented(grant.id, at: bench.now) == nil)
            let epoch = try await bench.epoch(of: andy)
            let another = bench.grant(of: andy)
            #expect(
                try await !bench.stores.grants.open(another, epoch: epoch, endingOthers: false, at: bench.now))
            #expect(try await bench.stores.grants.live(another.id, at: bench.now) == nil)
        }
    }

    @Test(arguments: Engines.withValues)
    func `a sign-in that ends the others leaves itself alone`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        let old = try await bench.openGrant(of: andy)
        try await bench.openSession(of: andy)
        let new = bench.grant(of: andy, client: "phone")
        #expect(try await bench.stores.grants.open(new, epoch: 0, endingOthers: true, at: bench.now))
        #expect(try await !bench.isAlive(old))
        #expect(try await !bench.isAlive(session: "session"))
        #expect(try await bench.isAlive(new))
        let late = bench.grant(of: andy)
        #expect(try await !bench.stores.grants.open(late, epoch: 0, endingOthers: false, at: bench.now))
    }

    @Test(arguments: Engines.withValues)
    func `of a hundred sign-ins that end the others one stays`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        let grants = (0..<100).map { _ in bench.grant(of: andy) }
        let opened = try await bench.race { [now = bench.now] stores, number in
            try await stores.grants.open(grants[number], epoch: 0, endingOthers: true, at: now)
        }
        #expect(opened.count { $0 } == 1, "the first one raises the epoch")
        #expect(try await bench.stores.grants.grants(of: andy.user.id, limit: 200, at: bench.now).count == 1)
    }

    @Test(arguments: Engines.withValues)
    func `what goes on from another grant ends it when it is first used`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        let first = try await bench.openGrant(of: andy)
        var second = bench.grant(of: andy, superseding: first.id)
        (second.tenantID, second.sessionClaims) = ("t", SessionClaims(client: ["k": 1]))
        #expect(try await bench.stores.grants.open(second, epoch: 0, endingOthers: false, at: bench.now))
        #expect(try await bench.isAlive(first), "its successor's answer may have been lost")
        guard case .renewed(let renewed) = try await bench.renew(second, counter: 0) else {
            throw StoreError(.missing)
        }
        #expect(renewed.tenantID == "t" && renewed.sessionClaims.client == ["k": 1])
        #expect(try await bench.stores.grants.presented(second.id, at: bench.now)?.account == andy)
        #expect(try await !bench.isAlive(first))
        #expect(try await bench.renew(first, counter: 0) == .ended(.superseded))
    }

    @Test(arguments: Engines.withValues)
    func `a live grant is stepped up in its own epoch, for its own user`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (andy, bob) = (try await bench.user(), try await bench.user("bob@example.com"))
        let grant = try await bench.openGrant(of: andy)
        let other = try await bench.openGrant(of: andy)
        let facts = AuthenticationFacts(time: bench.now + 5, methods: ["pwd", "otp", "mfa"], contextClass: "2")
        func stepUp(_ user: Account, epoch: Int64 = 0, endingOthers: Bool = false, later: Int64 = 0) async throws
            -> Bool
        {
            try await bench.stores.grants.stepUp(
                grant.id, of: user.user.id, to: facts, claims: SessionClaims(client: ["k": 1]), epoch: epoch,
                endingOthers: endingOthers, at: bench.now + later)
        }
        for refused in [
            try await stepUp(bob), try await stepUp(andy, epoch: 1), try await stepUp(andy, later: 2_000),
        ] {
            #expect(!refused)
        }
        #expect(
            try await bench.stores.grants.live(grant.id, at: bench.now)?.grant.authentication == grant.authentication)
        #expect(try await stepUp(andy))
        #expect(try await bench.isAlive(other))
        let live = try #require(try await bench.stores.grants.live(grant.id, at: bench.now))
        #expect(live.grant.authentication == facts && live.grant.sessionClaims.client == ["k": 1])
        #expect(try await stepUp(andy, endingOthers: true))
        #expect(try await bench.isAlive(grant))
        #expect(try await !bench.isAlive(other))
        #expect(try await !stepUp(andy), "the epoch has been raised")
    }

    @Test(arguments: Engines.withValues)
    func `a session that goes on twice has shown that the first answer arrived`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        let first = try await bench.openGrant(of: andy)
        let second = try await bench.openGrant(of: andy, superseding: first.id)
        let third = try await bench.openGrant(of: andy, superseding: second.id)
        #expect(try await !bench.isAlive(first))
        #expect(try await bench.isAlive(second))
        #expect(try await bench.isAlive(third))
    }

    @Test(arguments: Engines.withValues)
    func `a derived grant has its parent's user and session, and ends with it`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        let session = try await bench.openSession(of: andy)
        let parent = try await bench.openGrant(of: andy, session: session.id)
        let child = bench.grant(of: andy, client: "child")
        #expect(try await bench.stores.grants.derive(child, from: parent.id, at: bench.now))
        let live = try #require(try await bench.stores.grants.live(child.id, at: bench.now))
        #expect(live.grant.sessionID == session.id && live.grant.authentication == parent.authentication)
        #expect(
            try await bench.stores.grants.end(parent.id, clientID: "web", reason: .revoked, at: bench.now))
        #expect(try await !bench.isAlive(child))
        #expect(try await bench.renew(child, counter: 0, client: "child") == .ended(.revoked))
        let late = bench.grant(of: andy, client: "child")
        #expect(try await !bench.stores.grants.derive(late, from: parent.id, at: bench.now))
        #expect(try await !bench.isAlive(late))
    }

    @Test(arguments: Engines.withValues)
    func `grants that derive from derived grants end with the first, and go on beside others`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        let first = try await bench.openGrant(of: andy)
        let chain = (0..<3).map { bench.grant(of: andy, client: "child \($0)") }
        var parent = first.id
        for grant in chain {
            #expect(try await bench.stores.grants.derive(grant, from: parent, at: bench.now))
            parent = grant.id
        }
        let other = try await bench.openGrant(of: andy, client: "other")
        // The middle one takes what derives from it along, and nothing above.
        #expect(try await bench.stores.grants.end(chain[1].id, clientID: "child 1", reason: .logout, at: bench.now))
        #expect(try await bench.isAlive(first))
        #expect(try await bench.isAlive(chain[0]))
        #expect(try await !bench.isAlive(chain[2]))
        let again = bench.grant(of: andy, client: "child 2")
        #expect(try await bench.stores.grants.derive(again, from: chain[0].id, at: bench.now))
        #expect(try await bench.stores.grants.end(first.id, clientID: "web", reason: .revoked, at: bench.now))
        #expect(try await !bench.isAlive(chain[0]))
        #expect(try await !bench.isAlive(again))
        #expect(try await bench.isAlive(other))
    }

    @Test(arguments: Engines.withValues)
    func `a derived grant lives no longer than its parent`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        let parent = try await bench.openGrant(of: andy)
        let child = bench.grant(of: andy, client: "child", at: bench.now + 500)
        #expect(try await bench.stores.grants.derive(child, from: parent.id, at: bench.now + 500))
        let live = try await bench.stores.grants.live(child.id, at: bench.now + 500)
        #expect(live?.grant.absoluteExpiresAt == bench.now + 100_000)
        let tooLate = bench.grant(of: andy, client: "child")
        #expect(try await !bench.stores.grants.derive(tooLate, from: parent.id, at: bench.now + 1_000))
    }

    @Test(arguments: Engines.withValues)
    func `of a hundred keys one is bound to a grant, and it stays`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        let grant = try await bench.openGrant(of: andy)
        #expect(try await bench.stores.grants.appKey(of: grant.id) == nil)
        let bound = try await bench.race { [now = bench.now] stores, number in
            try await stores.grants.bind(appKey: "key \(number)", to: grant.id, at: now)
        }
        #expect(bound.count(where: \.self) == 1)
        let key = try #require(try await bench.stores.grants.appKey(of: grant.id))
        #expect(try await bench.stores.grants.bind(appKey: key, to: grant.id, at: bench.now), "again")
        #expect(try await !bench.stores.grants.bind(appKey: "another", to: grant.id, at: bench.now))
        #expect(try await bench.stores.grants.appKey(of: grant.id) == key)
        let over = try await bench.openGrant(of: andy)
        #expect(try await bench.stores.grants.end(over.id, clientID: "web", reason: .logout, at: bench.now))
        #expect(try await !bench.stores.grants.bind(appKey: key, to: over.id, at: bench.now))
        #expect(try await bench.stores.grants.appKey(of: over.id) == nil)
    }

    @Test(arguments: Engines.withValues)
    func `a grant ends for its own client and its own user, and once`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (grants, now) = (bench.stores.grants, bench.now)
        let andy = try await bench.user()
        let bea = try await bench.user("bea@example.com")
        let (one, two) = (try await bench.openGrant(of: andy), try await bench.openGrant(of: andy))
        #expect(try await !grants.end(one.id, clientID: "other", reason: .revoked, at: now))
        #expect(try await !grants.end(two.id, of: bea.user.id, reason: .logout, at: now))
        #expect(try await bench.isAlive(one))
        #expect(try await grants.end(one.id, clientID: "web", reason: .revoked, at: now))
        #expect(try await !grants.end(one.id, clientID: "web", reason: .logout, at: now))
        #expect(try await bench.renew(one, counter: 0) == .ended(.revoked), "the first reason stays")
        #expect(try await grants.end(two.id, of: andy.user.id, reason: .logout, at: now))
        #expect(try await !grants.end(two.id, of: andy.user.id, reason: .logout, at: now))
    }

    @Test(arguments: Engines.withValues)
    func `of a hundred calls that end a user's grants each grant is counted once`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        let bea = try await bench.user("bea@example.com")
        for _ in 0..<3 { _ = try await bench.openGrant(of: andy) }
        let hers = try await bench.openGrant(of: bea)
        try await bench.openSession(of: andy)
        let ended = try await bench.race { [now = bench.now] stores, _ in
            try await stores.grants.endAll(of: andy.user.id, reason: .administrator, at: now)
        }
        #expect(ended.reduce(0, +) == 3)
        #expect(try await bench.isAlive(hers))
        #expect(try await bench.isAlive(session: "session"), "browser sessions stay")
    }

    @Test(arguments: Engines.withValues)
    func `live grants are listed newest first, and no others`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        var opened: [Grant] = []
        for second in [Int64(2), 0, 3, 1] {
            opened.append(try await bench.openGrant(of: andy, at: bench.now + second))
        }
        _ = try await bench.addGrant(of: andy)
        #expect(
            try await bench.stores.grants.end(opened[2].id, of: andy.user.id, reason: .logout, at: bench.now + 3))
        let listed = try await bench.stores.grants.grants(of: andy.user.id, limit: 10, at: bench.now + 5)
        #expect(listed.map(\.id) == [opened[0], opened[3], opened[1]].map(\.id))
        let two = try await bench.stores.grants.grants(of: andy.user.id, limit: 2, at: bench.now + 5)
        #expect(two == Array(listed.prefix(2)))
        #expect(try await bench.stores.grants.grants(of: andy.user.id, limit: 9, at: bench.now + 1_000).count == 2)
    }

    @Test(arguments: Engines.withValues)
    func `a live grant takes a tenant and claims, one that is over takes neither`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let grants = bench.stores.grants
        let andy = try await bench.user()
        let grant = try await bench.openGrant(of: andy)
        let claims = SessionClaims(client: ["theme": "dark"])
        #expect(try await grants.select(tenant: "t", of: grant.id, at: bench.now))
        #expect(try await grants.set(claims, of: grant.id, at: bench.now))
        let live = try await grants.live(grant.id, at: bench.now)?.grant
        #expect(live?.tenantID == "t" && live?.sessionClaims == claims)
        #expect(try await grants.select(tenant: nil, of: grant.id, at: bench.now))
        #expect(try await grants.live(grant.id, at: bench.now)?.grant.tenantID == nil)
        #expect(try await grants.end(grant.id, of: andy.user.id, reason: .logout, at: bench.now))
        #expect(try await !grants.select(tenant: "t", of: grant.id, at: bench.now))
        #expect(try await !grants.set(claims, of: grant.id, at: bench.now))
    }

    @Test(arguments: Engines.withValues)
    func `signs of copies are the user's own, newest first, and as many as asked for`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        let bea = try await bench.user("bea@example.com")
        var ended: [GrantID] = []
        for (index, account) in [andy, andy, bea].enumerated() {
            let grant = try await bench.openGrant(of: account)
            for counter in Int64(0)..<2 { _ = try await bench.renew(grant, counter: counter) }
            let replay = try await bench.renew(grant, counter: 0, at: bench.now + 100 + Int64(index))
            #expect(replay.isReplayed)
            ended.append(grant.id)
        }
        let (grants, id) = (bench.stores.grants, andy.user.id)
        #expect(
            try await grants.signsOfCopies(of: id, since: bench.now, limit: 10).map(\.grantID) == [ended[1], ended[0]])
        #expect(try await grants.signsOfCopies(of: id, since: bench.now, limit: 1).map(\.grantID) == [ended[1]])
        #expect(
            try await grants.signsOfCopies(of: id, since: bench.now + 100, limit: 10).map(\.grantID) == [ended[1]])
    }
}
