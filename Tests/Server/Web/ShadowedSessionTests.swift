import Identity
import KeyturnBase
import KeyturnWire
import Model
import OAuth
import ServerTesting
import Testing

@testable import Web

@Suite("A copy of a refresh token that follows each rotation")
struct ShadowedSessionTests {
    private static let home = [("X-Forwarded-For", "192.0.2.1"), ("User-Agent", "ExampleApp/7 CFNetwork/1 Darwin/22")]
    private static let elsewhere = [
        ("X-Forwarded-For", "203.0.113.9"), ("User-Agent", "ExampleApp/7 CFNetwork/1 Darwin/22"),
    ]
    private static let told = TestClients.make("told", method: "client_secret_basic", secret: TestClients.webSecret) {
        $0.backchannelLogoutURI = "http://127.0.0.1:9001/logout"
    }

    private func start(_ shadowed: ShadowedSessions = .tell) async throws -> TestServer {
        try await TestServer.start(
            clients: [Self.told, TestServer.receiver("one")],
            project: { Project(id: "test", name: "Test", issuer: $0, shadowedSessions: shadowed) },
            trustsForwarding: true)
    }

    private func refresh(_ server: TestServer, _ token: String?, _ headers: [(String, String)]) async throws
        -> EndpointAnswer
    {
        let form = TokenRequest.refreshToken(Secret(token ?? ""), scope: nil).parameters
        return try await server.post("/oauth2/token", form, as: Self.told, headers: headers)
    }

    /// The owner renews every nine minutes, and the thief ten seconds later; what the thief got.
    private func follow(
        _ server: TestServer, _ first: String?, times: Int, thief: [(String, String)] = elsewhere
    ) async throws -> [EndpointAnswer] {
        var (owner, stolen) = (first, first)
        var answers: [EndpointAnswer] = []
        for _ in 0..<times {
            server.clock.advance(540)
            owner = try await refresh(server, owner, Self.home).json["refresh_token"]?.stringValue
            server.clock.advance(10)
            answers.append(try await refresh(server, stolen, thief))
            stolen = answers.last?.json["refresh_token"]?.stringValue
        }
        return answers
    }

    private func events(_ kind: AuditEvent.Kind, _ server: TestServer) async throws -> [AuditEvent] {
        _ = try await server.services.auditLog.flush()
        return try await server.services.stores.audit.newest(limit: 100).filter { $0.kind == kind }
    }

    private func mails(_ kind: MessageKind, _ server: TestServer) async throws -> [String] {
        try await server.services.messages.newest(limit: 50).map(\.message).filter { $0.kind == kind }.map(\.to)
    }

    @Test func `attack 117: the third rotation that a thief follows is told to the user and the operator, once`()
        async throws
    {
        let server = try await start()
        let tokens = try await server.tokens(Self.told)
        let two = try await follow(server, tokens.refreshToken, times: 2)
        #expect(try await mails(.sessionShadowed, server) == [])
        #expect(try await events(.refreshShadowed, server).isEmpty)
        let last = two.last?.json["refresh_token"]?.stringValue
        let all = try await follow(server, last, times: 5)
        #expect(all.allSatisfy { $0.status == 200 }, "the session goes on")
        #expect(try await mails(.sessionShadowed, server) == [TestServer.username])
        let events = try await events(.refreshShadowed, server)
        #expect(events.map(\.reason) == ["told"] && events.first?.userID == TestServer.subject)
        #expect(events.first?.clientID == "told" && events.first?.address == "203.0.113.9")
        #expect(events.first?.sessionID != nil && events.first?.target != nil)
        #expect(try await server.get("/metrics").body.contains("keyturn_refresh_shadowed_total 1\n"))
        let page = try await server.visit("/settings/sessions", in: server.browser())
        #expect(page.body.contains("used from two networks or devices in turn"))
        server.clock.advance(86_400)
        _ = try await follow(server, all.last?.json["refresh_token"]?.stringValue, times: 1)
        #expect(try await mails(.sessionShadowed, server).count == 2, "a day later it still goes on")
        await server.stop()
    }

