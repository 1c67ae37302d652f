import KeyturnBase
import Model
import Testing

@Suite("Store: past sign-ins, and disputed ones")
struct RiskStoreTests {
    private func past(_ bench: Bench, _ device: String, _ country: String? = nil, at time: UnixTime) -> PastSignIn {
        PastSignIn(
            device: bench.digest(device),
            place: NetworkLocation(
                country: country, coordinates: Coordinates(latitudeTenths: -339, longitudeTenths: 1_512)), at: time)
    }

    @Test(arguments: Engines.all)
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

    @Test(arguments: Engines.all)
    func `past sign-ins go with their user`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        try await bench.stores.risks.remember(past(bench, "one", at: bench.now), of: andy.user.id)
        _ = try await bench.stores.users.delete(andy.user.id, at: bench.now)
        #expect(try await bench.stores.risks.past(of: andy.user.id, at: bench.now) == [])
    }

    private func dispute(_ bench: Bench, _ user: Account, of time: UnixTime, _ name: String = "token") -> SignInDispute
    {
        SignInDispute(
            digest: bench.digest(name), userID: user.user.id, signedInAt: time, expiresAt: time + 86_400)
    }

    private func event(_ user: Account, at time: UnixTime) -> AuditEvent {
        AuditEvent(.signInDisputed, at: time, userID: user.user.id)
    }

    @Test(arguments: Engines.all)
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
        #expect(try await bench.stores.risks.isDisputed(dispute(bench, andy, of: bench.now)))
        #expect(try await !bench.stores.risks.isDisputed(dispute(bench, andy, of: bench.now, "other")))
    }

    @Test(arguments: Engines.all)
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
        let done = try await stores.risks.dispute(
            dispute(bench, andy, of: now), event: event(andy, at: now + 2), at: now + 2)
        #expect(done)
        var alive: [String] = []
        for name in ["older", "disputed", "later", "other"] {
            if try await bench.isAlive(session: name) { alive.append(name) }
        }
        #expect(alive == ["older", "other"])
        #expect(try await stores.risks.past(of: andy.user.id, at: now) == [old])
        let account = try #require(try await stores.users.account(andy.user.id))
        #expect(account.passwordHash == nil && !account.hasPasskey && account.user.epoch == 1)
        #expect(try await stores.passwords.state(of: andy.user.id).history == ["$argon2id$old"])
        #expect(try #require(try await stores.users.account(other.user.id)).passwordHash != nil)
    }

    @Test(arguments: Engines.all)
    func `a dispute of a user who is gone does nothing`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        _ = try await bench.stores.users.delete(andy.user.id, at: bench.now)
        let done = try await bench.stores.risks.dispute(
            dispute(bench, andy, of: bench.now), event: event(andy, at: bench.now), at: bench.now)
        #expect(!done)
        #expect(try await !bench.stores.risks.isDisputed(dispute(bench, andy, of: bench.now)))
    }
}
