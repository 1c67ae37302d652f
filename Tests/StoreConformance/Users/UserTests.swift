import KeyturnBase
import Model
import ServerTesting
import Testing

@Suite("Store: users")
struct UserTests {
    @Test(arguments: Engines.withValues)
    func `of a hundred parallel creations of one identifier, one wins`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let accounts = try (0..<100).map { _ in try bench.account("andy@example.com") }
        let outcomes = try await bench.race { stores, number in
            try await bench.refusal { try await stores.users.create(accounts[number], authenticator: nil) }
        }
        #expect(outcomes.count { $0 == nil } == 1 && outcomes.count { $0 == .conflict } == 99)
        #expect(try await bench.stores.users.accounts(after: nil, limit: 200).count == 1)
    }

    @Test(arguments: Engines.withValues)
    func `a mailbox of an international domain is one login ID, however it is spelt`(_ engine: any Engine) async throws
    {
        let bench = try await Bench(engine)
        let user = try await bench.user("u@exämple.com")
        for name in ["u@xn--exmple-cua.com", "U@exa\u{308}mple.com"] {
            let found = try await bench.stores.users.account(try #require(Identifier(loginID: name)))
            #expect(found?.user.id == user.user.id)
            let other = try bench.account(name)
            let refusal = try await bench.refusal { try await bench.stores.users.create(other, authenticator: nil) }
            #expect(refusal == .conflict)
        }
        let changed = try await bench.stores.users.change(user.user.id, at: bench.now) { $0.user.claims["name"] = "U" }
        #expect(changed.identifiers.count == 1)
    }

    @Test(arguments: Engines.withValues)
    func `a name that is in the way is refused, and nothing of the user is written`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (users, andy) = (bench.stores.users, try await bench.user())
        let sameID = Account(
            user: andy.user, identifiers: try bench.account("bea").identifiers, passwordHash: nil)
        let clients = User(id: UserID(rawValue: "client:x"), createdAt: bench.now, updatedAt: bench.now)
        let namedLikeAnID = Identifier(kind: .username, storedValue: andy.user.id.rawValue)
        var impostor = try bench.account("carl")
        impostor.identifiers[namedLikeAnID] = .verified
        for account in [
            sameID, impostor, Account(user: clients, identifiers: [:], passwordHash: nil),
            try bench.account("dora", "andy@example.com"),
        ] {
            let refusal = try await bench.refusal { try await users.create(account, authenticator: nil) }
            #expect(refusal == .conflict)
            for identifier in account.identifiers.keys where andy.identifiers[identifier] == nil {
                #expect(try await users.account(identifier) == nil)
            }
        }
        var homeless = try bench.account("emil")
        homeless.memberships.tenants = ["nowhere": []]
        let refusal = try await bench.refusal { [homeless] in try await users.create(homeless, authenticator: nil) }
        #expect(refusal == .missing)
        #expect(try await users.accounts(after: nil, limit: 9) == [andy])
    }

    @Test(arguments: Engines.withValues)
    func `an address that messages go to is another account's once it is verified there`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        let users = bench.stores.users
        for (name, kind, text) in [
            ("paula", Identifier.Kind.email, "Paula@Exämple.com"), ("petra", .phone, "+4915112345678"),
        ] {
            let address = try bench.identifier(text)
            var account = try bench.account(name)
            account.set(kind, text, isVerified: false)
            try await users.create(account, authenticator: nil)
            #expect(try await !users.isContact(address, besides: nil), "only claimed")
            _ = try await users.change(account.user.id, at: bench.now) { $0.set(kind, text, isVerified: true) }
            #expect(try await users.isContact(address, besides: nil))
            #expect(try await users.isContact(address, besides: .make(.live)))
            #expect(try await !users.isContact(address, besides: account.user.id))
        }
        #expect(try await !users.isContact(try bench.identifier("paula"), besides: nil), "no address")
        #expect(try await !users.isContact(try bench.identifier("other@example.com"), besides: nil))
    }

    @Test(arguments: Engines.withValues)
    func `a walk through all users goes on where it was, though the last one seen is deleted meanwhile`(
        _ engine: any Engine
    ) async throws {
        let bench = try await Bench(engine)
        let users = bench.stores.users
        for number in 0..<10 {
            try await users.create(try bench.account("user\(number)@example.com"), authenticator: nil)
        }
        var seen: [UserID] = []
        while true {
            let page = try await users.accounts(after: seen.last, limit: 3)
            guard let last = page.last else { break }
            seen += page.map(\.user.id)
            #expect(try await users.delete(last.user.id, at: bench.now))
            #expect(try await !users.delete(last.user.id, at: bench.now))
        }
        #expect(seen.count == 10 && seen.map(\.rawValue) == Set(seen.map(\.rawValue)).sorted())
    }

    @Test(arguments: Engines.withValues)
    func `of a hundred parallel changes of one user, none is lost`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        _ = try await bench.race { [now = bench.now] stores, number in
            try await stores.users.change(andy.user.id, at: now) {
                $0.user.attributes["a\(number)"] = .integer(Int64(number))
            }
        }
        #expect(try await bench.stores.users.account(andy.user.id)?.user.attributes.count == 100)
    }

    @Test(arguments: Engines.withValues)
    func `a user with everything comes back as it was written, and a missing tenant is said`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        let stores = bench.stores
        var andy = try bench.account("andy@example.com", "andy", "+15551234567", hash: "$x")
        andy.user.attributes = ["plan": "gold", "seats": 3, "on": true]
        andy.user.isTest = true
        andy.memberships = Memberships(roles: ["r1"], tenants: ["t1": ["r2"], "t2": []])
        let refusal = try await bench.refusal { [andy] in try await stores.users.create(andy, authenticator: nil) }
        #expect(refusal == .missing)
        for id in ["t1", "t2"] { try await stores.tenants.create(Tenant(id: id, name: id, createdAt: bench.now)) }
        try await stores.users.create(andy, authenticator: nil)
        #expect(try await stores.users.account(andy.user.id) == andy)
        #expect(try await stores.tenants.delete("t2", at: bench.now))
        #expect(try await stores.users.account(andy.user.id)?.memberships.tenants == ["t1": ["r2"]])
    }

    @Test(arguments: Engines.withValues)
    func `a user is replaced whole, but for the password`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (users, andy) = (bench.stores.users, try await bench.user())
        _ = try await bench.user("bea@example.com")
        var changed = try bench.account("andy2@example.com", "andy", verification: .unverified, hash: "$other")
        changed = Account(user: andy.user, identifiers: changed.identifiers, passwordHash: "$other")
        changed.user.claims = ["name": "A"]
        try await users.update(changed, at: bench.now + 5)
        let read = try #require(try await users.account(andy.user.id))
        #expect(read.identifiers == changed.identifiers && read.user.claims == ["name": "A"])
        #expect(read.passwordHash == andy.passwordHash && read.user.updatedAt == bench.now + 5)
        #expect(try await users.account(try bench.identifier("andy@example.com")) == nil)
        changed.identifiers[try bench.identifier("bea@example.com")] = .verified
        let refusal = try await bench.refusal { [changed] in try await users.update(changed, at: bench.now) }
        #expect(refusal == .conflict)
        #expect(try await users.account(andy.user.id) == read, "nothing was written")
        let gone = try bench.account("gone")
        #expect(try await bench.refusal { try await users.update(gone, at: bench.now) } == .missing)
        #expect(
            try await bench.refusal { _ = try await users.change(gone.user.id, at: bench.now) { _ in } } == .missing)
    }

    @Test(arguments: Engines.withValues)
    func `a new hash of the same password takes the place of the old one alone, and ends nothing`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        let (users, andy) = (bench.stores.users, try await bench.user())
        let grant = try await bench.openGrant(of: andy)
        try await users.rehash(andy.user.id, from: "$other", to: "$stolen")
        #expect(try await users.account(andy.user.id)?.passwordHash == "$argon2id$old")
        try await users.rehash(andy.user.id, from: "$argon2id$old", to: "$argon2id$stronger")
        #expect(try await users.account(andy.user.id)?.passwordHash == "$argon2id$stronger")
        #expect(try await bench.isAlive(grant))
        #expect(try await bench.epoch(of: andy) == 0)
    }

    @Test(arguments: Engines.withValues)
    func `a password of a user who is not there is not set`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let refusal = try await bench.refusal {
            try await bench.stores.passwords.set("$x", of: .make(.live), at: bench.now)
        }
        #expect(refusal == .missing)
    }

    @Test(arguments: Engines.all)
    func `with a user everything goes that belongs to the user`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (stores, now) = (bench.stores, bench.now)
        let andy = try await bench.userWithAuthenticator()
        let id = andy.user.id
        try await stores.clients.put(bench.client("web", logoutURI: "https://web/logout"), at: now)
        let session = try await bench.openSession(of: andy)
        let grant = try await bench.openGrant(of: andy, session: session.id)
        try await bench.addPasskey("one", to: andy)
        try await stores.recoveryCodes.replace([bench.digest("code")], of: id, at: now)
        _ = try await stores.dataKeys.add(bench.dataKey(of: andy), name: nil, at: now)
        #expect(try await stores.users.delete(id, at: now))
        #expect(try await stores.users.account(id) == nil)
        #expect(try await stores.users.account(try bench.identifier("andy@example.com")) == nil)
        #expect(try await !bench.isAlive(session: "session"))
        #expect(try await !bench.isAlive(grant))
        #expect(try await bench.renew(grant, counter: 0) == .unknown)
        #expect(try await stores.passkeys.passkey(Array("one".utf8), at: "example.com") == nil)
        #expect(try await stores.recoveryCodes.count(of: id) == 0)
        #expect(try await stores.authenticators.authenticators(of: .user(id), at: now).isEmpty)
        #expect(try await stores.dataKeys.key("key", realm: "") == nil)
        #expect(try await stores.logoutNotices.waiting(limit: 9).map(\.clientID) == ["web"])
        try await stores.users.create(try bench.account("andy@example.com"), authenticator: nil)
    }

    @Test(arguments: Engines.withValues)
    func `test users are removed, so many at a time, each once`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        var tests: Set<UserID> = []
        for number in 0..<10 {
            var account = try bench.account("user\(number)@example.com")
            account.user.isTest = number % 2 == 0
            if account.user.isTest { tests.insert(account.user.id) }
            try await bench.stores.users.create(account, authenticator: nil)
        }
        #expect(try await bench.stores.users.deleteTestUsers(limit: 2).count == 2)
        let removed = try await bench.race(10) { stores, _ in try await stores.users.deleteTestUsers(limit: 1) }
        #expect(removed.flatMap(\.self).count == 3 && tests.isSuperset(of: removed.flatMap(\.self)))
        #expect(try await bench.stores.users.accounts(after: nil, limit: 99).count == 5)
    }

    @Test(arguments: Engines.withValues)
    func `a change that takes the last way to sign in is not made`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (users, now) = (bench.stores.users, bench.now)
        let andy = try await bench.user()
        let name = try bench.identifier("andy@example.com")
        for (ways, isMade) in [
            (SignInWays.messages, false), (.passwords, false), (.passkeys, true), (nil, true),
        ] as [(SignInWays?, Bool)] {
            if ways == .passkeys { #expect(try await bench.addPasskey("key", to: andy) == .added) }
            let changed = try await users.change(andy.user.id, leaving: ways, at: now) { $0.identifiers[name] = nil }
            #expect((changed.identifiers[name] == nil) == isMade, "\(String(describing: ways))")
            #expect((try await users.account(name) == nil) == isMade)
            if isMade { _ = try await users.change(andy.user.id, at: now) { $0.identifiers[name] = .verified } }
        }
    }
}
