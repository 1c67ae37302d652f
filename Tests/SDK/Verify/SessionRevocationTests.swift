import KeyturnBase
import KeyturnJose
import KeyturnVerify
import Testing

@Suite("Sessions that the provider called over")
struct SessionRevocationTests {
    static let now = TestIssuer.now
    let issuer = TestIssuer()
    let keys: CountingKeys

    init() throws {
        keys = CountingKeys(try PinnedKeys(parsing: TestIssuer.document(issuer)))
    }

    private func revocations(_ entriesMax: Int = 10, seconds: Int64 = 3_600) -> SessionRevocations {
        SessionRevocations(tokenSecondsMax: seconds, entriesMax: entriesMax)
    }

    private var notices: LogoutTokenVerifier {
        LogoutTokenVerifier(issuer: TestIssuer.url, clientID: "app", keys: keys)
    }

    private func cache(_ revocations: SessionRevocations) -> CachingTokenVerifier {
        CachingTokenVerifier(
            TokenVerifier(issuer: TestIssuer.url, audience: "api", keys: keys, revocations: revocations))
    }

    private func token(_ changes: [String: JSONValue?] = [:]) -> String {
        issuer.token(TestIssuer.accessClaims(changes))
    }

    private func notice(_ changes: [String: JSONValue?] = [:]) -> String {
        issuer.token(TestIssuer.logoutClaims(changes), type: "logout+jwt")
    }

    /// Whether each token is accepted, verified anew and from memory.
    private func accepts(
        _ token: String, _ cache: CachingTokenVerifier, at now: UnixTime = now
    ) async throws -> Bool {
        var answers: Set<Bool> = []
        for verify in [
            { try await cache.verify(token, at: now) }, { try await cache.verifier.verify(token, at: now) },
        ] {
            do {
                _ = try await verify()
                answers.insert(true)
            } catch let error as AuthError {
                #expect(error.code == .tokenRevoked && BearerChallenge(answering: error).status == 401)
                answers.insert(false)
            }
        }
        #expect(answers.count == 1)
        return answers.first ?? false
    }

    @Test func `a notice ends the session's tokens at once, the remembered ones too`() async throws {
        let revocations = revocations()
        let cache = cache(revocations)
        let (own, other) = (token(), token(["sid": "s-2"]))
        let (sessionless, others) = (token(["sid": nil]), token(["sid": nil, "sub": "user-2"]))
        for token in [own, other, sessionless, others] { #expect(try await accepts(token, cache)) }
        let told = try await revocations.receive(notice(), verifiedBy: notices, at: Self.now)
        #expect(told.sessionID == "s-1")
        #expect(try await !accepts(own, cache))
        #expect(try await !accepts(sessionless, cache))
        #expect(try await accepts(other, cache))
        #expect(try await accepts(others, cache))
        let renewed = token(["sid": nil, "iat": .integer(Self.now.rawValue + 1)])
        #expect(try await accepts(renewed, cache, at: Self.now + 1), "of a session that goes on")
        let offline = token(["iat": .integer(Self.now.rawValue + 1)])
        #expect(try await accepts(offline, cache, at: Self.now + 1), "a later token of the same session")
        try await revocations.receive(notice(), verifiedBy: notices, at: Self.now + 1)
        #expect(try await !accepts(own, cache, at: Self.now + 2))
    }

    /// OpenID Connect Back-Channel Logout 1.0 §2.7: a session with offline access outlives a sign-out in the browser.
    @Test(arguments: [(-1, false), (0, false), (1, true)] as [(Int64, Bool)])
    func `a notice refuses its session's tokens up to its own second, and never a later one`(
        seconds: Int64, isAccepted: Bool
    ) async throws {
        let revocations = revocations()
        let cache = cache(revocations)
        let noticed = Self.now
        try await revocations.receive(notice(), verifiedBy: notices, at: noticed)
        let issued = token(["iat": .integer(noticed.rawValue + seconds)])
        for later in [1, 2, 60, 500] as [Int64] {
            #expect(try await accepts(issued, cache, at: noticed + later) == isAccepted, "\(later) s later")
        }
        // The same notice again, and an older one that arrives late, change nothing.
        try await revocations.receive(notice(), verifiedBy: notices, at: noticed + 30)
        let older = notice(["iat": .integer(noticed.rawValue - 20)])
        try await revocations.receive(older, verifiedBy: notices, at: noticed + 31)
        #expect(try await accepts(issued, cache, at: noticed + 32) == isAccepted)
        // The next sign-out of the same session ends that token too.
        let next = notice(["iat": .integer(noticed.rawValue + 40)])
        try await revocations.receive(next, verifiedBy: notices, at: noticed + 40)
        #expect(try await !accepts(issued, cache, at: noticed + 41))
    }

    @Test func `a notice without a session ends every session of the user until then`() async throws {
        let revocations = revocations()
        let cache = cache(revocations)
        try await revocations.receive(notice(["sid": nil]), verifiedBy: notices, at: Self.now)
        #expect(try await !accepts(token(), cache))
        #expect(try await !accepts(token(["sid": "s-2"]), cache))
        #expect(try await accepts(token(["sub": "user-2"]), cache))
        let later = token(["sid": "s-3", "iat": .integer(Self.now.rawValue + 1)])
        #expect(try await accepts(later, cache, at: Self.now + 1))
    }

    @Test func `what is no notice of this provider for this client revokes nothing`() async throws {
        let revocations = revocations()
        let cache = cache(revocations)
        let stranger = TestIssuer().token(TestIssuer.logoutClaims(), type: "logout+jwt")
        for bad in [
            nil, "", "rubbish", stranger, token(), notice(["aud": "other"]), notice(["nonce": "n"]),
            notice(["iat": .integer(Self.now.rawValue - 200)]),
        ] as [String?] {
            await #expect(throws: AuthError.self) {
                try await revocations.receive(bad, verifiedBy: notices, at: Self.now)
            }
        }
        #expect(try await accepts(token(), cache))
    }

