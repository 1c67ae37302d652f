import Identity
import KeyturnBase
import KeyturnJose
import KeyturnWire
import Model
import OAuth
import ServerTesting
import Synchronization
import Testing

@testable import Delivery

@Suite("Logout notices")
struct LogoutNoticeSenderTests {
    /// A server where the user signed in to a relying party and out again, so that one notice waits.
    private static func signedOut(_ uri: String = "https://rp.example/logout") async throws -> TestServer {
        let client = TestClients.make("told", method: "client_secret_basic", secret: TestClients.webSecret) {
            $0.backchannelLogoutURI = uri
        }
        let server = try await TestServer.start(clients: [client])
        _ = try await server.tokens(client)
        _ = try await server.tokens(TestClients.web)
        let grants = try await server.services.stores.grants.grants(
            of: TestServer.subject, limit: 10, at: server.clock.now)
        for session in grants.compactMap(\.sessionID) {
            #expect(
                try await server.services.stores.sessions.end(session, of: TestServer.subject, at: server.clock.now))
        }
        return server
    }

    private static func courier(_ server: TestServer, _ transport: any LogoutTransport) -> LogoutNoticeSender {
        LogoutNoticeSender(notices: server.services.logoutNotices, transport: transport, ambient: server.clock.ambient)
        {
            _ in
        }
    }

    private static func waiting(_ server: TestServer) async throws -> [LogoutNotice] {
        try await server.services.logoutNotices.store.waiting(limit: 10)
    }

    @Test func `77: a notice is tried again when its time has come, each time with a new logout token`() async throws {
        let server = try await Self.signedOut()
        #expect(try await Self.waiting(server).map(\.clientID) == ["told"], "the other client takes no notices")
        let transport = ScriptedLogout([
            .answered(.temporary(reason: "status 503")), .answered(.unreachable(reason: "no answer")), .answered(.sent),
        ])
        let courier = Self.courier(server, transport)
        #expect(await courier.deliverDue() == 1)
        server.clock.advance(14)
        #expect(await courier.deliverDue() == 0)
        server.clock.advance(300)
        #expect(await courier.deliverDue() == 1)
        server.clock.advance(300)
        #expect(await courier.deliverDue() == 1)
        #expect(try await Self.waiting(server).isEmpty)
        let claims = try transport.tokens.map {
            try JSONValue(parsing: try UnverifiedJWS($0.exposed()).unverifiedPayload)
        }
        #expect(claims.count == 3 && Set(claims.compactMap { $0["jti"]?.stringValue }).count == 3)
        #expect(claims.last?["iat"]?.integerValue == server.clock.now.rawValue)
        #expect(Set(claims.compactMap { $0["sid"]?.stringValue }).count == 1)
        var values = LogoutCounters.Values()
        (values.sent, values.postponed) = (1, 2)
        #expect(courier.counters.values == values)
        await server.stop()
    }

    @Test func `a notice whose delivery is killed is delivered by the next courier when the lease is over`()
        async throws
    {
        let server = try await Self.signedOut()
        let store = server.services.logoutNotices.store
        let lost = try await store.claim(limit: 9, leaseSeconds: Limits.logoutNoticeLeaseSeconds, at: server.clock.now)
        #expect(lost.count == 1)
        let transport = ScriptedLogout([.answered(.sent)])
        server.clock.advance(Limits.logoutNoticeLeaseSeconds - 1)
        #expect(await Self.courier(server, transport).deliverDue() == 0)
        server.clock.advance(1)
        #expect(await Self.courier(server, transport).deliverDue() == 1)
        #expect(transport.tokens.count == 1)
        #expect(try await !store.remove(try #require(lost.first)), "the claim is over")
        await server.stop()
    }

    @Test func `many notices of one relying party do not delay those of another`() async throws {
        let clients = ["slow", "quick"].map { name in
            TestClients.make(name, method: "client_secret_basic", secret: TestClients.webSecret) {
                $0.backchannelLogoutURI = "https://\(name).example/logout"
            }
        }
        let server = try await TestServer.start(clients: clients)
        for _ in 0..<5 { _ = try await server.tokens(clients[0]) }
        _ = try await server.tokens(clients[1])
        let grants = try await server.services.stores.grants.grants(
            of: TestServer.subject, limit: 10, at: server.clock.now)
        for grant in grants.sorted(by: { $0.clientID > $1.clientID }) {
            guard let session = grant.sessionID else { continue }
            _ = try await server.services.stores.sessions.end(session, of: TestServer.subject, at: server.clock.now)
        }
        #expect(try await Self.waiting(server).map(\.clientID) == Array(repeating: "slow", count: 5) + ["quick"])
        let claims = try await server.services.logoutNotices.store.claim(
            limit: 2, leaseSeconds: Limits.logoutNoticeLeaseSeconds, at: server.clock.now)
        #expect(claims.map(\.notice.clientID) == ["slow", "quick"])
        await server.stop()
    }

    /// No time is measured: the receiver that does not answer has not answered yet when the other one has.
    @Test func `a receiver that does not answer keeps no other one waiting`() async throws {
        let clients = ["silent", "quick"].map { name in
            TestClients.make(name, method: "client_secret_basic", secret: TestClients.webSecret) {
                $0.backchannelLogoutURI = "https://\(name).example/logout"
            }
        }
        let server = try await TestServer.start(clients: clients)
        let transport = SilentReceiver("silent")
        let courier = Self.courier(server, transport)
        let running = Task { await courier.run() }
        let (stores, now) = (server.services.stores, server.clock.now)
        // More than are sent at the same time, of one receiver alone.
        try await Self.endGrants(of: "silent", count: Limits.logoutNoticesInFlightMax + 1, stores, now)
        await transport.hears("silent")
        for _ in 0..<3 {
            try await Self.endGrants(of: "quick", count: 1, stores, now)
            await transport.hears("quick")
        }
        #expect(transport.count(of: "silent") <= 2 * Limits.logoutNoticesOfReceiverMax - 1)
        transport.answer()
        courier.stop()
        await running.value
        await server.stop()
    }

    /// Nothing rings: another node, or a command, ended the session.
    @Test func `a session that another process ended is told without being asked`() async throws {
        let client = TestClients.make("told", method: "client_secret_basic", secret: TestClients.webSecret) {
            $0.backchannelLogoutURI = "https://told.example/logout"
        }
        let server = try await TestServer.start(clients: [client])
        let transport = SilentReceiver("nobody")
        let courier = Self.courier(server, transport)
        let running = Task { await courier.run() }
        for _ in 0..<2 {
            try await Self.endGrants(of: "told", count: 1, server.services.stores, server.clock.now)
            await transport.hears("told")
        }
        #expect(DeliveryLimits.noticePollPause <= .milliseconds(500), "heard within a second")
        courier.stop()
        await running.value
        await server.stop()
    }

    /// Ends grants of sessions of their own, as another process would.
    private static func endGrants(of client: String, count: Int, _ stores: Stores, _ now: UnixTime) async throws {
        for _ in 0..<count {
            let grant = Grant(
                id: .make(.live), clientID: client, userID: TestServer.subject, sessionID: nil,
                scope: Scope(names: ["openid"]), resources: [], authentication: .password(at: now), nonce: nil,
                claimsRequest: nil, createdAt: now, idleExpiresAt: now + 1_000, absoluteExpiresAt: now + 1_000)
            let account = try #require(try await stores.users.account(TestServer.subject))
            #expect(try await stores.grants.open(grant, epoch: account.user.epoch, endingOthers: false, at: now))
            #expect(try await stores.grants.end(grant.id, clientID: client, reason: .revoked, at: now))
        }
    }

    @Test func `a logout token is never older than the end of its session`() async throws {
        let server = try await Self.signedOut()
        let notice = try #require(try await Self.waiting(server).first)
        for seconds in [-7, 0, 7] as [Int64] {
            let post = try #require(
                try server.services.logoutNotices.post(notice, at: notice.createdAt + seconds))
            let claims = try JSONValue(parsing: try UnverifiedJWS(post.logoutToken.exposed()).unverifiedPayload)
            #expect(claims["iat"]?.integerValue == notice.createdAt.rawValue + max(0, seconds))
        }
        await server.stop()
    }

    @Test func `what is refused, private or too old is given up and counted by its reason`() async throws {
        let cases: [(LogoutOutcome, WritableKeyPath<LogoutCounters.Values, Int>)] = [
            (.privateAddress, \.privateAddress), (.answered(.permanent(reason: "status 400")), \.refused),
            (.answered(.temporary(reason: "status 500")), \.expired),
        ]
        for (outcome, member) in cases {
            let server = try await Self.signedOut()
            let courier = Self.courier(server, ScriptedLogout([outcome]))
            #expect(await courier.deliverDue() == 1)
            server.clock.advance(Limits.logoutNoticeSeconds)
            await courier.deliverDue()
            var values = LogoutCounters.Values()
            values[keyPath: member] = 1
            values.postponed = member == \LogoutCounters.Values.expired ? 1 : 0
            #expect(courier.counters.values == values, "\(outcome)")
            #expect(try await Self.waiting(server).isEmpty)
            await server.stop()
        }
    }

    @Test func `whatever ends sessions queues the notices: a new password, an administrator, a deleted account`()
        async throws
    {
        let client = TestClients.make("told", method: "client_secret_basic", secret: TestClients.webSecret) {
            $0.backchannelLogoutURI = "https://rp.example/logout"
        }
        for way in ["administrator", "delete"] {
            let server = try await TestServer.start(clients: [client])
            _ = try await server.tokens(client)
            let stores = server.services.stores
            if way == "delete" {
                #expect(try await stores.users.delete(TestServer.subject, at: server.clock.now))
            } else {
                _ = try await stores.grants.endEverything(
                    of: TestServer.subject, reason: .administrator, at: server.clock.now)
            }
            #expect(try await Self.waiting(server).map(\.userID) == [TestServer.subject], "\(way)")
            await server.stop()
        }
    }

    @Test func `115: a private address gets no notice, unless the operator allows this client one`() async throws {
        for uri in [
            "http://127.0.0.1:9/", "http://10.0.0.1/", "http://[::1]:9/", "http://localhost:9/", "http://[fe80::1]/",
        ] {
            let server = try await Self.signedOut(uri)
            let notice = try #require(try await Self.waiting(server).first)
            let post = try #require(try server.services.logoutNotices.post(notice, at: server.clock.now))
            #expect(!post.allowsPrivateAddress)
            let outside = BackchannelLogout(issuer: "https://id.example.com")
            #expect(await outside.send(post, attempt: 1) == .privateAddress, "\(uri)")
            #expect(PrivateNetworks.containHost(of: uri), "\(uri)")
            await server.stop()
        }
        let server = try await Self.signedOut("http://127.0.0.1:9/")
        let told = try #require(server.services.clients.client("told"))
        let allowed = Client(
            id: "told", metadata: told.metadata, secretDigests: told.secretDigests, allowsPrivateLogoutAddress: true)
        try await server.services.stores.clients.put(allowed, at: server.clock.now)
        try await server.services.clients.reload()
        let notice = try #require(try await Self.waiting(server).first)
        let post = try #require(try server.services.logoutNotices.post(notice, at: server.clock.now))
        let outcome = await BackchannelLogout(issuer: "https://id.example.com").send(post, attempt: 1)
        #expect(outcome == .answered(.unreachable(reason: "no answer")), "it was tried")
        #expect(!PrivateNetworks.containHost(of: "https://rp.example.com/logout"))
        await server.stop()
    }

    @Test(arguments: [
        ("93.184.216.34", true), ("2606:2800::1", true), ("::ffff:10.0.0.1", false), ("fe80::1", false),
        ("fe80::1%lo", false), ("not an address", false),
    ])
    func `115: what cannot be read as an address is not public`(address: String, isPublic: Bool) {
        #expect(PrivateNetworks.isPublic(address) == isPublic)
    }

    @Test(arguments: [
        ("http://127.8.9.10/", true), ("http://[::ffff:10.0.0.1]/", true), ("http://app.localhost/", true),
        ("http://LOCALHOST/", true), ("http://169.254.169.254/latest", true), ("http://[fd00::1]:8080/", true),
        ("https://93.184.216.34/", false), ("https://localhost.evil/", false), ("https://rp.example.com:8443/", false),
        // No parser reads these, and nothing is sent there.
        ("http://127.1/", false), ("http://0177.0.0.1/", false), ("http://localhost./", false), ("", false),
    ])
    func `115: the host of an address is plainly private, or is not`(uri: String, isPrivate: Bool) {
        #expect(PrivateNetworks.containHost(of: uri) == isPrivate)
    }

    @Test(arguments: [
        "http://127.1/", "http://0177.0.0.1/", "http://2130706433/", "http://localhost./", "http://a b/", "x:/",
    ])
    func `115: an address that two parsers could read in two ways gets nothing, not even from a local server`(
        uri: String
    ) async throws {
        let server = try await Self.signedOut(uri)
        let notice = try #require(try await Self.waiting(server).first)
        let post = try #require(try server.services.logoutNotices.post(notice, at: server.clock.now))
        let outcome = await BackchannelLogout(issuer: "http://127.0.0.1:8080").send(post, attempt: 1)
        #expect(outcome == .answered(.permanent(reason: "the address has no host")))
        await server.stop()
    }

    @Test(arguments: [
        (200, DeliveryOutcome.sent), (204, .sent), (400, .permanent(reason: "status 400")),
        (404, .permanent(reason: "status 404")), (302, .temporary(reason: "status 302")),
        (429, .temporary(reason: "status 429")), (503, .temporary(reason: "status 503")),
    ])
    func `only what concerns the notice itself is final`(status: Int, outcome: DeliveryOutcome) {
        #expect(BackchannelLogout.outcome(status) == outcome)
    }
}
