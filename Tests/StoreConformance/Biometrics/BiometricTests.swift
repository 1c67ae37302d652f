import KeyturnBase
import Model
import ServerTesting
import Testing

@Suite("Store: keys behind a fingerprint or a face")
struct BiometricTests {
    /// A user, and the session of the app in which keys are added.
    private struct Owner: Sendable {
        let bench: Bench
        let andy: Account
        let session: Grant

        init(_ engine: any Engine) async throws {
            bench = try await Bench(engine)
            andy = try await bench.user()
            session = try await bench.openGrant(of: andy)
        }

        var store: any BiometricStore { bench.stores.biometrics }
        var now: UnixTime { bench.now }

        func add(
            _ id: String, challenge: String? = nil, max: Int64 = 1_000, keysMax: Int = 5, at second: Int64 = 0
        ) async throws -> BiometricAddition {
            try await bench.stores.biometrics.add(
                bench.biometricKey(id, of: andy), in: session.id, challenge: bench.mark(challenge ?? "add \(id)"),
                charge: bench.charge("added", max: max), keysMax: keysMax, at: now + second)
        }

        func open(_ grant: Grant, by id: String, challenge: String, max: Int64 = 1_000) async throws -> BiometricOpening
        {
            try await bench.stores.biometrics.open(
                grant, by: id, challenge: bench.mark(challenge), charge: bench.charge("opened", max: max), at: now)
        }
    }

    @Test(arguments: Engines.withValues)
    func `what is added comes back as it was, with its owner`(_ engine: any Engine) async throws {
        let owner = try await Owner(engine)
        let key = owner.bench.biometricKey("one", of: owner.andy)
        #expect(try await owner.add("one") == .added(removed: []))
        let found = try #require(try await owner.store.key("one"))
        #expect(found.key == key && found.user == owner.andy.user && !found.hasAuthenticator)
        #expect(try await owner.store.key("two") == nil)
        #expect(try await owner.store.keys(of: owner.andy.user.id) == [key])
    }

    @Test(arguments: Engines.withValues)
    func `of a hundred keys with one challenge one is added`(_ engine: any Engine) async throws {
        let owner = try await Owner(engine)
        let bench = owner.bench
        let additions = try await bench.race { stores, number in
            try await stores.biometrics.add(
                bench.biometricKey("\(number)", of: owner.andy), in: owner.session.id, challenge: bench.mark("same"),
                charge: bench.charge("added"), keysMax: 5, at: bench.now)
        }
        #expect(additions.count { $0 == .added(removed: []) } == 1)
        #expect(additions.count { $0 == .challengeSpent } == 99)
        #expect(try await owner.store.keys(of: owner.andy.user.id).count == 1)
    }

    @Test(arguments: Engines.withValues)
    func `of a hundred keys at once the owner keeps as many as allowed`(_ engine: any Engine) async throws {
        let owner = try await Owner(engine)
        let bench = owner.bench
        let additions = try await bench.race { stores, number in
            try await stores.biometrics.add(
                bench.biometricKey("\(number)", of: owner.andy), in: owner.session.id,
                challenge: bench.mark("\(number)"), charge: bench.charge("added", max: 20), keysMax: 5, at: bench.now)
        }
        #expect(additions.count { $0 == .tooMany } == 80)
        #expect(try await owner.store.keys(of: owner.andy.user.id).count == 5)
    }

    @Test(arguments: Engines.withValues)
    func `a key that is taken, or whose session is over, is not added, and what is too much is not either`(
        _ engine: any Engine
    ) async throws {
        let owner = try await Owner(engine)
        #expect(try await owner.add("one") == .added(removed: []))
        #expect(try await owner.add("one", challenge: "again") == .taken)
        #expect(try await owner.add("two", challenge: "add one") == .challengeSpent)
        #expect(try await owner.add("two", max: 2) == .tooMany)
        _ = try await owner.bench.stores.grants.end(
            owner.session.id, of: owner.andy.user.id, reason: .logout, at: owner.now)
        #expect(try await owner.add("three") == .signedOut)
        #expect(try await owner.store.keys(of: owner.andy.user.id).map(\.id) == ["one"])
    }

