import KeyturnBase
import KeyturnWebAuthn
import Model
import ServerTesting
import Testing

@Suite("Store: passkeys of users")
struct PasskeyTests {
    private func add(
        _ name: String, to account: Account, spending text: String? = nil, epoch: Int64 = 0, _ bench: Bench
    )
        async throws -> PasskeyAddition
    {
        try await bench.stores.passkeys.add(
            bench.passkey(name), to: account.user.id, epoch: epoch, beside: true, max: 3,
            spending: bench.mark(text ?? name), at: bench.now)
    }

    @Test(arguments: Engines.withValues)
    func `what is stored comes back as it was, to its relying party alone`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        let passkeys = bench.stores.passkeys
        #expect(try await add("one", to: andy, bench) == .added)
        let found = try #require(try await passkeys.passkey(Array("one".utf8), at: "example.com"))
        #expect(found.passkey == bench.passkey("one") && found.owner == .user(andy.user.id))
        #expect(try await passkeys.passkey(Array("one".utf8), at: "other.example") == nil)
        #expect(try await bench.stores.users.account(andy.user.id)?.hasPasskey == true)
        #expect(try await passkeys.passkeys(of: andy.user.id, at: nil) == [bench.passkey("one")])
        #expect(try await passkeys.passkeys(of: andy.user.id, at: "example.com").count == 1)
        #expect(try await passkeys.passkeys(of: andy.user.id, at: "other.example").isEmpty)
    }

    @Test(arguments: Engines.withValues)
    func `94: of a hundred uses of one challenge one counts`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        _ = try await add("one", to: try await bench.user(), bench)
        let passkey = bench.passkey("one")
        let uses = try await bench.race { stores, _ in
            try await stores.passkeys.use(
                passkey.record, of: passkey.id, repeats: true, spending: bench.mark("challenge"), at: bench.now)
        }
        #expect(uses.count { $0 == .used } == 1 && uses.count { $0 == .spent } == 99)
    }

    @Test(arguments: Engines.withValues)
    func `100: of a hundred assertions with one counter one counts, and it never goes back`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        _ = try await add("one", to: try await bench.user(), bench)
        var record = bench.passkey("one").record
        record.signCount = 7
        let id = bench.passkey("one").id
        let uses = try await bench.race { [record] stores, number in
            try await stores.passkeys.use(
                record, of: id, repeats: false, spending: bench.mark("challenge \(number)"), at: bench.now)
        }
        #expect(uses.count { $0 == .used } == 1 && uses.count { $0 == .overtaken } == 99)
        for repeats in [false, true] {
            record.signCount = 6
            let late = try await bench.stores.passkeys.use(
                record, of: id, repeats: repeats, spending: bench.mark("later \(repeats)"), at: bench.now)
            #expect(late == .overtaken)
        }
        let stored = try await bench.stores.passkeys.passkey(record.id, at: "example.com")
        #expect(stored?.passkey.record.signCount == 7 && stored?.passkey.usedAt == bench.now)
    }

    @Test(arguments: Engines.withValues)
    func `102: of a hundred registrations of one credential one is kept`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        let additions = try await bench.race { stores, number in
            try await stores.passkeys.add(
                bench.passkey("one"), to: andy.user.id, epoch: 0, beside: true, max: 200,
                spending: bench.mark("challenge \(number)"), at: bench.now)
        }
        #expect(additions.count { $0 == .added } == 1 && additions.count { $0 == .taken } == 99)
    }

    @Test(arguments: Engines.withValues)
    func `of a hundred registrations of different passkeys as many are kept as a user may have`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        let additions = try await bench.race { stores, number in
            try await stores.passkeys.add(
                bench.passkey("\(number)"), to: andy.user.id, epoch: 0, beside: true, max: 5,
                spending: bench.mark("challenge \(number)"), at: bench.now)
        }
        #expect(additions.count { $0 == .added } == 5 && additions.count { $0 == .tooMany } == 95)
        #expect(try await bench.stores.passkeys.passkeys(of: andy.user.id, at: nil).count == 5)
    }

    @Test(arguments: Engines.withValues)
    func `a refused passkey of a user leaves the spent challenge`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        #expect(try await add("late", to: andy, epoch: 1, bench) == .overtaken)
        #expect(try await add("late", to: andy, bench) == .spent)
        #expect(try await bench.stores.passkeys.passkeys(of: andy.user.id, at: nil).isEmpty)
    }

    @Test(arguments: Engines.withValues)
    func `a sign-up makes the user and the passkey, or neither`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        _ = try await bench.user("andy@example.com")
        let taken = try bench.account("andy@example.com", verification: .unverified)
        let refused = try await bench.stores.passkeys.create(
            taken, with: bench.passkey("one"), spending: bench.mark("a"))
        #expect(refused == .usernameTaken)
        #expect(try await bench.stores.passkeys.passkey(Array("one".utf8), at: "example.com") == nil)
        #expect(try await bench.stores.users.account(taken.user.id) == nil)
        let fresh = try (0..<100).map { _ in try bench.account("bea") }
        let additions = try await bench.race { stores, number in
            try await stores.passkeys.create(
                fresh[number], with: bench.passkey("device \(number)"), spending: bench.mark("\(number)"))
        }
        #expect(additions.count { $0 == .added } == 1 && additions.count { $0 == .usernameTaken } == 99)
        let bea = try #require(try await bench.stores.users.account(try bench.identifier("bea")))
        #expect(try await bench.stores.passkeys.passkeys(of: bea.user.id, at: nil).count == 1)
        let again = try await bench.stores.passkeys.create(
            try bench.account("carl"), with: bench.passkey("next"), spending: bench.mark("a"))
        #expect(again == .added, "a refused sign-up spends nothing")
        let twice = try await bench.stores.passkeys.create(
            try bench.account("dora"), with: bench.passkey("more"), spending: bench.mark("a"))
        #expect(twice == .spent)
    }

    @Test(arguments: Engines.withValues)
    func `beside a strong factor nothing is added from a session without it, also in the same moment`(
        _ engine: any Engine
    ) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        let additions = try await bench.race { stores, number in
            try await stores.passkeys.add(
                bench.passkey("device \(number)"), to: andy.user.id, epoch: 0, beside: false, max: 200,
                spending: bench.mark("\(number)"), at: bench.now)
        }
        #expect(additions.count { $0 == .added } == 1 && additions.count { $0 == .overtaken } == 99)
    }

    @Test(arguments: Engines.withValues)
    func `an authenticator that waits for its first code goes when a passkey comes`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        let (store, owner) = (bench.stores.authenticators, AuthenticatorOwner.user(andy.user.id))
        _ = try await store.add(
            bench.authenticator("one"), of: owner, replaces: false, pendingMax: 3, expiresAt: bench.now + 600,
            at: bench.now)
        #expect(try await add("one", to: andy, bench) == .added)
        #expect(try await !store.accept(step: 7, of: bench.authenticator("one").id, at: bench.now))
        for replaces in [false, true] {
            let isAdded = try await store.add(
                bench.authenticator("late"), of: owner, replaces: replaces, pendingMax: 3, expiresAt: bench.now + 600,
                at: bench.now)
            #expect(isAdded == replaces, "beside a passkey only from a session that has shown it")
        }
    }

    @Test(arguments: Engines.withValues)
    func `what takes a passkey away overtakes a sign-in with it that is on its way`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        let (passkeys, id, now) = (bench.stores.passkeys, andy.user.id, bench.now)
        for (name, take) in [
            ("off", { try await passkeys.change($0, of: id, name: nil, isActive: false, leaving: nil, at: now) }),
            ("gone", { try await passkeys.remove($0, of: id, leaving: nil, at: now) }),
            ("all", { _ in try await passkeys.removeAll(of: id, at: now) > 0 }),
        ] as [(String, (PasskeyID) async throws -> Bool)] {
            let before = try await bench.epoch(of: andy)
            _ = try await add(name, to: andy, epoch: before, bench)
            let passkey = bench.passkey(name)
            #expect(try await take(passkey.id))
            #expect(try await bench.epoch(of: andy) == before + 1)
            let use = try await passkeys.use(
                passkey.record, of: passkey.id, repeats: true, spending: bench.mark("\(name) again"), at: now)
            #expect(use == .overtaken)
        }
        #expect(try await passkeys.removeAll(of: id, at: now) == 0)
        let stranger = UserID.make(.live)
        _ = try await add("mine", to: andy, epoch: try await bench.epoch(of: andy), bench)
        let mine = bench.passkey("mine").id
        let other = try await bench.user("bea@example.com").user.id
        #expect(try await !passkeys.remove(mine, of: other, leaving: nil, at: now))
        #expect(try await !passkeys.change(mine, of: other, name: "x", isActive: nil, leaving: nil, at: now))
        let refusal = try await bench.refusal {
            _ = try await passkeys.remove(mine, of: stranger, leaving: nil, at: now)
        }
        #expect(refusal == .missing)
    }

    @Test(arguments: Engines.withValues)
    func `two removals at once leave one passkey, many times`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        let (id, now) = (andy.user.id, bench.now)
        for round in 0..<20 {
            let names = ["one \(round)", "other \(round)"]
            for name in names { #expect(try await bench.addPasskey(name, to: andy) == .added) }
            let ids = names.map { bench.passkey($0).id }
            let (one, other) = try await bench.both(
                { try await $0.passkeys.remove(ids[0], of: id, leaving: .passkeys, at: now) },
                { stores in
                    round % 2 == 0
                        ? try await stores.passkeys.remove(ids[1], of: id, leaving: .passkeys, at: now)
                        : try await stores.passkeys.change(
                            ids[1], of: id, name: nil, isActive: false, leaving: .passkeys, at: now)
                })
            #expect([one, other].count { $0 } == 1, "round \(round)")
            let left = try await bench.stores.passkeys.passkeys(of: id, at: nil)
            #expect(left.count(where: \.isActive) == 1, "round \(round)")
            _ = try await bench.stores.passkeys.removeAll(of: id, at: now)
        }
    }

    @Test(arguments: Engines.withValues)
    func `a hundred removals at once leave one passkey`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        for number in 0..<100 { #expect(try await bench.addPasskey("\(number)", to: andy) == .added) }
        let removed = try await bench.race { stores, number in
            try await stores.passkeys.remove(
                bench.passkey("\(number)").id, of: andy.user.id, leaving: .passkeys, at: bench.now)
        }
        #expect(removed.count { $0 } == 99)
        #expect(try await bench.stores.passkeys.passkeys(of: andy.user.id, at: nil).count == 1)
    }

    @Test(arguments: Engines.withValues)
    func `a passkey is renamed and switched off and on, and the oldest is listed first`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        let (passkeys, id, now) = (bench.stores.passkeys, andy.user.id, bench.now)
        for name in ["b", "a"] { #expect(try await bench.addPasskey(name, to: andy) == .added) }
        let passkey = bench.passkey("a").id
        #expect(try await passkeys.change(passkey, of: id, name: "Key", isActive: false, leaving: .passkeys, at: now))
        #expect(try await passkeys.change(passkey, of: id, name: nil, isActive: nil, leaving: .passkeys, at: now))
        var listed = try await passkeys.passkeys(of: id, at: nil)
        #expect(listed.map(\.name) == ["Key", "b"] && listed.map(\.isActive) == [false, true])
        #expect(try await passkeys.change(passkey, of: id, name: nil, isActive: true, leaving: .passkeys, at: now))
        listed = try await passkeys.passkeys(of: id, at: nil)
        #expect(listed.map(\.name) == ["Key", "b"] && listed.map(\.isActive) == [true, true])
    }

    @Test(arguments: Engines.withValues)
    func `104: older metadata than the newest that was taken is known as such`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let passkeys = bench.stores.passkeys
        #expect(try await passkeys.metadataNumber(of: "fido") == nil)
        for (number, source) in [(Int64(7), "fido"), (5, "fido"), (3, "own")] {
            try await passkeys.raiseMetadataNumber(to: number, of: source)
        }
        #expect(try await passkeys.metadataNumber(of: "fido") == 7)
        #expect(try await passkeys.metadataNumber(of: "own") == 3)
        _ = try await bench.race { stores, number in
            try await stores.passkeys.raiseMetadataNumber(to: Int64(number), of: "fido")
        }
        #expect(try await passkeys.metadataNumber(of: "fido") == 99)
    }
}
