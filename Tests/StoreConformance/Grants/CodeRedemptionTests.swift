import KeyturnBase
import Model
import Testing

@Suite("Store: authorization codes")
struct CodeRedemptionTests {
    @Test(arguments: Engines.withValues)
    func `a grant is found by its code whatever its state, and looking changes nothing`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        let grant = try await bench.addGrant(of: andy)
        for _ in 0..<2 { #expect(try await bench.stores.grants.grant(ofCode: bench.digest("code")) == grant) }
        #expect(try await bench.stores.grants.grant(ofCode: bench.digest("other")) == nil)
        #expect(try await !bench.isAlive(grant), "its code was not redeemed")
        #expect(try await bench.stores.grants.live(grant.id, at: bench.now) == nil)
    }

    @Test(arguments: Engines.withValues)
    func `26: of a hundred redemptions one is granted, the others are replays, and the grant is over`(
        _ engine: any Engine
    ) async throws {
        let bench = try await Bench(engine)
        let grant = try await bench.addGrant(of: try await bench.user())
        let attempt = bench.attempt()
        let results = try await bench.race { [now = bench.now] stores, _ in
            try await stores.grants.redeem(attempt, idleSeconds: 500, at: now)
        }
        #expect(results.count { if case .granted = $0 { true } else { false } } == 1)
        #expect(results.count { $0 == .replayed(grant.id) || $0 == .overtaken } == 99)
        #expect(try await bench.stores.grants.live(grant.id, at: bench.now) == nil)
        #expect(try await bench.renew(grant, counter: 0) == .ended(.codeReplay))
    }

