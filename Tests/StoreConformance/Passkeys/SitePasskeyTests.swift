import KeyturnBase
import Model
import ServerTesting
import Testing

@Suite("Store: passkeys of a site's own users")
struct SitePasskeyTests {
    private func site(_ id: String, folded: String? = nil, names: [[UInt8]] = []) -> SiteUser {
        SiteUser(id: id, foldedID: folded ?? id, usernameDigests: names)
    }

    private func add(_ name: String, to user: SiteUser, max: Int = 3, spending text: String? = nil, _ bench: Bench)
        async throws -> PasskeyAddition
    {
        try await bench.stores.passkeys.add(
            bench.passkey(name), to: user, max: max, spending: bench.mark(text ?? name), at: bench.now)
    }

    @Test(arguments: Engines.all)
    func `a token that is attached a hundred times at once makes one passkey and one user`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        let (passkeys, user) = (bench.stores.passkeys, site("42", names: [[0, 0, 0, 1, 7]]))
        let additions = try await bench.race { stores, _ in
            try await stores.passkeys.add(
                bench.passkey("one"), to: user, max: 3, spending: bench.mark("token"), at: bench.now)
        }
        #expect(additions.count { $0 == .added } == 1 && additions.count { $0 == .spent } == 99)
        #expect(try await passkeys.passkeys(of: .id(folded: "42"), at: "example.com").count == 1)
        #expect(try await passkeys.passkeys(of: .username([[9], [0, 0, 0, 1, 7]]), at: "example.com").count == 1)
        #expect(try await passkeys.passkeys(of: .id(folded: "42"), at: "other.example").isEmpty)
    }

    @Test(arguments: Engines.all)
    func `of a hundred new users of one name one gets it, and of one user as many passkeys as allowed`(
        _ engine: any Engine
    ) async throws {
        let bench = try await Bench(engine)
        let named = try await bench.race { stores, number in
            try await stores.passkeys.add(
                bench.passkey("a\(number)"), to: site("user \(number)", names: [[0, 0, 0, 1, 7]]), max: 3,
                spending: bench.mark("a\(number)"), at: bench.now)
        }
        #expect(named.count { $0 == .added } == 1 && named.count { $0 == .usernameTaken } == 99)
        let ofOne = try await bench.race { stores, number in
            try await stores.passkeys.add(
                bench.passkey("b\(number)"), to: site("one"), max: 3, spending: bench.mark("b\(number)"),
                at: bench.now)
        }
        #expect(ofOne.count { $0 == .added } == 3 && ofOne.count { $0 == .tooMany } == 97)
        #expect(try await bench.stores.passkeys.passkeys(of: .exactID("one"), at: "example.com").count == 3)
    }

    @Test(arguments: Engines.all)
    func `a token that says who it was is redeemed once of a hundred times, and not for a passkey that is off`(
        _ engine: any Engine
    ) async throws {
        let bench = try await Bench(engine)
        let passkeys = bench.stores.passkeys
        #expect(try await add("one", to: site("42"), bench) == .added)
        let id = bench.passkey("one").id
        let users = try await bench.race { stores, _ in
            try await stores.passkeys.redeem(bench.mark("verify"), for: id, at: "example.com")?.siteUser
        }
        #expect(users.compactMap(\.self) == ["42"])
        #expect(try await passkeys.redeem(bench.mark("next"), for: id, at: "other.example") == nil)
        #expect(try await passkeys.change(id, at: "example.com", name: nil, isActive: false)?.isActive == false)
        #expect(try await passkeys.redeem(bench.mark("next"), for: id, at: "example.com") == nil)
        #expect(try await passkeys.change(id, at: "example.com", name: "Key", isActive: true)?.name == "Key")
        #expect(try await passkeys.redeem(bench.mark("next"), for: id, at: "example.com") != nil, "nothing was spent")
        #expect(try await passkeys.change(id, at: "other.example", name: "x", isActive: nil) == nil)
    }

    @Test(arguments: Engines.all)
    func `a refused attachment leaves nothing and spends nothing`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let first = site("1", names: [[0, 0, 0, 1, 7]])
        let second = site("2", names: [[0, 0, 0, 1, 7]])
        #expect(try await add("one", to: first, max: 1, bench) == .added)
        for (name, user, refusal) in [
            ("two", second, PasskeyAddition.usernameTaken), ("one", second, .usernameTaken), ("two", first, .tooMany),
            ("one", site("3"), .taken),
        ] {
            #expect(try await add(name, to: user, max: 1, spending: "token", bench) == refusal)
        }
        let renamed = site("1", names: [[0, 0, 0, 1, 8]])
        #expect(try await add("two", to: renamed, max: 9, spending: "token", bench) == .usernameDiffers)
        #expect(try await bench.stores.spent.spend(bench.mark("token")), "it was not spent")
        // The secret that made the first name is gone: the name that is given now takes its place.
        let renewed = site("1", names: [[0, 0, 0, 2, 9]])
        #expect(try await add("two", to: renewed, max: 9, bench) == .added)
        let named = try await bench.stores.passkeys.passkeys(of: .username([[0, 0, 0, 2, 9]]), at: "example.com")
        #expect(named.count == 2)
    }

    @Test(arguments: Engines.all)
    func `identifiers that differ in case are two users, and are found together by the folded one`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        let passkeys = bench.stores.passkeys
        #expect(try await add("one", to: site("Andy", folded: "andy"), bench) == .added)
        #expect(try await add("two", to: site("andy", folded: "andy"), bench) == .added)
        #expect(try await passkeys.passkeys(of: .id(folded: "andy"), at: "example.com").count == 2)
        #expect(try await passkeys.passkeys(of: .exactID("Andy"), at: "example.com") == [bench.passkey("one")])
        #expect(
            try await passkeys.passkey(Array("two".utf8), at: "example.com")?.owner == .siteUser("andy"))
    }

    @Test(arguments: Engines.all)
    func `with the last passkey the site's user goes, and the name is free`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let passkeys = bench.stores.passkeys
        let user = site("1", names: [[0, 0, 0, 1, 7]])
        for name in ["one", "two"] { #expect(try await add(name, to: user, bench) == .added) }
        #expect(try await !passkeys.remove(bench.passkey("one").id, at: "other.example"))
        #expect(try await passkeys.remove(bench.passkey("one").id, at: "example.com"))
        #expect(try await !passkeys.remove(bench.passkey("one").id, at: "example.com"))
        let other = site("2", names: [[0, 0, 0, 1, 7]])
        #expect(try await add("three", to: other, bench) == .usernameTaken)
        #expect(try await passkeys.remove(bench.passkey("two").id, at: "example.com"))
        #expect(try await add("three", to: other, bench) == .added)
    }

    @Test(arguments: Engines.all)
    func `a site does not reach users of this server, nor a user a site's`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (passkeys, andy) = (bench.stores.passkeys, try await bench.user())
        try await bench.addPasskey("own", to: andy)
        #expect(try await add("site", to: site("1"), bench) == .added)
        #expect(try await !passkeys.remove(bench.passkey("own").id, at: "example.com"))
        #expect(try await passkeys.change(bench.passkey("own").id, at: "example.com", name: "x", isActive: nil) == nil)
        #expect(try await passkeys.redeem(bench.mark("t"), for: bench.passkey("own").id, at: "example.com") == nil)
        let id = bench.passkey("site").id
        #expect(try await !passkeys.remove(id, of: andy.user.id, leaving: nil, at: bench.now))
    }

    @Test(arguments: Engines.all)
    func `an import adds each passkey to its user`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (passkeys, andy) = (bench.stores.passkeys, site("1", names: [[0, 0, 0, 1, 7]]))
        #expect(try await add("one", to: andy, bench) == .added)
        let batch = [
            SitePasskey(bench.passkey("two", count: 9), of: andy), SitePasskey(bench.passkey("three"), of: site("2")),
            SitePasskey(bench.passkey("four"), of: site("2")),
        ]
        #expect(try await passkeys.addAll(batch, max: 2, at: "example.com") == nil)
        #expect(try await passkeys.passkeys(of: .exactID("1"), at: "example.com").count == 2)
        let second = try await passkeys.passkeys(of: .exactID("2"), at: "example.com")
        #expect(Set(second.map(\.id)) == Set(batch.dropFirst().map(\.passkey.id)))
        #expect(try await passkeys.passkey(Array("two".utf8), at: "example.com")?.passkey == batch[0].passkey)
        #expect(try await passkeys.addAll([], max: 2, at: "example.com") == nil)
    }

    @Test(arguments: Engines.all)
    func `of an import with one refusal nothing is kept`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let passkeys = bench.stores.passkeys
        let andy = site("1", names: [[0, 0, 0, 1, 7]])
        #expect(try await add("one", to: andy, bench) == .added)
        let good = SitePasskey(bench.passkey("good"), of: site("2", names: [[0, 0, 0, 1, 8]]))
        let refused: [(SitePasskey, PasskeyAddition)] = [
            (SitePasskey(bench.passkey("one"), of: site("3")), .taken),
            (SitePasskey(bench.passkey("good"), of: site("3")), .taken),
            (SitePasskey(bench.passkey("two"), of: site("2")), .tooMany),
            (SitePasskey(bench.passkey("two"), of: site("3", names: [[0, 0, 0, 1, 7]])), .usernameTaken),
            (SitePasskey(bench.passkey("two"), of: site("3", names: [[0, 0, 0, 1, 8]])), .usernameTaken),
            (SitePasskey(bench.passkey("two"), of: site("1", names: [[0, 0, 0, 1, 9]])), .usernameDiffers),
        ]
        for (each, reason) in refused {
            let refusal = try await passkeys.addAll([good, each, good], max: 1, at: "example.com")
            #expect(refusal == SitePasskeyRefusal(index: 1, reason: reason))
            #expect(try await passkeys.passkey(Array("good".utf8), at: "example.com") == nil)
            #expect(try await passkeys.passkeys(of: .exactID("2"), at: "example.com").isEmpty)
        }
        // Of the user who was not kept the name is free.
        let named = SitePasskey(bench.passkey("three"), of: site("3", names: [[0, 0, 0, 1, 8]]))
        #expect(try await passkeys.addAll([named], max: 1, at: "example.com") == nil)
    }

    @Test(arguments: Engines.all)
    func `of a hundred imports of one passkey at once one is taken, with all that it brings`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        let refusals = try await bench.race { stores, number in
            try await stores.passkeys.addAll(
                [
                    SitePasskey(bench.passkey("own\(number)"), of: site("user \(number)")),
                    SitePasskey(bench.passkey("shared"), of: site("user \(number)")),
                ], max: 3, at: "example.com")
        }
        #expect(refusals.count { $0 == nil } == 1)
        #expect(refusals.count { $0 == SitePasskeyRefusal(index: 1, reason: .taken) } == 99)
        var kept = 0
        for number in 0..<100 {
            kept += try await bench.stores.passkeys.passkeys(of: .exactID("user \(number)"), at: "example.com").count
        }
        #expect(kept == 2)
    }
}
