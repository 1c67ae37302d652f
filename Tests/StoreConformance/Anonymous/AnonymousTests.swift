import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

@Suite("Store: users without an account")
struct AnonymousTests {
    /// An anonymous user who is not stored yet, with key and first session.
    struct Guest: Sendable {
        let user: User
        let key: StoredAnonymousKey
        let grant: Grant
        var account: Account { Account(user: user, identifiers: [:], passwordHash: nil) }
    }

    @Test(arguments: Engines.all)
    func `a new user has the key and the session, and is anonymous`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let guest = bench.guest("one")
        #expect(try await bench.signUp(guest) == .opened(canReauthenticate: false))
        let found = try #require(try await bench.stores.anonymous.key("one"))
        #expect(found.key == guest.key && found.user == guest.user && found.user.anonymousAt == bench.now)
        #expect(try await bench.isAlive(guest.grant))
        #expect(try await bench.stores.anonymous.key("two") == nil)
        // The second of the same name is another device's.
        #expect(try await bench.signUp(bench.guest("one"), challenge: "other") == .taken)
        let tooMany = try await bench.stores.anonymous.signUp(
            guest.user, key: nil, opening: bench.grant(of: guest.account), challenge: nil,
            charges: [bench.charge("signed up", max: 0)], at: bench.now)
        #expect(tooMany == .tooMany)
        // Without a key there is a user all the same.
        let other = bench.guest("three")
        let opened = try await bench.stores.anonymous.signUp(
            other.user, key: nil, opening: other.grant, challenge: nil, charges: [], at: bench.now)
        #expect(opened == .opened(canReauthenticate: false))
        #expect(try await bench.stores.users.account(other.user.id)?.user == other.user)
        let renewed = try await bench.renew(other.grant, counter: 0)
        guard case .renewed(let grant) = renewed else { throw StoreError(.missing) }
        #expect(grant.isAnonymous == true && grant.canReauthenticate == false)
    }

    @Test(arguments: Engines.all)
    func `of a hundred sign-ups with one challenge one makes a user`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let guests = (0..<100).map { bench.guest("key-\($0)") }
        let made = try await bench.race { stores, number in
            try await stores.anonymous.signUp(
                guests[number].user, key: guests[number].key, opening: guests[number].grant,
                challenge: bench.mark("same"), charges: [bench.charge("signed up")], at: bench.now)
        }
        #expect(made.count { $0 == .opened(canReauthenticate: false) } == 1)
        #expect(made.count { $0 == .challengeSpent } == 99)
        #expect(try await bench.stores.users.accounts(after: nil, limit: 200).count == 1)
    }

    @Test(arguments: Engines.all)
    func `of a hundred sign-ins with one challenge one opens, and a key has one session`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        let guest = bench.guest("one")
        #expect(try await bench.signUp(guest) == .opened(canReauthenticate: false))
        let grants = (0..<200).map { _ in bench.grant(of: guest.account) }
        let same = try await bench.race { stores, number in
            try await stores.anonymous.open(
                grants[number], by: "one", challenge: bench.mark("same"), charge: bench.charge("opened"), at: bench.now)
        }
        #expect(same.count { $0 == .opened(canReauthenticate: false) } == 1)
        #expect(same.count { $0 == .challengeSpent } == 99)
        let different = try await bench.race { stores, number in
            try await stores.anonymous.open(
                grants[100 + number], by: "one", challenge: bench.mark("\(number)"), charge: bench.charge("opened"),
                at: bench.now)
        }
        #expect(different.count { $0 == .opened(canReauthenticate: false) } == 100)
        #expect(
            try await bench.stores.grants.grants(of: guest.user.id, limit: 300, at: bench.now).count == 1)
    }

    @Test(arguments: Engines.all)
    func `a key opens for its own user and client, while the user has no account`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (guest, other) = (bench.guest("one"), bench.guest("two"))
        for one in [guest, other] { #expect(try await bench.signUp(one) == .opened(canReauthenticate: false)) }
        #expect(try await bench.open(bench.grant(of: other.account), by: "one", "1") == .keyGone)
        #expect(try await bench.open(bench.grant(of: guest.account, client: "other"), by: "one", "2") == .keyGone)
        #expect(try await bench.open(bench.grant(of: guest.account), by: "three", "3") == .keyGone)
        #expect(try await bench.open(bench.grant(of: guest.account), by: "one", "4", max: 3) == .tooMany)
        let changed = try await bench.stores.users.change(guest.user.id, at: bench.now) {
            if let name = Identifier(loginID: "guest@example.com") { $0.identifiers[name] = .verified }
        }
        #expect(!changed.user.isAnonymous, "an identifier is an account")
        #expect(try await bench.stores.users.account(guest.user.id)?.user.isAnonymous == false)
        #expect(try await bench.stores.anonymous.key("one") == nil)
        #expect(try await bench.open(bench.grant(of: guest.account), by: "one", "5") == .keyGone)
        _ = try await bench.stores.users.change(other.user.id, at: bench.now) { $0.user.status = .disabled }
        #expect(try await bench.open(bench.grant(of: other.account), by: "two", "6") == .userDisabled)
    }

    @Test(arguments: Engines.all)
    func `users are removed so long after their last session, and not before`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let store = bench.stores.anonymous
        let (idle, kept, named) = (bench.guest("idle"), bench.guest("kept"), bench.guest("named"))
        for one in [idle, kept, named] { #expect(try await bench.signUp(one) == .opened(canReauthenticate: false)) }
        _ = try await bench.stores.users.change(named.user.id, at: bench.now) {
            if let name = Identifier(loginID: "named@example.com") { $0.identifiers[name] = .unverified }
        }
        // All have a session, or its row: looked at, and not removed.
        let early = try await store.removeUnseen(since: bench.now, limit: 10, at: bench.now)
        #expect(early.removed.isEmpty && early.examined == 2)
        // The sessions are over for more than a day, and their rows go: seen until then.
        let later = bench.now + 200_000
        _ = try await bench.stores.maintenance.removeExpired(limit: 100, at: later)
        #expect(try await store.removeUnseen(since: later - 1, limit: 10, at: later).examined == 0)
        let again = bench.grant(of: kept.account, at: later)
        let opened = try await store.open(
            again, by: "kept", challenge: bench.mark("again"), charge: bench.charge("opened"), at: later)
        #expect(opened == .opened(canReauthenticate: false))
        let round = try await store.removeUnseen(since: later, limit: 1, at: later + 1)
        let next = try await store.removeUnseen(since: later, limit: 1, at: later + 1)
        #expect(round.removed + next.removed == [idle.user.id])
        #expect(try await bench.stores.users.account(idle.user.id) == nil)
        #expect(try await bench.stores.anonymous.key("idle") == nil)
        #expect(try await bench.isAlive(again, at: later))
        #expect(try await bench.stores.users.account(named.user.id) != nil)
    }

    @Test(arguments: Engines.all)
    func `with a client its keys go, and a user who had nothing else is removed in time`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        let (store, clients) = (bench.stores.anonymous, bench.stores.clients)
        let guest = bench.guest("one")
        try await clients.put(bench.client("web"), at: bench.now)
        #expect(try await bench.signUp(guest) == .opened(canReauthenticate: false))
        #expect(try await clients.remove("web", at: bench.now))
        try await clients.put(bench.client("web"), at: bench.now + 1)
        #expect(try await store.key("one") == nil)
        #expect(try await bench.open(bench.grant(of: guest.account), by: "one", "1") == .keyGone)
        #expect(try await !bench.isAlive(guest.grant))
        // The device makes a user of its own there.
        let next = bench.guest("one")
        #expect(try await bench.signUp(next, challenge: "next") == .opened(canReauthenticate: false))
        #expect(try await store.key("one")?.user == next.user)
        // Both are removed like any that was not seen for long.
        let later = bench.now + 200_000
        _ = try await bench.stores.maintenance.removeExpired(limit: 100, at: later)
        let round = try await store.removeUnseen(since: later, limit: 10, at: later + 1)
        #expect(Set(round.removed) == [guest.user.id, next.user.id])
    }

    @Test(arguments: Engines.all)
    func `of a hundred clean-ups at once one removes each user`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let guest = bench.guest("one")
        #expect(try await bench.signUp(guest) == .opened(canReauthenticate: false))
        let later = bench.now + 200_000
        _ = try await bench.stores.maintenance.removeExpired(limit: 100, at: later)
        let rounds = try await bench.race { stores, _ in
            try await stores.anonymous.removeUnseen(since: later, limit: 10, at: later + 1)
        }
        #expect(rounds.flatMap(\.removed) == [guest.user.id])
    }
}

extension Bench {
    /// An anonymous user with a key of that name.
    func guest(_ key: String) -> AnonymousTests.Guest {
        let user = User(
            id: .make(.live), claims: ["nickname": "Guest"], attributes: ["level": 7], anonymousAt: now, createdAt: now,
            updatedAt: now)
        return AnonymousTests.Guest(
            user: user,
            key: StoredAnonymousKey(
                id: key, userID: user.id, clientID: "web", publicKey: .object(["kty": "EC", "x": "1"]),
                algorithm: "ES256", createdAt: now),
            grant: grant(of: Account(user: user, identifiers: [:], passwordHash: nil)))
    }

    func signUp(_ guest: AnonymousTests.Guest, challenge: String? = nil) async throws -> AnonymousOpening {
        try await stores.anonymous.signUp(
            guest.user, key: guest.key, opening: guest.grant, challenge: mark(challenge ?? "new \(guest.key.id)"),
            charges: [charge("signed up")], at: now)
    }

    func open(
        _ grant: Grant, by key: String, _ challenge: String, max: Int64 = 1_000
    ) async throws -> AnonymousOpening {
        try await stores.anonymous.open(
            grant, by: key, challenge: mark(challenge), charge: charge("opened", max: max), at: now)
    }
}
