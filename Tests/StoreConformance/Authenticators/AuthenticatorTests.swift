import KeyturnBase
import Model
import ServerTesting
import Testing

@Suite("Store: authenticator apps")
struct AuthenticatorTests {
    /// Adds an authenticator that waits for its first code.
    private func add(
        _ name: String, to account: Account, replaces: Bool = false, begunIn: StoredTOTP.Session? = nil,
        at second: Int64 = 0, _ bench: Bench
    ) async throws -> Bool {
        try await bench.stores.authenticators.add(
            bench.authenticator(name, begunIn: begunIn), of: .user(account.user.id), replaces: replaces, pendingMax: 3,
            expiresAt: bench.now + 600, at: bench.now + second)
    }

    private func accept(_ name: String, step: Int64, at second: Int64 = 0, _ bench: Bench) async throws -> Bool {
        try await bench.stores.authenticators.accept(
            step: step, of: bench.authenticator(name).id, at: bench.now + second)
    }

    @Test(arguments: Engines.withValues)
    func `87: of a hundred codes of one step one is accepted, and no earlier step afterwards`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        #expect(try await add("one", to: andy, bench))
        let (id, now) = (bench.authenticator("one").id, bench.now)
        let accepted = try await bench.race { stores, _ in
            try await stores.authenticators.accept(step: 50, of: id, at: now)
        }
        #expect(accepted.count { $0 } == 1)
        #expect(try await !accept("one", step: 49, bench))
        #expect(try await accept("one", step: 51, at: 100_000, bench), "confirmed: no end")
        #expect(try await bench.stores.users.account(andy.user.id)?.hasAuthenticator == true)
    }

    @Test(arguments: Engines.withValues)
    func `86: what was begun while another authenticator was confirmed does not take its place`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        #expect(try await add("one", to: andy, bench))
        #expect(try await accept("one", step: 50, bench))
        #expect(try await !add("two", to: andy, bench))
        let (store, owner) = (bench.stores.authenticators, AuthenticatorOwner.user(andy.user.id))
        #expect(try await store.authenticators(of: owner, at: bench.now).count == 1)
        #expect(try await add("three", to: andy, replaces: true, bench), "in a session that it was used in")
        #expect(try await accept("three", step: 50, bench))
        let left = try await store.authenticators(of: owner, at: bench.now)
        #expect(left.map(\.id) == [bench.authenticator("three").id] && left.allSatisfy(\.isConfirmed))
    }

    @Test(arguments: Engines.withValues)
    func `two that are confirmed at once: one is left`(_ engine: any Engine) async throws {
        for _ in 0..<10 {
            let bench = try await Bench(engine)
            let andy = try await bench.user()
            for name in ["one", "two"] { #expect(try await add(name, to: andy, bench)) }
            let ids = ["one", "two"].map { bench.authenticator($0).id }
            let (one, other) = try await bench.both(
                { try await $0.authenticators.accept(step: 50, of: ids[0], at: bench.now) },
                { try await $0.authenticators.accept(step: 50, of: ids[1], at: bench.now) })
            let left = try await bench.stores.authenticators.authenticators(of: .user(andy.user.id), at: bench.now)
            #expect(left.count == 1 && left.allSatisfy(\.isConfirmed))
            #expect([one, other].count { $0 } == 1, "the first one removes what waits beside it")
        }
    }

    @Test(arguments: Engines.withValues)
    func `the newest of those that wait stay, and the confirmed one`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.userWithAuthenticator()
        for (index, name) in ["a", "b", "c", "d", "e"].enumerated() {
            #expect(try await add(name, to: andy, replaces: true, at: Int64(index), bench))
        }
        let listed = try await bench.stores.authenticators.authenticators(of: .user(andy.user.id), at: bench.now + 5)
        #expect(listed.map(\.id) == ["first", "e", "d", "c"].map { bench.authenticator($0).id })
        #expect(listed.map(\.isConfirmed) == [true, false, false, false])
        let later = try await bench.stores.authenticators.authenticators(of: .user(andy.user.id), at: bench.now + 600)
        #expect(later.count == 1, "who does not finish begins anew")
        #expect(try await !accept("e", step: 1, at: 600, bench))
    }

    @Test(arguments: Engines.withValues)
    func `recovery codes go with the authenticator that they stand for`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        let (store, id) = (bench.stores.recoveryCodes, andy.user.id)
        #expect(try await add("one", to: andy, bench))
        #expect(try await accept("one", step: 50, bench))
        try await store.replace([bench.digest("code")], of: id, at: bench.now)
        #expect(try await accept("one", step: 51, at: 30, bench))
        #expect(try await store.count(of: id) == 1, "the same authenticator")
        #expect(try await add("two", to: andy, replaces: true, at: 30, bench))
        #expect(try await store.count(of: id) == 1, "it waits for its first code")
        #expect(try await accept("two", step: 51, at: 30, bench))
        #expect(try await store.count(of: id) == 0, "replaced")
        try await store.replace([bench.digest("next")], of: id, at: bench.now + 30)
        #expect(try await bench.stores.authenticators.removeAll(of: id, at: bench.now + 60))
        #expect(try await add("three", to: andy, at: 60, bench))
        #expect(try await accept("three", step: 52, at: 60, bench))
        #expect(try await store.count(of: id) == 0, "removed before")
    }

    @Test(arguments: Engines.withValues)
    func `a first code counts as long as the session lives that began it`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        let grant = try await bench.openGrant(of: andy)
        let session = try await bench.openSession(of: andy)
        #expect(try await add("app", to: andy, begunIn: .grant(grant.id), bench))
        #expect(try await add("page", to: andy, begunIn: .browser(session.id), bench))
        let stored = try await bench.stores.authenticators.authenticators(of: .user(andy.user.id), at: bench.now)
        #expect(Set(stored.compactMap(\.begunIn)) == [.grant(grant.id), .browser(session.id)])
        _ = try await bench.stores.grants.end(grant.id, of: andy.user.id, reason: .logout, at: bench.now)
        _ = try await bench.stores.sessions.end(session.id, of: andy.user.id, at: bench.now)
        for name in ["app", "page"] { #expect(try await !accept(name, step: 1, bench)) }
        let again = try await bench.openSession(of: andy, "again")
        #expect(try await add("next", to: andy, begunIn: .browser(again.id), bench))
        #expect(try await accept("next", step: 1, bench))
    }

    @Test(arguments: Engines.withValues)
    func `the name of the sign-in that began one is kept, and wants no session`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        let begun = StoredTOTP.Session.signIn("a page")
        #expect(try await add("page", to: andy, begunIn: begun, bench))
        let (store, owner) = (bench.stores.authenticators, AuthenticatorOwner.user(andy.user.id))
        #expect(try await store.authenticators(of: owner, at: bench.now).compactMap(\.begunIn) == [begun])
        #expect(try await accept("page", step: 1, bench))
        #expect(try await store.authenticators(of: owner, at: bench.now).map(\.isConfirmed) == [true])
    }

    @Test(arguments: Engines.withValues)
    func `the authenticator of a sign-up becomes its user's`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let name = try bench.identifier("bea@example.com")
        let owner = AuthenticatorOwner.signUp(name)
        let bea = try bench.account("bea@example.com")
        let facts = VerificationFacts(.signUp, userID: nil, loginID: name, address: nil, method: .totp)
        let pending = StoredTOTP(
            id: bench.authenticator("new").id, sealed: [1], isConfirmed: false, usedStep: -1, facts: facts)
        let (store, users) = (bench.stores.authenticators, bench.stores.users)
        let isAdded = try await store.add(
            pending, of: owner, replaces: false, pendingMax: 3, expiresAt: bench.now + 600, at: bench.now)
        #expect(isAdded)
        #expect(try await store.authenticators(of: owner, at: bench.now).first?.facts == facts)
        #expect(try await store.accept(step: 3, of: pending.id, at: bench.now))
        #expect(try await bench.refusal { try await users.create(bea, withAccepted: Array("none".utf8)) } == .missing)
        #expect(try await bench.stores.users.account(bea.user.id) == nil, "both, or nothing")
        try await users.create(bea, withAccepted: pending.id)
        #expect(try await store.authenticators(of: owner, at: bench.now).isEmpty)
        let own = try await store.authenticators(of: .user(bea.user.id), at: bench.now + 100_000)
        #expect(own.map(\.id) == [pending.id] && own.first?.facts == nil && own.first?.usedStep == 3)
        #expect(try await !store.accept(step: 3, of: pending.id, at: bench.now), "its used step stays used")
    }

    @Test(arguments: Engines.withValues)
    func `every one of a user is removed, and no other`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.userWithAuthenticator()
        let bea = try await bench.user("bea@example.com")
        #expect(try await add("hers", to: bea, bench))
        let store = bench.stores.authenticators
        #expect(try await store.removeAll(of: andy.user.id, at: bench.now))
        #expect(try await !store.removeAll(of: andy.user.id, at: bench.now))
        let nobody = UserID.make(.live)
        #expect(try await bench.refusal { _ = try await store.removeAll(of: nobody, at: bench.now) } == .missing)
        #expect(try await store.authenticators(of: .user(andy.user.id), at: bench.now).isEmpty)
        #expect(try await store.authenticators(of: .user(bea.user.id), at: bench.now).count == 1)
    }
}
