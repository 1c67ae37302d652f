import KeyturnBase
import KeyturnVerify
import Testing

@testable import Keyturn

@Suite("Sessions while several do something at once")
struct RaceTests {
    @Test func `what a task reads of a renewal before the renewal hears of it is not taken for somebody else's`()
        async throws
    {
        let world = try World()
        let auth = try await world.signedIn()
        world.clock.advance(600)
        let (asking, writing) = (Gate(), Gate())
        await world.service.fail("/token", .answerHeld(asking))
        let caller = Task { try await auth.accessToken() }
        await asking.someoneArrives()
        await world.store.holdAfterWriting(writing)
        await asking.open()
        await writing.someoneArrives()
        world.clock.advance(1)
        let seen = try await auth.accessToken()
        await writing.open()
        #expect(try await caller.value == seen)
        #expect(await auth.state == .signedIn(.fresh))
        #expect(await world.store.read("default").record != nil)
    }

    @Test func `a slow look at the last session does not bring it back over the next one`() async throws {
        let world = try World()
        let auth = try await world.signedIn()
        let other = world.container()
        try await other.start()
        _ = try await other.forceRefresh()
        world.clock.advance(1)
        let gate = Gate()
        await world.store.holdAfterReading(gate)
        let looking = Task { try await auth.accessToken() }
        await gate.someoneArrives()
        await world.service.set { $0.subject = "bert" }
        try await auth.authorize(redirectURI: World.redirectURI)
        await gate.open()
        _ = try await looking.value
        #expect(await auth.idToken?.subject == "bert")
        #expect(try await auth.fetchAPI() == 200)
    }

    @Test func `an answer counts although somebody else has begun the same renewal`() async throws {
        let world = try World()
        let first = try await world.signedIn()
        world.clock.advance(600)
        let gate = Gate()
        await world.service.fail("/token", .answerHeld(gate))
        let caller = Task { try await first.accessToken() }
        await gate.someoneArrives()
        // Another process has lost patience with the lock, stored its intent, and not asked yet.
        let stored = try #require(await world.store.read("default").record)
        let intent = try SessionRecord(stored).beginningRenewal(at: world.clock.now)
        let outcome = try await world.store.write(intent.stored, for: "default", when: .generation(stored.generation))
        #expect(outcome == .done)
        await gate.open()
        let token = try await caller.value
        #expect(await world.service.validAccessTokens.contains(token))
        #expect(try await world.container().accessToken() == token)
        #expect(await world.service.count("/token") == 2)
        // They may still ask with what came before. If the successor were used meanwhile, theirs would look stolen.
        await #expect(throws: AuthError(.unavailable, "")) { try await first.forceRefresh() }
        #expect(await world.service.count("/token") == 2)
        #expect(try await first.accessToken() == token)
        world.clock.advance(Limits.renewalSecondsMax)
        #expect(try await first.forceRefresh() != token)
    }

    @Test(arguments: [Service.Kind.keyturn, .openID])
    func `tokens are not used up while a rival's request could look like a thief's`(_ kind: Service.Kind) throws {
        let now = UnixTime(rawValue: 1_000_000)
        let client = SessionRecord.Client(kind: kind, issuer: "https://id.example.com", clientID: "app")
        let record = SessionRecord(
            generation: Generation(signIn: "a", number: 1), client: client, accessToken: "old", obtainedAt: now,
            expiresAt: now, refreshToken: "one", idToken: nil, scope: .none)
        let grant = TokenGrant(
            accessToken: "new", expiresInSeconds: 600, refreshToken: "two", idToken: nil, scope: nil)
        func isFollowed(rivalAfter seconds: Int64) -> Bool {
            let rival = record.beginningRenewal(at: now).beginningRenewal(at: now + seconds)
            return rival.beginningRenewal(at: now + seconds + 1, beside: now + seconds)
                .renewed(by: grant, at: now + seconds + 2).isFollowed(at: now + seconds + 2)
        }
        #expect(isFollowed(rivalAfter: 0) == (kind == .openID), "nobody promised that the minute counts elsewhere")
        #expect(isFollowed(rivalAfter: 10) == (kind == .openID))
        #expect(isFollowed(rivalAfter: 11), "the tokens may have been superseded by the first, long before the rival")
    }

    @Test func `a verdict on a token that somebody replaces meanwhile ends nothing`() async throws {
        let world = try World()
        let auth = try await world.signedIn()
        world.clock.advance(600)
        let (asking, judging) = (Gate(), Gate())
        await world.service.fail("/token", .held(asking))
        let caller = Task { try await auth.accessToken() }
        await asking.someoneArrives()
        await world.service.forgetSession()
        await world.store.holdAfterReading(judging)
        await asking.open()
        await judging.someoneArrives()
        // The refusal is in, the store still holds what was refused; now another process stores what it got.
        let record = try SessionRecord(try #require(await world.store.read("default").record))
        let grant = TokenGrant(
            accessToken: "theirs", expiresInSeconds: 600, refreshToken: "next", idToken: nil, scope: nil)
        let next = record.renewed(by: grant, at: world.clock.now)
        _ = try await world.store.write(next.stored, for: "default", when: .generation(record.generation))
        await judging.open()
        #expect(try await caller.value == "theirs")
        #expect(await auth.state == .signedIn(.fresh))
        #expect(await world.store.read("default").record?.generation == next.generation)
    }

    @Test func `a token refused after somebody else signed in is not replaced by theirs`() async throws {
        let world = try World()
        let auth = try await world.signedIn()
        let andys = try await auth.accessToken()
        let renewed = try await auth.forceRefresh()
        #expect(try await auth.replacement(for: andys) == renewed)
        try await auth.logout()
        await world.service.set { $0.subject = "bert" }
        try await auth.authorize(redirectURI: World.redirectURI)
        await #expect(throws: AuthError(.signedOut, "")) { try await auth.replacement(for: andys) }
    }

    @Test func `a token at hand is handed out without the keeper, and not a second after somebody may have changed it`()
        async throws
    {
        let world = try World()
        let auth = try await world.signedIn()
        let token = try await auth.accessToken()
        #expect(auth.cachedAccessToken() == token)
        #expect(auth.cachedAccessToken(minimumSeconds: 86_400) == token, "a token just issued is as long as it gets")
        world.clock.advance(1)
        #expect(auth.cachedAccessToken() == nil)
        #expect(try await auth.accessToken() == token)
        #expect(auth.cachedAccessToken() == token)
        try await auth.logout()
        #expect(auth.cachedAccessToken() == nil)
    }

    @Test func `forced sign-out of a session that cannot be removed does not come back by itself`() async throws {
        let world = try World()
        let auth = try await world.signedIn()
        await world.store.set(writable: false)
        await #expect(throws: AuthError(.storeUnavailable, "")) { try await auth.logout(force: true) }
        world.clock.advance(1)
        await #expect(throws: AuthError(.signedOut, "")) { try await auth.accessToken() }
    }
}