    @Test func `attack 117: where shadowed sessions end, it is over, and user, operator and receivers hear of it`()
        async throws
    {
        let server = try await start(.end)
        let tokens = try await server.tokens(Self.told)
        let answers = try await follow(server, tokens.refreshToken, times: 3)
        #expect(answers.map(\.status) == [200, 200, 400] && answers[2].error == "invalid_grant")
        #expect(answers[2].body.contains("two clients used the refresh tokens in turn"))
        let last = answers[1].json["refresh_token"]?.stringValue
        #expect(try await refresh(server, last, Self.home).error == "invalid_grant", "nor does the owner go on")
        #expect(try await mails(.sessionEnded, server) == [TestServer.username])
        #expect(try await mails(.sessionShadowed, server) == [])
        #expect(try await events(.refreshShadowed, server).map(\.reason) == ["ended"])
        #expect(try await events(.refreshShadowEnded, server).count == 1)
        #expect(try await server.logoutNotices().map(\.clientID) == ["told"])
        let page = try await server.visit("/settings/sessions", in: server.browser())
        #expect(page.body.contains("because two networks or devices used it in turn"))
        await server.stop()
    }

    @Test func `receivers of shared signals hear of the risk, and of the end`() throws {
        func statement(_ kind: AuditEvent.Kind) throws -> SecurityEventTokens.Statement {
            try #require(
                ContinuousAccessEvent.statement(
                    AuditEvent(
                        kind, at: UnixTime(rawValue: 1_800_000_000), userID: UserID(rawValue: "u"),
                        sessionID: SessionID(rawValue: "s"))))
        }
        let risk = try statement(.refreshShadowed)
        #expect(risk.type == "https://schemas.openid.net/secevent/caep/event-type/risk-level-change")
        #expect(risk.userID.rawValue == "u" && risk.sessionID?.rawValue == "s")
        #expect(
            risk.details == [
                "event_timestamp": 1_800_000_000, "initiating_entity": "policy", "principal": "SESSION",
                "current_level": "HIGH", "risk_reason": "refresh_token_copied",
            ])
        let end = try statement(.refreshShadowEnded)
        #expect(end.type == "https://schemas.openid.net/secevent/caep/event-type/session-revoked")
        #expect(end.details["initiating_entity"] == "policy")
    }

    @Test func `attack 117: the methods' refresh tokens are watched by the same rule`() async throws {
        let server = try await start(.end)
        let session = try await server.session()
        func refresh(_ token: String?, _ headers: [(String, String)]) async throws -> EndpointAnswer {
            try await server.send(
                "POST", "/v1/auth/refresh",
                headers: headers + [
                    ("Authorization", "Bearer test:\(token ?? "")"), ("Content-Type", "application/json"),
                ], body: "{}")
        }
        var owner = session.refreshJWT?.exposed()
        var thief = owner
        var statuses: [Int] = []
        for _ in 0..<3 {
            server.clock.advance(540)
            owner = try await refresh(owner, Self.home).json["refreshJwt"]?.stringValue
            server.clock.advance(10)
            let answer = try await refresh(thief, Self.elsewhere)
            thief = answer.json["refreshJwt"]?.stringValue
            statuses.append(answer.status)
        }
        #expect(statuses == [200, 200, 401])
        #expect(try await refresh(owner, Self.home).status == 401)
        #expect(try await events(.refreshShadowEnded, server).first?.sessionID != nil, "receivers must know which")
        #expect(try await mails(.sessionEnded, server) == [TestServer.username])
        await server.stop()
    }

    @Test(arguments: ["2001:db8:1:1::7", "192.0.2.1"])
    func `retries of the same client, and IPv4 and IPv6 in turn, are not told`(_ address: String) async throws {
        let server = try await start(.end)
        let tokens = try await server.tokens(Self.told)
        let again = [("X-Forwarded-For", address), Self.home[1]]
        let answers = try await follow(server, tokens.refreshToken, times: 6, thief: again)
        #expect(answers.allSatisfy { $0.status == 200 })
        #expect(try await events(.refreshShadowed, server).isEmpty)
        await server.stop()
    }

    @Test(
        arguments: [
            ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"),
            ("Mozilla/5.0 (X11; Linux x86_64; rv:141.0) Gecko/20100101 Firefox/141.0", "Firefox on Linux"),
            ("ExampleApp/7 CFNetwork/1568 Darwin/24.0", "CFNetwork"),
            ("ExampleWidget/7 CFNetwork/1490 Darwin/23", "CFNetwork"),
            ("okhttp/4.12.0", "okhttp"), ("curl/8.5.0", "curl"), ("python-requests/2.32", "python-requests"),
            ("\u{1}secret", "other"), ("", "none"), (nil, "none"), (String(repeating: "a", count: 5_000), "other"),
            (String(repeating: "a", count: 500), String(repeating: "a", count: 40)),
        ] as [(String?, String)])
    func `the kind of a client is the same in all of its versions and processes, and repeats nothing long`(
        _ userAgent: String?, _ kind: String
    ) {
        #expect(ClientKind.of(userAgent) == kind)
    }
}
