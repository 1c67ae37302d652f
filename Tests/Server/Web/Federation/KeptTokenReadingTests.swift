import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Synchronization
import Testing

@Suite("Reading the tokens of providers")
struct KeptTokenReadingTests {
    private static func person(_ tokens: ProviderTokens) -> FederatedProfile {
        var profile = FederatedProfile.person()
        profile.tokens = tokens
        return profile
    }

    /// A user who came from a provider whose connection keeps tokens, or does not.
    private func start(
        _ tokens: ProviderTokens = ProviderTokens(accessToken: "at-1", refreshToken: "rt-1", scopes: ["calendar"]),
        keeps: Bool = true
    ) async throws -> FederationFixture {
        var connection = Connection.scripted()
        connection.settings = .openID(
            OpenIDConnectionSettings(issuer: "https://provider.example", clientID: "client", keepsTokens: keeps))
        let fixture = try await FederationFixture.start(Self.person(tokens), [connection])
        #expect(try await FederationFixture.hasCode(fixture.pass(fixture.server.browser())))
        return fixture
    }

    private func read(_ fixture: FederationFixture, _ more: String = "", key: String? = TestServer.managementKey)
        async throws -> EndpointAnswer
    {
        try await fixture.server.call(
            "GET", "/v1/mgmt/user/provider/token?loginId=jane@provider.example&provider=acme\(more)",
            bearer: ["test", key].compactMap(\.self).joined(separator: ":"))
    }

    @Test func `F-60: a management key reads them, nobody else does, and each reading is audited`() async throws {
        let fixture = try await start()
        let answer = try await read(fixture)
        #expect(answer.status == 200 && answer.json["accessToken"] == "at-1" && answer.json["provider"] == "acme")
        #expect(answer.json["providerUserId"] == "248289761001" && answer.json["scopes"] == ["calendar"])
        #expect(answer.json["refreshToken"] == nil)
        #expect(try await read(fixture, "&withRefreshToken=true").json["refreshToken"] == "rt-1")
        let session = try await fixture.server.session(of: "jane@provider.example")
        for key: String? in [nil, "guessed", session.refreshJWT?.exposed()] {
            let refused = try await read(fixture, key: key)
            #expect(refused.status == 401 && !refused.body.contains("at-1"))
        }
        _ = try await fixture.server.services.auditLog.flush()
        let events = try await fixture.server.services.stores.audit.search(AuditQuery())
        let readings = events.filter { $0.kind == .providerTokensRead }
        #expect(readings.count == 2 && readings.allSatisfy { $0.target == "acme" && $0.actor?.isEmpty == false })
        await fixture.server.stop()
    }

