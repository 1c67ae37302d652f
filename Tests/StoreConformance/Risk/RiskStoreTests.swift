import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

@Suite("Store: past sign-ins, and disputed ones")
struct RiskStoreTests {
    private func past(
        _ bench: Bench, _ device: String, _ country: String? = nil, at time: UnixTime, isTrusted: Bool = true
    ) -> PastSignIn {
        PastSignIn(
            device: bench.digest(device),
            place: NetworkLocation(
                country: country, coordinates: Coordinates(latitudeTenths: -339, longitudeTenths: 1_512)), at: time,
            isTrusted: isTrusted)
    }

    @Test(arguments: Engines.withValues)
    func `one is kept for each device and country, the last first`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (risks, now) = (bench.stores.risks, bench.now)
        let andy = try await bench.user().user.id
        let first = past(bench, "one", at: now)
        try await risks.remember(first, of: andy)
        #expect(try await risks.past(of: andy, at: now) == [first])
        let german = past(bench, "one", "DE", at: now + 1)
        try await risks.remember(german, of: andy)
        let again = past(bench, "one", at: now + 2)
        try await risks.remember(again, of: andy)
        #expect(try await risks.past(of: andy, at: now + 2) == [again, german])
        try await risks.remember(first, of: UserID(rawValue: "nobody"))
        #expect(try await risks.past(of: UserID(rawValue: "nobody"), at: now) == [])
    }

    @Test(arguments: Engines.all)
    func `those used longest ago make room, and old ones are forgotten at their second`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        let (risks, now) = (bench.stores.risks, bench.now)
        let andy = try await bench.user().user.id
        let other = try await bench.user("other@example.com").user.id
        try await risks.remember(past(bench, "other", at: now - 9), of: other)
        for number in 0...Limits.pastSignInsMax {
            try await risks.remember(past(bench, "device \(number)", at: now + Int64(number)), of: andy)
        }
        let kept = try await risks.past(of: andy, at: now)
        #expect(kept.count == Limits.pastSignInsMax && kept.last?.device == bench.digest("device 1"))
        #expect(try await risks.past(of: other, at: now).count == 1)
        let end = now + 1 + Limits.pastSignInSeconds
        #expect(try await risks.past(of: andy, at: end - 1).count == Limits.pastSignInsMax)
        #expect(try await risks.past(of: andy, at: end).count == Limits.pastSignInsMax - 1)
        _ = try await bench.stores.maintenance.removeExpired(limit: 100, at: end)
        #expect(try await risks.past(of: andy, at: now).count == Limits.pastSignInsMax - 1)
        #expect(try await risks.past(of: other, at: now) == [])
    }

    @Test(arguments: Engines.withValues)
    func `past sign-ins go with their user`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        try await bench.stores.risks.remember(past(bench, "one", at: bench.now), of: andy.user.id)
        _ = try await bench.stores.users.delete(andy.user.id, at: bench.now)
        #expect(try await bench.stores.risks.past(of: andy.user.id, at: bench.now) == [])
    }

    @Test(arguments: Engines.withValues)
    func `one that is not trusted takes the place of no trusted one, and pushes none out`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        let (risks, now) = (bench.stores.risks, bench.now)
        let andy = try await bench.user().user.id
        let own = past(bench, "own", "DE", at: now)
        try await risks.remember(own, of: andy)
        let same = past(bench, "own", "DE", at: now + 1, isTrusted: false)
        try await risks.remember(same, of: andy)
        #expect(try await risks.past(of: andy, at: now + 1) == [same, own])
        for number in 0...Limits.pastSignInsMax {
            try await risks.remember(past(bench, "\(number)", at: now + 2, isTrusted: false), of: andy)
        }
        let kept = try await risks.past(of: andy, at: now + 2)
        #expect(kept.filter(\.isTrusted) == [own])
        #expect(kept.count == 1 + Limits.pastSignInsMax)
    }

    private func dispute(
        _ bench: Bench, _ user: Account, of time: UnixTime, begunAt start: UnixTime? = nil, _ name: String = "token"
    ) -> SignInDispute {
        SignInDispute(
            digest: bench.digest(name), userID: user.user.id, signedInAt: time, startedAt: start ?? time,
            expiresAt: time + 86_400)
    }

    private func event(_ user: Account, at time: UnixTime) -> AuditEvent {
        AuditEvent(.signInDisputed, at: time, userID: user.user.id)
    }

    @Test(arguments: Engines.withValues)
    func `86: of a hundred disputes of one sign-in one counts`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        let done = try await bench.race { stores, _ in
            try await stores.risks.dispute(
                dispute(bench, andy, of: bench.now), event: event(andy, at: bench.now), at: bench.now)
        }
        #expect(done.count { $0 } == 1)
        #expect(try await bench.epoch(of: andy) == 1)
        let events = try await bench.stores.audit.newest(limit: 500)
        #expect(events.count { $0.kind == .signInDisputed } == 1)
        #expect(try await bench.stores.risks.state(of: dispute(bench, andy, of: bench.now)) == .carriedOut)
        #expect(try await bench.stores.risks.state(of: dispute(bench, andy, of: bench.now, "other")) == .open)
    }

    @Test(arguments: Engines.withValues)
    func `a dispute ends what began with the sign-in or after it, and nothing older`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        let (stores, now) = (bench.stores, bench.now)
        let andy = try await bench.user()
        let other = try await bench.user("other@example.com")
        try await bench.openSession(of: andy, "older", at: now - 1)
        try await bench.openSession(of: andy, "disputed", at: now)
        try await bench.openSession(of: andy, "later", at: now + 1)
        try await bench.openSession(of: other, "other", at: now)
        let (old, new) = (past(bench, "old", at: now - 1), past(bench, "new", at: now))
        for signIn in [old, new] { try await stores.risks.remember(signIn, of: andy.user.id) }
        try await bench.addPasskey("new", to: andy)
        for (claim, time) in [("name", now - 1), ("email", now)] {
            try await stores.consents.remember(
                Consent(scope: .none, claims: [claim], resources: ["https://\(claim)/"]), redirectURI: nil,
                of: andy.user.id, to: "web", at: time)
        }
        let done = try await stores.risks.dispute(
            dispute(bench, andy, of: now), event: event(andy, at: now + 2), at: now + 2)
        #expect(done)
        var alive: [String] = []
        for name in ["older", "disputed", "later", "other"] {
            if try await bench.isAlive(session: name) { alive.append(name) }
        }
        #expect(alive == ["older", "other"])
        #expect(try await stores.risks.past(of: andy.user.id, at: now) == [old])
        let left = Consent(scope: .none, claims: ["name"], resources: ["https://name/"])
        #expect(try await stores.consents.consent(of: andy.user.id, to: "web") == left)
        let account = try #require(try await stores.users.account(andy.user.id))
        #expect(account.passwordHash == nil && !account.hasPasskey && account.user.epoch == 1)
        #expect(try await stores.passwords.state(of: andy.user.id).history == ["$argon2id$old"])
        #expect(try #require(try await stores.users.account(other.user.id)).passwordHash != nil)
    }

    @Test(arguments: Engines.withValues)
    func `a dispute of a user who is gone does nothing`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        _ = try await bench.stores.users.delete(andy.user.id, at: bench.now)
        let done = try await bench.stores.risks.dispute(
            dispute(bench, andy, of: bench.now), event: event(andy, at: bench.now), at: bench.now)
        #expect(!done)
        #expect(try await bench.stores.risks.state(of: dispute(bench, andy, of: bench.now)) == .void)
    }

    private func carryOut(_ dispute: SignInDispute, _ bench: Bench, _ user: Account, at time: UnixTime) async throws {
        let done = try await bench.stores.risks.dispute(dispute, event: event(user, at: time), at: time)
        #expect(done)
    }

    @Test(arguments: Engines.withValues)
    func `what was added while the disputed sign-in was under way goes too`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (stores, now) = (bench.stores, bench.now)
        let andy = try await bench.user()
        let id = andy.user.id
        // Its page was opened before the sign-in began, and its first code was entered in it.
        let pending = bench.authenticator("new")
        #expect(
            try await stores.authenticators.add(
                pending, of: .user(id), replaces: false, pendingMax: 3, expiresAt: now + 600, at: now - 300))
        #expect(try await stores.authenticators.accept(step: 1, of: pending.id, at: now - 60))
        for (subject, time) in [("old", now - 301), ("new", now - 300)] {
            let identity = FederatedIdentity(
                key: FederatedIdentity.Key(connectionID: "c", issuer: "i", subject: subject), userID: id,
                linkedAt: time, usedAt: time)
            #expect(try await stores.identities.link(identity, epoch: andy.user.epoch) == .linked)
        }
        try await carryOut(dispute(bench, andy, of: now, begunAt: now - 300), bench, andy, at: now + 1)
        #expect(try await stores.users.account(id)?.hasAuthenticator == false)
        #expect(try await stores.identities.identities(of: id).map(\.key.subject) == ["old"])
    }

    /// The addresses and names of a user, and the address of messages.
    private func names(_ bench: Bench, _ user: Account) async throws -> [String] {
        let account = try #require(try await bench.stores.users.account(user.user.id))
        return account.identifiers.keys.map(\.value).sorted() + ["to \(account.email ?? "nobody")"]
    }

    @Test(arguments: Engines.withValues)
    func `a dispute restores addresses and names as they were when the sign-in began`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        let (users, long) = (bench.stores.users, Limits.recoveryProofAgeSeconds)
        let now = bench.now + long + 60
        var andy = try bench.account("andy@example.com", "andy", hash: "$argon2id$old")
        andy.set(.email, "Andy@Example.com", isVerified: true)
        try await users.create(andy, authenticator: nil)
        let (own, name) = (try bench.identifier("andy@example.com"), try bench.identifier("andy"))
        let (second, evil) = (try bench.identifier("second@example.com"), try bench.identifier("evil@example.com"))
        let evilName = try bench.identifier("evil")
        _ = try await users.change(andy.user.id, at: now - long) { $0.noteVerified(second) }
        _ = try await users.change(andy.user.id, at: now) { $0.noteVerified(evil) }
        _ = try await users.change(andy.user.id, at: now + 1) { account in
            account.set(.email, evil.value, isVerified: true)
            account.identifiers[evilName] = .verified
        }
        _ = try await users.change(andy.user.id, at: now + 2) { account in
            for gone in [own, second, name] { account.identifiers[gone] = nil }
        }
        #expect(try await names(bench, andy) == ["evil", "evil@example.com", "to evil@example.com"])
        try await carryOut(dispute(bench, andy, of: now), bench, andy, at: now + 3)
        let before = ["andy", "andy@example.com", "second@example.com", "to Andy@Example.com"]
        #expect(try await names(bench, andy) == before)
        let account = try #require(try await users.account(andy.user.id))
        #expect(account.isEmailVerified && account.identifiers.values.allSatisfy { $0 == .verified })
        let new = try await bench.stores.recoveries.addresses(of: andy.user.id, provedAfter: now - long - 1)
        #expect(new == [second], "what was restored is as old as it was")
        // A later sign-in of the thief is disputed after the first: it brings nothing back.
        try await carryOut(dispute(bench, andy, of: now + 1, "later"), bench, andy, at: now + 4)
        #expect(try await names(bench, andy) == before)
    }

    @Test(arguments: Engines.withValues)
    func `a stranger who changes addresses and names very often pushes nothing of the owner out`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        let (users, now) = (bench.stores.users, bench.now)
        var andy = try bench.account("andy@example.com", hash: "$argon2id$old")
        andy.set(.email, "andy@example.com", isVerified: true)
        try await users.create(andy, authenticator: nil)
        let own = try bench.identifier("andy@example.com")
        for number in 0...Limits.formerIdentifiersMax {
            let evil = try bench.identifier("evil-\(number % 2)@example.com")
            let name = try bench.identifier("evil\(number)")
            let at = now + Int64(number)
            _ = try await users.change(andy.user.id, at: at) { account in
                account.noteVerified(evil)
                account.set(.email, evil.value, isVerified: true)
                account.identifiers[name] = .verified
            }
            _ = try await users.change(andy.user.id, at: at) { $0.identifiers[name] = nil }
        }
        let last = now + Int64(Limits.formerIdentifiersMax) + 1
        _ = try await users.change(andy.user.id, at: last) { $0.identifiers[own] = nil }
        try await carryOut(dispute(bench, andy, of: now), bench, andy, at: last + 1)
        #expect(try await names(bench, andy) == ["andy@example.com", "to andy@example.com"])
    }

    @Test(arguments: Engines.withValues)
    func `what another user took meanwhile stays there, and what the owner added again stays`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        let (users, now) = (bench.stores.users, bench.now)
        let andy = try bench.account("andy@example.com", "taken@example.com", hash: "$argon2id$old")
        try await users.create(andy, authenticator: nil)
        let (own, taken) = (try bench.identifier("andy@example.com"), try bench.identifier("taken@example.com"))
        _ = try await users.change(andy.user.id, at: now + 1) { $0.identifiers = [:] }
        try await users.create(try bench.account("taken@example.com"), authenticator: nil)
        _ = try await users.change(andy.user.id, at: now + 2) { $0.noteVerified(own) }
        let dispute = dispute(bench, andy, of: now)
        #expect(try await bench.stores.risks.restorable(dispute) == [own, taken])
        try await carryOut(dispute, bench, andy, at: now + 3)
        #expect(try await bench.stores.risks.restorable(dispute) == [])
        #expect(try await names(bench, andy) == ["andy@example.com", "to andy@example.com"])
        #expect(try await users.account(taken)?.user.id != andy.user.id)
    }

    @Test(arguments: Engines.all)
    func `what a dispute could restore is forgotten when no link works any more`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let users = bench.stores.users
        let now = bench.now + Limits.recoveryProofAgeSeconds + 60
        let end = now + Limits.identifierHistorySeconds
        for (name, cleanedAt, isBack) in [("andy@example.com", end - 1, true), ("bea@example.com", end, false)] {
            let user = try await bench.user(name)
            let other = try bench.identifier("other-\(name)")
            _ = try await users.change(user.user.id, at: now - Limits.recoveryProofAgeSeconds) {
                $0.noteVerified(other)
            }
            _ = try await users.change(user.user.id, at: now) { $0.identifiers[other] = nil }
            _ = try await bench.stores.maintenance.removeExpired(limit: 100, at: cleanedAt)
            try await carryOut(dispute(bench, user, of: now, name), bench, user, at: cleanedAt)
            #expect((try await users.account(other) != nil) == isBack)
        }
    }
}
