import Keyturn
import KeyturnTesting
import KeyturnVerify
import Testing

@Suite("KeyturnTesting: the server")
struct TestServerTests {
    private func verifier(_ server: TestServer, audience: String? = nil) -> TokenVerifier {
        TokenVerifier(
            issuer: server.issuer, audience: audience ?? server.issuer, keys: KeySet(issuer: server.issuer))
    }

    @Test func `it stops when the test ends, also if that fails`() async throws {
        struct Failure: Error {}
        var issuers: [String] = []
        issuers.append(try await withTestServer { $0.issuer })
        await #expect(throws: Failure.self) {
            try await withTestServer { server in
                issuers.append(server.issuer)
                throw Failure()
            }
        }
        let forgotten = try await TestServer.start()
        #expect(try await forgotten.network.send(HTTPRequest(url: forgotten.issuer + "/healthz")).status == 200)
        await forgotten.stop()
        await forgotten.stop()
        issuers.append(forgotten.issuer)
        for issuer in issuers {
            await #expect(throws: AuthError.self) {
                try await URLSessionTransport().send(HTTPRequest(url: issuer + "/healthz"))
            }
        }
    }

    @Test func `a server that no test holds ends by itself`() async throws {
        func issuer() async throws -> String { try await TestServer.start().issuer }
        let address = try await issuer() + "/healthz"
        let end = ContinuousClock.now + .seconds(10)
        while (try? await URLSessionTransport().send(HTTPRequest(url: address))) != nil {
            try #require(ContinuousClock.now < end, "it goes on")
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    @Test func `a token is for a user, a client, a scope and an audience`() async throws {
        let api = "https://api.example.com"
        let client = TestClient("reader", scope: "openid files.read files.write")
        let users = [TestUser.andy, TestUser("bea@example.com", subject: "42", name: "Bea")]
        try await withTestServer(clients: [.app, client], users: users) { server in
            let token = try await server.accessToken(
                for: "bea@example.com", client: client, scope: "openid files.read", audience: api)
            let verified = try await verifier(server, audience: api).verify(token, at: server.clock.now)
            #expect(verified.subject == "42" && verified.clientID == "reader")
            try verified.require(scope: Scope(names: ["files.read"]))
            let narrow = #expect(throws: AuthError.self) { try verified.require(scope: Scope(names: ["files.write"])) }
            #expect(narrow?.code == .tokenInsufficient)
            let plain = try await server.accessToken()
            #expect(try await verifier(server).verify(plain, at: server.clock.now).subject == TestUser.andy.subject)
            let misdirected = await #expect(throws: AuthError.self) {
                try await verifier(server, audience: api).verify(plain, at: server.clock.now)
            }
            #expect(misdirected?.code == .tokenMisdirected)
        }
    }

    @Test func `a confidential client signs users in as well`() async throws {
        let portal = TestClient(
            "portal", secret: "a-secret-of-the-test-a-secret", redirectURIs: ["https://app.example/callback"])
        try await withTestServer(clients: [portal]) { server in
            let verified = try await verifier(server).verify(server.accessToken(), at: server.clock.now)
            #expect(verified.clientID == "portal")
        }
    }

    @Test func `tokens and sign-ins age by the clock, and two servers can share one`() async throws {
        let clock = TestClock()
        try await withTestServer(clock: clock) { first in
            try await withTestServer(clock: clock) { second in
                #expect(first.issuer != second.issuer && first.clock === second.clock)
                for server in [first, second] {
                    let token = try await server.accessToken()
                    let verified = try await verifier(server).verify(token, at: clock.now)
                    try verified.require(FreshnessPolicy(maxAgeSeconds: 300), at: clock.now)
                    await clock.advance(by: .seconds(301))
                    #expect(throws: AuthError.self) {
                        try verified.require(FreshnessPolicy(maxAgeSeconds: 300), at: clock.now)
                    }
                    await clock.advance(by: .seconds(600))
                    let expired = await #expect(throws: AuthError.self) {
                        try await verifier(server).verify(token, at: clock.now)
                    }
                    #expect(expired?.code == .tokenExpired)
                }
            }
        }
    }

    @Test func `after a year the server has other keys, and still signs users in`() async throws {
        try await withTestServer { server in
            let keys = { try await server.network.send(HTTPRequest(url: server.issuer + "/oauth2/jwks")).body }
            let before = try await keys()
            await server.clock.advance(by: .seconds(366 * 86_400))
            #expect(try await keys() != before)
            let token = try await server.accessToken()
            _ = try await verifier(server).verify(token, at: server.clock.now)
        }
    }

    @Test func `what an operator ends is over in the app at its next renewal`() async throws {
        try await withTestServer { server in
            let auth = server.makeKeyturn()
            try await auth.authorize(redirectURI: "http://127.0.0.1/callback")
            try await server.endSessions(of: "andy@example.com")
            await server.clock.advance(by: .seconds(601))
            await #expect(throws: AuthError(.sessionEnded, "")) { try await auth.accessToken() }
            let none = await #expect(throws: TestProblem.self) { try await server.endSessions(of: "carl@example.com") }
            #expect(none?.description == "there is no user carl@example.com")
        }
    }

    @Test func `a mistake in the test is said at the start`() async throws {
        let noClient = await #expect(throws: TestProblem.self) { try await TestServer.start(clients: []) }
        #expect(noClient?.description.contains("pass clients: [.app]") == true)
        let noName = await #expect(throws: TestProblem.self) { try await TestServer.start(users: [TestUser("andy")]) }
        #expect(noName?.description.hasPrefix("\"andy\" is no email address") == true)
        try await withTestServer { server in
            let unknown = await #expect(throws: TestProblem.self) {
                try await server.accessToken(client: TestClient("other"))
            }
            #expect(unknown?.description.contains("no access token") == true)
            try await server.register(TestClient("other"))
            _ = try await server.accessToken(client: TestClient("other"))
            let wrong = await #expect(throws: TestProblem.self) {
                try await server.accessToken(for: "carl@example.com")
            }
            #expect(wrong?.description.contains("carl@example.com") == true, "\(wrong?.description ?? "")")
        }
    }
}