    @Test(arguments: Engines.withValues)
    func `the keys used last stay, and those that go end what they opened`(_ engine: any Engine) async throws {
        let owner = try await Owner(engine)
        let bench = owner.bench
        for (second, id) in ["a", "b"].enumerated() {
            #expect(try await owner.add(id, keysMax: 2, at: Int64(second) - 5) == .added(removed: []))
        }
        let grants = [bench.grant(of: owner.andy), bench.grant(of: owner.andy)]
        #expect(try await owner.open(grants[0], by: "b", challenge: "1") == .opened(canReauthenticate: true))
        #expect(try await owner.add("c", keysMax: 2, at: 1) == .added(removed: ["a"]))
        #expect(try await owner.open(grants[1], by: "c", challenge: "2") == .opened(canReauthenticate: true))
        guard case .added(let removed) = try await owner.add("d", keysMax: 1, at: 2) else { throw StoreError(.missing) }
        #expect(removed.sorted() == ["b", "c"])
        for grant in grants { #expect(try await !bench.isAlive(grant)) }
        #expect(try await bench.isAlive(owner.session), "the session that they were added in")
    }

    @Test(arguments: Engines.withValues)
    func `of a hundred sign-ins with one challenge one opens, and each ends the one before`(_ engine: any Engine)
        async throws
    {
        let owner = try await Owner(engine)
        let (bench, andy) = (owner.bench, owner.andy)
        #expect(try await owner.add("one") == .added(removed: []))
        let grants = (0..<200).map { _ in bench.grant(of: andy) }
        let same = try await bench.race { stores, number in
            try await stores.biometrics.open(
                grants[number], by: "one", challenge: bench.mark("same"), charge: bench.charge("opened"), at: bench.now)
        }
        #expect(same.count { $0 == .opened(canReauthenticate: true) } == 1)
        #expect(same.count { $0 == .challengeSpent } == 99)
        let different = try await bench.race { stores, number in
            try await stores.biometrics.open(
                grants[100 + number], by: "one", challenge: bench.mark("\(number)"), charge: bench.charge("opened"),
                at: bench.now)
        }
        #expect(different.count { $0 == .opened(canReauthenticate: true) } == 100)
        let live = try await bench.stores.grants.grants(of: andy.user.id, limit: 200, at: bench.now)
        #expect(live.count { $0.id != owner.session.id } == 1, "one session at a time")
    }

    @Test(arguments: Engines.withValues)
    func `a key opens for its own user and client, while its owner may sign in`(_ engine: any Engine) async throws {
        let owner = try await Owner(engine)
        let bench = owner.bench
        let bea = try await bench.user("bea@example.com")
        #expect(try await owner.add("one") == .added(removed: []))
        let own = bench.grant(of: owner.andy)
        #expect(try await owner.open(bench.grant(of: bea), by: "one", challenge: "1") == .keyGone)
        let other = bench.grant(of: owner.andy, client: "other")
        #expect(try await owner.open(other, by: "one", challenge: "2") == .keyGone)
        #expect(try await owner.open(own, by: "two", challenge: "3") == .keyGone)
        #expect(try await owner.open(own, by: "one", challenge: "4", max: 3) == .tooMany)
        #expect(try await owner.open(own, by: "one", challenge: "4") == .challengeSpent)
        #expect(try await !bench.isAlive(own))
        #expect(try await owner.open(own, by: "one", challenge: "5") == .opened(canReauthenticate: true))
        #expect(try await owner.store.key("one")?.key.usedAt == owner.now)
    }

    @Test(arguments: Engines.withValues)
    func `with the end of every session the keys go, but for the one of the session that goes on`(_ engine: any Engine)
        async throws
    {
        let owner = try await Owner(engine)
        let bench = owner.bench
        for id in ["kept", "gone"] { #expect(try await owner.add(id) == .added(removed: [])) }
        let grant = bench.grant(of: owner.andy)
        #expect(try await owner.open(grant, by: "kept", challenge: "1") == .opened(canReauthenticate: true))
        let change = PasswordChange(
            hash: "$new", origin: .formerPassword, historyMax: 0, keeping: grant.id)
        #expect(try await bench.stores.passwords.set(change, of: owner.andy.user.id, at: owner.now))
        #expect(try await owner.store.keys(of: owner.andy.user.id).map(\.id) == ["kept"])
        #expect(try await bench.isAlive(grant))
    }

    @Test(arguments: Engines.withValues)
    func `with a client the keys of its devices go, and open no other client of its name`(_ engine: any Engine)
        async throws
    {
        let owner = try await Owner(engine)
        let (bench, clients) = (owner.bench, owner.bench.stores.clients)
        for id in ["web", "other"] { try await clients.put(bench.client(id), at: bench.now) }
        #expect(try await owner.add("one") == .added(removed: []))
        let elsewhere = try await bench.openGrant(of: owner.andy, client: "other")
        let added = try await owner.store.add(
            bench.biometricKey("two", of: owner.andy, client: "other"), in: elsewhere.id,
            challenge: bench.mark("add two"), charge: bench.charge("added"), keysMax: 5, at: bench.now)
        #expect(added == .added(removed: []))
        #expect(try await clients.remove("web", at: bench.now))
        try await clients.put(bench.client("web"), at: bench.now + 1)
        #expect(try await owner.store.keys(of: owner.andy.user.id).map(\.id) == ["two"])
        #expect(try await owner.open(bench.grant(of: owner.andy), by: "one", challenge: "1") == .keyGone)
        let other = bench.grant(of: owner.andy, client: "other")
        #expect(try await owner.open(other, by: "two", challenge: "2") == .opened(canReauthenticate: true))
    }

    @Test(arguments: Engines.withValues)
    func `a key is removed by its owner alone, once, with what it opened`(_ engine: any Engine) async throws {
        let owner = try await Owner(engine)
        let (bench, id) = (owner.bench, owner.andy.user.id)
        let bea = try await bench.user("bea@example.com")
        #expect(try await owner.add("one") == .added(removed: []))
        let grant = bench.grant(of: owner.andy)
        #expect(try await owner.open(grant, by: "one", challenge: "1") == .opened(canReauthenticate: true))
        #expect(try await !owner.store.remove("one", of: bea.user.id, at: owner.now))
        let removed = try await bench.race { stores, _ in
            try await stores.biometrics.remove("one", of: id, at: bench.now)
        }
        #expect(removed.count { $0 } == 1)
        #expect(try await !bench.isAlive(grant))
    }
}