    @Test func `a token that lives longer than revocations are remembered is not accepted`() async throws {
        let cache = cache(revocations(seconds: 599))
        await #expect(throws: AuthError(.misconfigured, "")) { try await cache.verify(token(), at: Self.now) }
    }

    @Test func `a full memory accepts no revoked token, and forgets what has expired first`() async throws {
        let revocations = revocations(6, seconds: 100)
        let cache = cache(revocations)
        func brief(_ sid: String, issued: Int64 = 0) -> String {
            let time = Self.now.rawValue + issued
            return token(["sid": .string(sid), "iat": .integer(time), "exp": .integer(time + 100)])
        }
        for number in 0..<2 {
            try await revocations.receive(
                notice(["sid": .string("s-\(number)"), "sub": .string("u-\(number)")]), verifiedBy: notices,
                at: Self.now)
        }
        #expect(try await accepts(brief("s-9"), cache))
        // Room is made by what is over.
        let time = JSONValue.integer(Self.now.rawValue + 100)
        try await revocations.receive(notice(["sid": "s-5", "iat": time]), verifiedBy: notices, at: Self.now + 100)
        #expect(try await accepts(brief("s-9"), cache, at: Self.now + 100))
        for number in 6..<9 {
            try await revocations.receive(
                notice(["sid": .string("s-\(number)"), "sub": .string("u-\(number)"), "iat": time]),
                verifiedBy: notices, at: Self.now + 100)
        }
        for sid in ["s-5", "s-6", "s-8", "s-9"] {
            #expect(try await !accepts(brief(sid), cache, at: Self.now + 101))
        }
        let later = brief("s-9", issued: 101)
        #expect(try await accepts(later, cache, at: Self.now + 101))
        #expect(try await accepts(brief("s-9", issued: 99), cache, at: Self.now + 200))
    }

    @Test func `a remembered answer of introspection ends as well`() async throws {
        let transport = ScriptedTransport()
        let endpoint = TestIssuer.url + "/introspect"
        await transport.serve(
            JSONValue.object([
                "active": true, "sub": "user-1", "aud": "api", "sid": "s-1", "iat": .integer(Self.now.rawValue),
            ]).serialized, at: endpoint)
        let revocations = revocations()
        let introspection = Introspection(
            endpoint: endpoint, clientID: "api", clientSecret: Secret("s"), audience: "api", cacheSeconds: 300,
            revocations: revocations, transport: transport)
        _ = try await introspection.ask(UnverifiedToken("a"), at: Self.now).get()
        try await revocations.receive(notice(), verifiedBy: notices, at: Self.now)
        let answer = try await introspection.ask(UnverifiedToken("a"), at: Self.now + 1)
        #expect(throws: AuthError(.tokenRefused, "")) { try answer.get() }
        #expect(await transport.requests.count == 1)
    }
}