    @Test func `F-60: no token of ours holds a provider's token, and none is kept unless the connection says so`()
        async throws
    {
        let fixture = try await start(keeps: false)
        #expect(try await read(fixture).status == 400)
        let kept = try await start()
        let session = try await kept.server.session(of: "jane@provider.example")
        for token in [session.sessionJWT, session.refreshJWT].compactMap({ $0?.exposed() }) {
            let payload = token.split(separator: ".").dropFirst().first.flatMap { Base64URL.decode(String($0)) } ?? []
            #expect(!String(decoding: payload, as: UTF8.self).contains("at-1"))
        }
        let stored = try #require(
            try await kept.server.services.stores.providerTokens.tokens(of: FederatedProfile.person().key(at: "acme")))
        #expect(!String(decoding: stored.sealed, as: UTF8.self).contains("at-1"))
        await fixture.server.stop()
        await kept.server.stop()
    }

    @Test func `they are refreshed when they end, or on demand`() async throws {
        let past = UnixTime(rawValue: 1_000)
        let fixture = try await start(ProviderTokens(accessToken: "at-1", refreshToken: "rt-1", expiresAt: past))
        #expect(try await read(fixture).json["accessToken"] == "fresh")
        fixture.provider.refreshed.withLock {
            $0 = .success(ProviderTokens(accessToken: "third", refreshToken: "rt-3"))
        }
        #expect(try await read(fixture).json["accessToken"] == "fresh")
        #expect(try await read(fixture, "&forceRefresh=true").json["accessToken"] == "third")
        fixture.provider.refreshed.withLock { $0 = .failure(ConnectionProblem(.unavailable, code: "unreachable")) }
        #expect(try await read(fixture, "&forceRefresh=true").status >= 400)
        #expect(try await read(fixture).json["accessToken"] == "third")
        await fixture.server.stop()
    }

    @Test func `requests at one time spend a refresh token once`() async throws {
        let past = UnixTime(rawValue: 1_000)
        let fixture = try await start(ProviderTokens(accessToken: "at-1", refreshToken: "rt-1", expiresAt: past))
        let answers = try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<6 { group.addTask { try await read(fixture).json["accessToken"]?.stringValue } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers == Array(repeating: "fresh", count: 6))
        #expect(fixture.provider.refreshes.withLock { $0.map(\.refreshToken) } == ["rt-1"])
        await fixture.server.stop()
    }

    @Test func `a connection that is turned to another provider is sent no token of the first`() async throws {
        let fixture = try await start()
        let services = fixture.server.services
        let key = FederatedProfile.person().key(at: "acme")
        var connection = Connection.scripted()
        for (issuer, expected) in [("https://provider.example", "fresh"), ("https://other.example", nil)] {
            connection.settings = .openID(
                OpenIDConnectionSettings(issuer: issuer, clientID: "client", keepsTokens: true))
            let tokens = try await services.providerTokens.current(
                of: key, at: connection, ConnectionProtocols(openID: fixture.provider), isForced: true)
            #expect(tokens?.accessToken == expected)
        }
        #expect(fixture.provider.refreshes.withLock { $0.count } == 1)
        await fixture.server.stop()
    }

    @Test func `F-46: when the provider has withdrawn them, they go, and the sessions that began with it`()
        async throws
    {
        let fixture = try await start()
        let services = fixture.server.services
        let key = FederatedProfile.person().key(at: "acme")
        let before = try await services.stores.identities.sessions(
            of: key, providerSession: nil, at: services.ambient.now())
        #expect(before.count == 1)
        let user = try #require(try await fixture.holder())
        #expect(try await services.stores.sessions.sessions(of: user, limit: 9, at: services.ambient.now()).count == 1)
        fixture.provider.refreshed.withLock { $0 = .failure(ConnectionProblem(.refused, code: "invalid_grant")) }
        #expect(try await read(fixture, "&forceRefresh=true").status == 400)
        #expect(try await services.stores.providerTokens.tokens(of: key) == nil)
        #expect(try await services.stores.sessions.sessions(of: user, limit: 9, at: services.ambient.now()).isEmpty)
        await fixture.server.stop()
    }

    @Test func `when the user goes they are revoked at the provider, which may take several tries`() async throws {
        let fixture = try await start()
        let services = fixture.server.services
        let protocols = ConnectionProtocols(openID: fixture.provider)
        #expect(try await services.providerTokens.revokeEnded(services.connections, protocols) == 0)
        let user = try #require(try await fixture.holder())
        #expect(try await services.stores.users.delete(user, at: services.ambient.now()))
        fixture.provider.revocation.withLock { $0 = ConnectionProblem(.unavailable, code: "unreachable") }
        #expect(try await services.providerTokens.revokeEnded(services.connections, protocols) == 0)
        #expect(fixture.provider.revoked.withLock { $0.map(\.refreshToken) } == ["rt-1"])
        // The lease is not over.
        #expect(try await services.providerTokens.revokeEnded(services.connections, protocols) == 0)
        let ended = try await services.stores.providerTokens.ended(
            limit: 9, leaseSeconds: -1_000, at: services.ambient.now() + 1_000)
        #expect(ended.count == 1)
        fixture.provider.revocation.withLock { $0 = nil }
        #expect(try await services.providerTokens.revokeEnded(services.connections, protocols) == 1)
        #expect(fixture.provider.revoked.withLock { $0.count } == 2)
        await fixture.server.stop()
    }
}