    @Test(arguments: Engines.withValues)
    func `a redeemed grant is alive, and its idle time begins with the redemption`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let grant = try await bench.addGrant(of: try await bench.user())
        let redemption = try await bench.stores.grants.redeem(bench.attempt(), idleSeconds: 500, at: bench.now + 59)
        guard case .granted(let granted) = redemption else {
            Issue.record("\(redemption)")
            return
        }
        #expect(granted.id == grant.id && granted.idleExpiresAt == bench.now + 559)
        #expect(granted.canReauthenticate == true, "the user has a password")
        #expect(try await bench.isAlive(grant, at: bench.now + 558))
        #expect(try await !bench.isAlive(grant, at: bench.now + 559))
    }

    @Test(arguments: Engines.withValues)
    func `the idle time never goes beyond the absolute end`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let grant = try await bench.addGrant(of: try await bench.user())
        _ = try await bench.stores.grants.redeem(bench.attempt(), idleSeconds: 1_000_000, at: bench.now)
        #expect(try await bench.isAlive(grant, at: bench.now + 99_999))
        #expect(try await !bench.isAlive(grant, at: bench.now + 100_000))
    }

    @Test(arguments: Engines.withValues)
    func `a code is good before its end, and not in that second`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        _ = try await bench.addGrant(of: try await bench.user())
        let late = try await bench.stores.grants.redeem(bench.attempt(), idleSeconds: 500, at: bench.now + 60)
        #expect(late == .expired)
        let inTime = try await bench.stores.grants.redeem(bench.attempt(), idleSeconds: 500, at: bench.now + 59)
        guard case .granted = inTime else {
            Issue.record("\(inTime): a refusal consumed the code")
            return
        }
    }

    @Test(arguments: Engines.withValues)
    func `what does not fit is refused, consumes nothing and ends nothing`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        let grant = bench.grant(of: andy)
        let added = try await bench.stores.grants.add(grant, code: bench.code(key: "key"), ticket: nil)
        #expect(added == .added)
        func redeem(_ attempt: CodeAttempt) async throws -> Redemption {
            try await bench.stores.grants.redeem(attempt, idleSeconds: 500, at: bench.now)
        }
        for _ in 0..<2 {
            #expect(try await redeem(bench.attempt(client: "other", key: "key")) == .unknown)
            #expect(try await redeem(bench.attempt("other", key: "key")) == .unknown)
            #expect(try await redeem(bench.attempt(redirectURI: "https://evil/", key: "key")) == .mismatched)
            #expect(try await redeem(bench.attempt(redirectURI: nil, key: "key")) == .mismatched)
            #expect(try await redeem(bench.attempt(challenge: "other", key: "key")) == .mismatched)
            #expect(try await redeem(bench.attempt(challenge: nil, key: "key")) == .mismatched)
            #expect(try await redeem(bench.attempt(key: "other")) == .mismatched)
            #expect(try await redeem(bench.attempt(key: nil)) == .mismatched)
        }
        let right = bench.attempt(redirectURI: nil, mayOmit: true, key: "key", bindsGrant: true)
        guard case .granted(let granted) = try await redeem(right) else {
            Issue.record("a refusal consumed the code")
            return
        }
        #expect(granted.keyThumbprint == "key")
        #expect(try await redeem(bench.attempt(challenge: "other", key: "key")) == .mismatched)
        #expect(try await bench.isAlive(grant), "the code alone does not end the session")
    }

    @Test(arguments: Engines.withValues)
    func `a grant that ended before its code was redeemed stays ended`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        _ = try await bench.addGrant(of: andy)
        #expect(
            try await bench.stores.grants.endEverything(of: andy.user.id, reason: .administrator, at: bench.now) == 1)
        #expect(try await bench.stores.grants.redeem(bench.attempt(), idleSeconds: 500, at: bench.now) == .ended)
    }

    @Test(arguments: Engines.withValues)
    func `no grant is written from a session that is over, or of another user`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        let bea = try await bench.user("bea@example.com")
        let session = try await bench.openSession(of: andy)
        let foreign = try await bench.stores.grants.add(
            bench.grant(of: bea, session: session.id), code: bench.code("one"), ticket: nil)
        #expect(foreign == .sessionEnded)
        let own = bench.grant(of: andy, session: session.id)
        #expect(try await bench.stores.grants.add(own, code: bench.code("two"), ticket: nil) == .added)
        #expect(try await bench.stores.sessions.end(session.id, of: andy.user.id, at: bench.now))
        let late = try await bench.stores.grants.add(
            bench.grant(of: andy, session: session.id), code: bench.code("three"), ticket: nil)
        #expect(late == .sessionEnded)
        for name in ["one", "three"] {
            #expect(try await bench.stores.grants.grant(ofCode: bench.digest(name)) == nil)
        }
    }

    @Test(arguments: Engines.withValues)
    func `a sign-in that proves a session's person again renews the facts of its grants`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        let session = try await bench.openSession(of: andy)
        let old = try await bench.openGrant(of: andy, session: session.id)
        let elsewhere = try await bench.openGrant(of: andy, client: "other", session: session.id)
        let before = try await bench.openGrant(of: andy, session: session.id, at: bench.now - 1)
        let newer = bench.grant(of: andy, at: bench.now + 10)
        _ = try await bench.stores.grants.add(
            newer, code: bench.code(reauthenticates: session.id, since: bench.now), ticket: nil)
        let redemption = try await bench.stores.grants.redeem(bench.attempt(), idleSeconds: 500, at: bench.now + 10)
        guard case .granted(let granted) = redemption else {
            Issue.record("\(redemption)")
            return
        }
        #expect(granted.sessionID == session.id)
        let renewed = try await bench.stores.grants.live(old.id, at: bench.now + 10)
        #expect(renewed?.grant.authentication.time == bench.now + 10)
        let untouched = try await bench.stores.grants.live(elsewhere.id, at: bench.now + 10)
        #expect(untouched?.grant.authentication.time == bench.now, "another client's")
        let older = try await bench.stores.grants.live(before.id, at: bench.now + 10)
        #expect(older?.grant.authentication.time == bench.now - 1, "of an earlier sign-in in the session")
    }
}
