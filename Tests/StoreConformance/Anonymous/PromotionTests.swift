import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

@Suite("Store: users without an account get one")
struct PromotionTests {
    /// A guest, and an account that they signed in to, whose code waits.
    private struct World: Sendable {
        let bench: Bench
        let guest: AnonymousTests.Guest
        let account: Account

        init(_ engine: any Engine, isNew: Bool = true) async throws {
            bench = try await Bench(engine)
            guest = bench.guest("one")
            let opened = try await bench.signUp(guest)
            guard opened == .opened(canReauthenticate: false) else { throw StoreError(.conflict) }
            account = try await bench.user()
            if !isNew { _ = try await bench.openGrant(of: account) }
        }

        func promotion(
            _ choice: AnonymousPromotion.Choice, mark: String = "request",
            by evidence: AnonymousPromotion.Evidence? = nil
        ) -> AnonymousPromotion {
            AnonymousPromotion(
                userID: guest.user.id, evidence: evidence ?? .key("one"), mark: bench.mark(mark), choice: choice)
        }

        /// Adds a code, and redeems it.
        func redeem(
            _ name: String, _ promotion: AnonymousPromotion, of user: Account? = nil
        ) async throws -> Redemption {
            let grant = bench.grant(of: user ?? account)
            let added = try await bench.stores.grants.add(
                grant, code: bench.code(name, promotion: promotion), ticket: nil)
            guard added == .added else { throw StoreError(.conflict) }
            return try await bench.stores.grants.redeem(bench.attempt(name), idleSeconds: 1_000, at: bench.now)
        }

        func found(_ user: UserID) async throws -> Account? { try await bench.stores.users.account(user) }
    }

    @Test(arguments: Engines.all)
    func `an account made for it becomes the anonymous user's, who stays`(_ engine: any Engine) async throws {
        let world = try await World(engine)
        let bench = world.bench
        try await bench.openSession(of: world.account)
        try await bench.addPasskey("key", to: world.account)
        guard case .promoted(let grant, let promotion) = try await world.redeem("code", world.promotion(.adopt)) else {
            throw StoreError(.missing)
        }
        #expect(grant.userID == world.guest.user.id && grant.isAnonymous == false && grant.canReauthenticate == true)
        #expect(promotion.choice == .adopt)
        let kept = try #require(try await world.found(world.guest.user.id))
        #expect(!kept.user.isAnonymous && kept.hasPasskey && kept.passwordHash == "$argon2id$old")
        #expect(kept.user.claims["nickname"] == "Guest" && kept.user.claims["name"] == "andy@example.com")
        #expect(kept.user.attributes == ["level": 7] && kept.identifiers == world.account.identifiers)
        #expect(try await world.found(world.account.user.id) == nil)
        #expect(try await bench.isAlive(grant))
        let session = try await bench.stores.sessions.session(bench.digest("cookie session"), at: bench.now)
        #expect(session?.0.userID == world.guest.user.id)
        #expect(try await bench.stores.anonymous.key("one") == nil)
        let identifier = try bench.identifier("andy@example.com")
        #expect(try await bench.stores.users.account(identifier)?.user.id == world.guest.user.id)
    }

    @Test(arguments: Engines.all)
    func `G-9: what an earlier user of the device may still hold ends with the promotion`(_ engine: any Engine)
        async throws
    {
        for choice in [AnonymousPromotion.Choice.adopt, .bring] {
            let world = try await World(engine, isNew: choice == .adopt)
            let bench = world.bench
            let guest = world.guest.account
            let bound = try await bench.openGrant(of: guest, key: "thumbprint")
            try await bench.openSession(of: guest, "guest's")
            try await bench.addPasskey("planted", to: guest)
            guard case .promoted(let grant, _) = try await world.redeem("code", world.promotion(choice)) else {
                throw StoreError(.missing)
            }
            #expect(try await bench.isAlive(grant))
            #expect(try await !bench.isAlive(world.guest.grant), "anybody may have a copy")
            #expect(try await !bench.isAlive(bound), "the key may be another person's")
            #expect(try await bench.stores.sessions.session(bench.digest("cookie guest's"), at: bench.now) == nil)
            #expect(try await bench.stores.passkeys.passkeys(of: grant.userID, at: nil).isEmpty)
        }
    }

