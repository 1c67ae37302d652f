import KeyturnBase
import Model
import ServerTesting
import Testing

@Suite("Store: users' identities at providers")
struct FederatedIdentityTests {
    private static func key(_ subject: String = "s", at connection: String = "c") -> FederatedIdentity.Key {
        FederatedIdentity.Key(connectionID: connection, issuer: "https://provider.example", subject: subject)
    }

    private static func identity(
        of account: Account, _ bench: Bench, _ subject: String = "s", at connection: String = "c"
    ) -> FederatedIdentity {
        FederatedIdentity(
            key: key(subject, at: connection), userID: account.user.id, email: "a@provider.example", name: "A",
            linkedAt: bench.now, usedAt: bench.now)
    }

    @Test(arguments: Engines.withValues)
    func `an identity belongs to one user, and goes with them`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let identities = bench.stores.identities
        let (andy, bea) = (try await bench.user(), try await bench.user("bea@example.com"))
        let identity = Self.identity(of: andy, bench)
        #expect(try await identities.link(identity, epoch: andy.user.epoch) == .linked)
        #expect(try await identities.link(identity, epoch: andy.user.epoch) == .present)
        #expect(try await identities.identity(Self.key()) == identity)
        #expect(try await identities.link(Self.identity(of: bea, bench), epoch: bea.user.epoch) == .taken)
        #expect(try await identities.link(Self.identity(of: bea, bench, "2"), epoch: bea.user.epoch + 1) == .overtaken)
        let use = IdentityUse(key: Self.key(), email: nil, name: "New", tenantID: nil)
        _ = try await identities.use(use, of: andy.user.id, at: bench.now + 5) { _, _ in [] }
        let used = try #require(try await identities.identities(of: andy.user.id).first)
        #expect(used.usedAt == bench.now + 5 && used.name == "New" && used.email == nil)
        #expect(used.linkedAt == bench.now)
        #expect(try await bench.stores.users.delete(andy.user.id, at: bench.now))
        #expect(try await identities.identity(Self.key()) == nil)
    }

    @Test(arguments: Engines.withValues)
    func `identities in use are those of users with a session or a grant, in order`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let identities = bench.stores.identities
        let andy = try await bench.user()
        for subject in ["b", "a", "c"] {
            #expect(
                try await identities.link(Self.identity(of: andy, bench, subject), epoch: andy.user.epoch) == .linked)
        }
        let bea = try await bench.user("bea@example.com")
        #expect(try await identities.link(Self.identity(of: bea, bench, "d"), epoch: bea.user.epoch) == .linked)
        func inUse(after subject: String? = nil, limit: Int = 10, at connection: String = "c") async throws -> [String]
        {
            try await identities.inUse(at: connection, after: subject, limit: limit, at: bench.now).map(\.key.subject)
        }
        #expect(try await inUse() == [])
        let session = try await bench.openSession(of: andy)
        #expect(try await inUse() == ["a", "b", "c"])
        #expect(try await inUse(after: "a", limit: 1) == ["b"])
        #expect(try await inUse(at: "other") == [])
        #expect(try await bench.stores.sessions.end(session.id, of: andy.user.id, at: bench.now))
        #expect(try await inUse() == [])
        _ = try await bench.redeemedGrant(of: bea)
        #expect(try await inUse() == ["d"])
    }

    @Test(arguments: Engines.withValues)
    func `the last sign-out at the provider is kept, and a sign-in there comes after it`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        let (identities, now) = (bench.stores.identities, bench.now)
        let andy = try await bench.user()
        for subject in ["s", "other"] {
            let identity = Self.identity(of: andy, bench, subject)
            #expect(try await identities.link(identity, epoch: andy.user.epoch) == .linked)
        }
        for (seconds, kept) in [(Int64(0), Int64(0)), (5, 5), (3, 5)] {
            try await identities.noteSignOut(of: Self.key(), at: now + seconds)
            #expect(try await identities.identity(Self.key())?.signedOutAt == now + kept)
        }
        try await identities.noteSignOut(of: Self.key("unknown"), at: now)
        #expect(try await identities.identity(Self.key("other"))?.signedOutAt == nil)
        let use = IdentityUse(key: Self.key(), email: nil, name: nil, tenantID: nil)
        for seconds: Int64 in [5, 9] {
            _ = try await identities.use(use, of: andy.user.id, at: now + seconds) { _, _ in [] }
            #expect(try await identities.identity(Self.key())?.signedOutAt == now + 4)
        }
    }

    @Test(arguments: Engines.withValues)
    func `a user has so many identities at most`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        for number in 0..<Limits.identitiesOfUserMax {
            let identity = Self.identity(of: andy, bench, "\(number)")
            #expect(try await bench.stores.identities.link(identity, epoch: andy.user.epoch) == .linked)
        }
        let more = Self.identity(of: andy, bench, "more")
        #expect(try await bench.stores.identities.link(more, epoch: andy.user.epoch) == .tooMany)
    }

    @Test(arguments: Engines.withValues)
    func `F-54: of a hundred first sign-ins of one identity one makes a user`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let accounts = try (0..<100).map { try bench.account("user-\($0)") }
        let made = try await bench.race { stores, number in
            try await stores.identities.create(
                accounts[number], with: Self.identity(of: accounts[number], bench))
        }
        #expect(made.count { $0 } == 1)
        var users = 0
        for account in accounts where try await bench.stores.users.account(account.user.id) != nil { users += 1 }
        #expect(users == 1)
    }

    @Test(arguments: Engines.withValues)
    func `F-44, F-45: the last way in stays, and an unlinked identity is remembered`(_ engine: any Engine) async throws
    {
        let bench = try await Bench(engine)
        let identities = bench.stores.identities
        let andy = try bench.account("andy")
        #expect(try await identities.create(andy, with: Self.identity(of: andy, bench)))
        func unlink(_ subject: String = "s", _ ways: SignInWays = .connections(["c"])) async throws
            -> IdentityUnlinking
        {
            try await identities.unlink(Self.key(subject), of: andy.user.id, leaving: ways, at: bench.now)
        }
        #expect(try await unlink() == .lastWay)
        #expect(try await unlink("unknown") == .missing)
        let other = Self.identity(of: andy, bench, at: "off")
        #expect(try await identities.link(other, epoch: andy.user.epoch) == .linked)
        #expect(try await unlink() == .lastWay, "a connection that is switched off is no way in")
        #expect(try await !identities.wasUnlinked(Self.key()))
        #expect(try await unlink("s", .connections(["c", "off"])) == .unlinked)
        #expect(try await identities.wasUnlinked(Self.key()))
        #expect(try await identities.link(Self.identity(of: andy, bench), epoch: andy.user.epoch) == .linked)
        #expect(try await !identities.wasUnlinked(Self.key()), "its owner linked it again")
        try await bench.stores.passwords.set("$hash", of: andy.user.id, at: bench.now)
        #expect(try await unlink("s", .messages) == .lastWay, "passwords are not offered")
        let name = try #require(andy.identifiers.keys.first)
        _ = try await bench.stores.users.change(andy.user.id, at: bench.now) { $0.identifiers[name] = nil }
        #expect(try await unlink("s", .passwords) == .lastWay, "there is no name to enter with the password")
        _ = try await bench.stores.users.change(andy.user.id, at: bench.now) { $0.identifiers[name] = .unverified }
        #expect(try await unlink("s", .passwords) == .unlinked, "a password is a way in")
    }

    @Test(arguments: Engines.withValues)
    func `an identity that is linked again is the owner's link only if it was before`(_ engine: any Engine) async throws
    {
        let bench = try await Bench(engine)
        let identities = bench.stores.identities
        for isByOwner in [false, true] {
            let subject = isByOwner ? "own" : "provided"
            let user = try bench.account(subject)
            let key = Self.key(subject)
            var identity = FederatedIdentity(key: key, userID: user.user.id, linkedAt: bench.now, usedAt: bench.now)
            identity.isByOwner = isByOwner
            #expect(try await identities.create(user, with: identity))
            try await bench.stores.passwords.set("$hash", of: user.user.id, at: bench.now)
            identity.isByOwner = true
            for _ in 1...2 {
                let unlinked = try await identities.unlink(key, of: user.user.id, leaving: .passwords, at: bench.now)
                #expect(unlinked == .unlinked)
                let epoch = try #require(try await bench.stores.users.account(user.user.id)).user.epoch
                #expect(try await identities.link(identity, epoch: epoch) == .linked)
                #expect(try await identities.identity(key)?.isByOwner == isByOwner)
            }
        }
    }

    @Test(arguments: Engines.withValues)
    func `F-44: a verified address is a way in where messages are sent`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let identities = bench.stores.identities
        var bea = try bench.account("bea")
        bea.identifiers = [try bench.identifier("bea@example.com"): .verified]
        #expect(try await identities.create(bea, with: Self.identity(of: bea, bench)))
        for (ways, expected) in [(SignInWays.passwords, IdentityUnlinking.lastWay), (.messages, .unlinked)] {
            let result = try await identities.unlink(Self.key(), of: bea.user.id, leaving: ways, at: bench.now)
            #expect(result == expected)
        }
    }

    @Test(arguments: Engines.withValues)
    func `F-3: what was linked before an address was verified goes with the rest`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        #expect(
            try await bench.stores.identities.link(Self.identity(of: andy, bench), epoch: andy.user.epoch) == .linked)
        try await bench.stores.passwords.void(andy.user.id, keeping: nil, at: bench.now)
        #expect(try await bench.stores.identities.identities(of: andy.user.id).isEmpty)
    }

    @Test(arguments: Engines.withValues)
    func `the identities of two accounts that are merged belong to the one that stays`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        let (andy, bea) = (try await bench.user(), try await bench.user("bea@example.com"))
        for (account, subject) in [(andy, "1"), (bea, "2")] {
            #expect(
                try await bench.stores.identities.link(
                    Self.identity(of: account, bench, subject), epoch: account.user.epoch) == .linked)
        }
        _ = try await bench.stores.users.merge(
            asking: andy.user.id, existing: bea.user.id, proved: try bench.identifier("bea@example.com"),
            keeping: .asking, at: bench.now)
        let subjects = try await bench.stores.identities.identities(of: andy.user.id).map(\.key.subject)
        #expect(Set(subjects) == ["1", "2"])
    }

    @Test(arguments: Engines.withValues)
    func `F-47: sessions are found by the identity and the provider's session they began with`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        let identities = bench.stores.identities
        let andy = try await bench.user()
        let (one, two) = (try await bench.openSession(of: andy, "one"), try await bench.openSession(of: andy, "two"))
        for (session, provider) in [(one, "p1"), (two, "p2")] {
            try await identities.note(
                session: session.id, of: Self.key(), providerSession: provider, providerName: "kim \(provider)",
                expiresAt: bench.now + 60)
        }
        func found(_ provider: String?, _ key: FederatedIdentity.Key = Self.key(), after: Int64 = 0) async throws
            -> Set<SessionID>
        {
            Set(
                try await identities.sessions(of: key, providerSession: provider, at: bench.now + after).map(\.id))
        }
        #expect(try await found(nil) == [one.id, two.id])
        #expect(try await found("p1") == [one.id])
        #expect(try await found("p3").isEmpty)
        #expect(try await found(nil, Self.key("other")).isEmpty)
        #expect(try await found(nil, after: 60).isEmpty)
        func within(_ session: String, _ connection: String = "c", _ issuer: String = "https://provider.example")
            async throws -> [SessionID]
        {
            try await identities.sessions(
                inProviderSession: session, at: connection, issuer: issuer, at: bench.now
            ).map(\.id)
        }
        #expect(try await within("p2") == [two.id])
        #expect(try await within("p2", "other").isEmpty)
        #expect(try await within("p2", "c", "https://other.example").isEmpty)
    }

    @Test(arguments: Engines.withValues)
    func `S-46: sessions are found by the provider's name for the user, and tell where they began`(
        _ engine: any Engine
    ) async throws {
        let bench = try await Bench(engine)
        let identities = bench.stores.identities
        let andy = try await bench.user()
        let (one, two) = (try await bench.openSession(of: andy, "one"), try await bench.openSession(of: andy, "two"))
        try await identities.note(
            session: one.id, of: Self.key(), providerSession: "p1", providerName: "kim", expiresAt: bench.now + 60)
        try await identities.note(
            session: two.id, of: Self.key(), providerSession: nil, providerName: nil, expiresAt: bench.now + 60)
        let origin = try await identities.origin(of: one.id, at: bench.now)
        #expect(origin?.session == FederatedSession(id: one.id, userID: andy.user.id))
        #expect(origin?.key == Self.key() && origin?.providerSession == "p1" && origin?.providerName == "kim")
        #expect(try await identities.origin(of: two.id, at: bench.now)?.providerName == nil)
        #expect(try await identities.origin(of: one.id, at: bench.now + 60) == nil)
        let issuer = Self.key().issuer
        func found(_ name: String, _ connection: String = "c", after: Int64 = 0) async throws -> [SessionID] {
            try await identities.origins(named: name, at: connection, issuer: issuer, at: bench.now + after)
                .map(\.session.id)
        }
        #expect(try await found("kim") == [one.id])
        #expect(try await found("kim", "other").isEmpty)
        #expect(try await found("Kim").isEmpty)
        #expect(try await found("kim", after: 60).isEmpty)
        #expect(
            try await identities.origins(named: "kim", at: "c", issuer: "https://other.example", at: bench.now).isEmpty)
        _ = try await bench.stores.sessions.end(one.id, of: andy.user.id, at: bench.now)
        #expect(try await found("kim").isEmpty)
    }
}
