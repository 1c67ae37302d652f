import KeyturnBase
import Model
import ServerTesting
import Testing

@Suite("Store: sessions with sign-ins at several providers")
struct FormerOriginTests {
    private static func key(at connection: String) -> FederatedIdentity.Key {
        FederatedIdentity.Key(connectionID: connection, issuer: "https://provider.example", subject: "s")
    }

    /// Andy signs in by several connections in one browser.
    private static func signInAtEach(_ bench: Bench, _ session: SessionID) async throws {
        let signIns: [(connection: String, session: String?)] = [
            ("work", "w1"), ("none", nil), ("work", "w2"), ("work", "w2"), ("home", "h"),
        ]
        for signIn in signIns {
            try await bench.stores.identities.note(
                session: session, of: key(at: signIn.connection), providerSession: signIn.session,
                providerName: "kim", expiresAt: bench.now + 60)
        }
    }

    /// What providers say, and whether it means the session.
    private static let words: [(connection: String, session: String?, isKnown: Bool)] = [
        ("work", nil, true), ("work", "w1", true), ("work", "w2", true), ("none", nil, true), ("home", "h", true),
        ("home", nil, true), ("none", "w1", false), ("home", "w1", false), ("work", "h", false), ("other", nil, false),
    ]

    private static func check(_ bench: Bench, knows session: FederatedSession) async throws {
        for word in Self.words {
            let found = try await bench.stores.identities.sessions(
                of: key(at: word.connection), providerSession: word.session, at: bench.now)
            #expect(found == (word.isKnown ? [session] : []), "\(word)")
        }
        let within = try await bench.stores.identities.sessions(
            inProviderSession: "w1", at: "work", issuer: key(at: "work").issuer, at: bench.now)
        #expect(within == [session])
    }

    private static func named(_ bench: Bench, at connection: String) async throws -> Set<String?> {
        let found = try await bench.stores.identities.origins(
            named: "kim", at: connection, issuer: key(at: connection).issuer, at: bench.now)
        return Set(found.map(\.providerSession))
    }

    @Test(arguments: Engines.withValues)
    func `a session is known to each provider at which its user signed in to it`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        let session = try await bench.openSession(of: andy, "one")
        try await Self.signInAtEach(bench, session.id)
        try await Self.check(bench, knows: FederatedSession(id: session.id, userID: andy.user.id))
        #expect(try await Self.named(bench, at: "work") == ["w1", "w2"])
        #expect(try await Self.named(bench, at: "none") == [nil])
        let last = try await bench.stores.identities.origin(of: session.id, at: bench.now)
        #expect(last?.key == Self.key(at: "home") && last?.providerSession == "h")
        let isOpen = try await bench.stores.sessions.create(
            bench.session(of: andy, "one"), epoch: 0, digest: bench.digest("cookie new"),
            replacing: bench.digest("cookie one"), at: bench.now)
        #expect(isOpen)
        let later = try await bench.stores.identities.sessions(
            of: Self.key(at: "work"), providerSession: "w1", at: bench.now + 9_000)
        #expect(later.map(\.id) == [session.id], "as long as the session")
    }

    @Test(arguments: Engines.withValues)
    func `a session whose browser another user has is known to its providers`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (andy, bea) = (try await bench.user(), try await bench.user("bea@example.com"))
        let session = try await bench.openSession(of: andy, "one")
        try await Self.signInAtEach(bench, session.id)
        let grant = try await bench.openGrant(of: andy, session: session.id)
        let isOpen = try await bench.stores.sessions.create(
            bench.session(of: bea, "two"), epoch: 0, digest: bench.digest("cookie two"),
            replacing: bench.digest("cookie one"), at: bench.now)
        #expect(isOpen)
        try await Self.check(bench, knows: FederatedSession(id: session.id, userID: andy.user.id))
        #expect(try await Self.named(bench, at: "work") == ["w1", "w2"])
        #expect(try await bench.stores.identities.origin(of: session.id, at: bench.now) == nil, "it is no session")
        _ = try await bench.stores.grants.end(grant.id, clientID: "web", reason: .revoked, at: bench.now)
        #expect(try await Self.named(bench, at: "work").isEmpty, "nothing is left of it")
    }

    @Test(arguments: Engines.withValues)
    func `no provider knows a session that was signed out`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        let session = try await bench.openSession(of: andy, "one")
        try await Self.signInAtEach(bench, session.id)
        _ = try await bench.openGrant(of: andy, session: session.id, scope: ["openid", "offline_access"])
        #expect(try await bench.stores.sessions.end(session.id, of: andy.user.id, at: bench.now))
        for word in Self.words {
            let found = try await bench.stores.identities.sessions(
                of: Self.key(at: word.connection), providerSession: word.session, at: bench.now)
            #expect(found.isEmpty, "\(word)")
        }
        #expect(try await Self.named(bench, at: "work").isEmpty)
    }
}