    @Test(arguments: Engines.all)
    func `an account that exists gets what the user had, or it is removed`(_ engine: any Engine) async throws {
        for choice in [AnonymousPromotion.Choice.bring, .leave] {
            let world = try await World(engine, isNew: false)
            guard case .promoted(let grant, _) = try await world.redeem("code", world.promotion(choice)) else {
                throw StoreError(.missing)
            }
            #expect(grant.userID == world.account.user.id)
            #expect(try await world.found(world.guest.user.id) == nil)
            #expect(try await !world.bench.isAlive(world.guest.grant))
            let kept = try #require(try await world.found(world.account.user.id))
            #expect(kept.user.claims["name"] == "andy@example.com")
            #expect(kept.user.claims["nickname"] == (choice == .bring ? "Guest" : nil))
            #expect(kept.user.attributes == (choice == .bring ? ["level": 7] : [:]))
        }
    }

    @Test(arguments: Engines.all)
    func `an account that a client knows is never renamed`(_ engine: any Engine) async throws {
        let world = try await World(engine, isNew: false)
        #expect(try await world.redeem("code", world.promotion(.adopt)) == .promotionRefused)
        #expect(try await world.found(world.account.user.id) == world.account)
        #expect(try await world.found(world.guest.user.id)?.user.isAnonymous == true)
    }

    @Test(arguments: Engines.all)
    func `of a hundred promotions with one request, and of a hundred requests, one promotes`(_ engine: any Engine)
        async throws
    {
        for isSame in [true, false] {
            let world = try await World(engine, isNew: false)
            let bench = world.bench
            for number in 0..<100 {
                let code = bench.code(
                    "\(number)", promotion: world.promotion(.bring, mark: isSame ? "request" : "\(number)"))
                _ = try await bench.stores.grants.add(bench.grant(of: world.account), code: code, ticket: nil)
            }
            let redeemed = try await bench.race { stores, number in
                try await stores.grants.redeem(bench.attempt("\(number)"), idleSeconds: 1_000, at: bench.now)
            }
            let promoted = redeemed.count { if case .promoted = $0 { true } else { false } }
            #expect(promoted == 1)
            #expect(redeemed.count { $0 == .promotionRefused } == 99)
            let live = try await bench.stores.grants.grants(of: world.account.user.id, limit: 200, at: bench.now)
            #expect(live.count == 2, "those that were refused are over")
        }
    }

    @Test(arguments: Engines.all)
    func `a user who has an account, whose key is gone, or whose session is over is not promoted`(
        _ engine: any Engine
    ) async throws {
        let world = try await World(engine)
        let bench = world.bench
        #expect(try await world.redeem("1", world.promotion(.bring, by: .key("two"))) == .promotionRefused)
        let session = AnonymousPromotion.Evidence.session(world.guest.grant.id)
        _ = try await bench.stores.grants.end(
            world.guest.grant.id, of: world.guest.user.id, reason: .logout, at: bench.now)
        #expect(
            try await world.redeem("2", world.promotion(.bring, mark: "2", by: session)) == .promotionRefused)
        #expect(try await world.found(world.guest.user.id)?.user.isAnonymous == true)
        _ = try await bench.stores.users.change(world.guest.user.id, at: bench.now) {
            if let name = Identifier(loginID: "guest@example.com") { $0.identifiers[name] = .verified }
        }
        #expect(try await world.redeem("3", world.promotion(.bring, mark: "3")) == .promotionRefused)
        #expect(try await world.found(world.account.user.id)?.user.attributes == [:])
        _ = try await bench.stores.users.delete(world.guest.user.id, at: bench.now)
        #expect(try await world.redeem("4", world.promotion(.leave, mark: "4")) == .promotionRefused)
    }

    @Test(arguments: Engines.all)
    func `a live session of the user is as good as the key`(_ engine: any Engine) async throws {
        let world = try await World(engine)
        let evidence = AnonymousPromotion.Evidence.session(world.guest.grant.id)
        guard case .promoted(let grant, _) = try await world.redeem("code", world.promotion(.adopt, by: evidence))
        else {
            throw StoreError(.missing)
        }
        #expect(grant.userID == world.guest.user.id)
    }
}
