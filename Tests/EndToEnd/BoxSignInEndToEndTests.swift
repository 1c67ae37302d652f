import Foundation
import Identity
import Keyturn
import KeyturnBase
import ServerTesting
import KeyturnVerify
import KeyturnWire
import Model
import Testing

@Suite("End to end: users give an application access, in the way of Box")
struct BoxSignInEndToEndTests {
    private static let application = ServiceApplication(clientID: "drive", clientSecret: TestClients.webSecret)

    /// Registered as Box's applications are: its secret is in the form, and it knows no OpenID Connect.
    private static let client = TestClients.make("drive", method: "client_secret_post", secret: TestClients.webSecret) {
        $0.grantTypes = ["authorization_code", "refresh_token"]
        $0.scope = "profile email item_preview item_download offline_access"
    }

    private func app(_ server: TestServer, _ store: MemoryStore = MemoryStore()) -> Keyturn {
        Keyturn(
            .box(
                clientID: "drive", clientSecret: TestClients.webSecret, configuration: .keyturn(issuer: server.issuer)),
            storage: .custom(store), browser: PersonAtBrowser(browser: server.browser()),
            transport: DatedTransport(server.clock), ambient: server.clock.ambient)
    }

    private func client(_ credential: ServiceCredential, _ server: TestServer, _ store: (any TokenStore)? = nil)
        -> ServiceClient
    {
        ServiceClient(
            credential, application: Self.application, configuration: .keyturn(issuer: server.issuer), store: store,
            transport: DatedTransport(server.clock), ambient: server.clock.ambient)
    }

    @Test func `an app signs a user in, renews the session, gives a lesser token away, and signs out`() async throws {
        let server = try await TestServer.start(clients: [Self.client])
        let store = MemoryStore()
        let auth = app(server, store)
        let result = try await auth.authorize(redirectURI: TestClients.callback)
        #expect(result.idToken == nil)
        #expect(result.userInfo.subject == TestServer.subject.rawValue)
        #expect(result.userInfo.email == TestServer.username)
        let first = try await auth.accessToken()

        server.clock.advance(3_601)
        let again = app(server, store)
        let service = client(.threeLegged(again), server)
        #expect(try await service.call("GET", "/2.0/users/me")["login"] == .string(TestServer.username))
        let second = try await again.accessToken()
        #expect(second != first)
        let lesser = try await service.exchange(
            scope: Scope(names: ["item_preview"]), resource: "https://api.example.com/2.0/files/123")
        #expect(lesser.refreshToken == nil && lesser.restrictedTo.map(\.scope) == ["item_preview"])

        try await again.logout()
        let holder = client(.developerToken(second), server)
        await #expect(throws: AuthError(.developerTokenRefused, "")) { try await holder.call("GET", "/2.0/users/me") }
        #expect(try await server.liveClients().isEmpty)
        await server.stop()
    }

    @Test func `a session that the server ended is over`() async throws {
        let server = try await TestServer.start(clients: [Self.client])
        let auth = app(server)
        try await auth.authorize(redirectURI: TestClients.callback)
        _ = try await server.services.stores.grants.endAll(
            of: TestServer.subject, reason: .administrator, at: server.clock.now)
        server.clock.advance(3_601)
        await #expect(throws: AuthError(.sessionEnded, "")) { try await auth.accessToken() }
        #expect(await auth.state == .ended(.refused))
        await server.stop()
    }

    /// What one process of a web application leaves in the browser's session for another.
    private func begin(_ server: TestServer) throws -> (url: String, left: String) {
        let authorization = try ServiceAuthorization(
            Self.application, redirectURI: TestClients.callback, scope: Scope(names: ["email", "item_preview"]),
            configuration: .keyturn(issuer: server.issuer), transport: DatedTransport(server.clock),
            ambient: server.clock.ambient)
        return (authorization.url, authorization.saved.exposed())
    }

    private func restore(_ left: String, _ server: TestServer) throws -> ServiceAuthorization {
        try ServiceAuthorization(
            saved: Secret(left), application: Self.application, configuration: .keyturn(issuer: server.issuer),
            transport: DatedTransport(server.clock), ambient: server.clock.ambient)
    }

    /// The user goes to the address, signs in, and comes back.
    private func visit(_ url: String, _ server: TestServer) async throws -> String {
        let browser = server.browser()
        let screen = try await server.complete(try await browser.open(url), in: browser)
        return try #require(screen.header("location"), "\(screen.page ?? "none")")
    }

    @Test func `one process of a web application begins, and another finishes`() async throws {
        let server = try await TestServer.start(clients: [Self.client])
        let (url, left) = try begin(server)
        let callbackURL = try await visit(url, server)
        let tokens = try await restore(left, server).redeem(callbackURL: callbackURL)
        let store = MemoryTokenStore()
        let user = TestServer.subject.rawValue
        let service = client(.threeLegged(uniqueID: user, tokens: tokens), server, store)
        let person = try await service.call("GET", "/2.0/users/me")
        #expect(person["id"] == .string(user) && person["login"] == .string(TestServer.username))

        // A third process has nothing but the store.
        server.clock.advance(3_601)
        let renewed = try await service.accessToken()
        #expect(renewed != tokens.accessToken)
        let third = client(.threeLegged(uniqueID: user), server, store)
        #expect(try await third.accessToken() == renewed)
        #expect(try await third.call("GET", "/2.0/users/me")["id"] == .string(user))
        try await third.destroy()
        #expect(try await server.liveClients().isEmpty)
        #expect(await store.read(user) == nil)
        await server.stop()
    }

    @Test func `a callback counts once, and a second use ends what the first one got`() async throws {
        let server = try await TestServer.start(clients: [Self.client])
        let (url, left) = try begin(server)
        let callbackURL = try await visit(url, server)
        let tokens = try await restore(left, server).redeem(callbackURL: callbackURL)
        let again = await #expect(throws: AuthError.self) {
            try await restore(left, server).redeem(callbackURL: callbackURL)
        }
        #expect(again?.server?.code == "invalid_grant")
        #expect(try await server.get("/2.0/users/me", token: tokens.accessToken).status == 401)
        await server.stop()
    }

    @Test func `a callback is good for the browser that began, and for no other`() async throws {
        let server = try await TestServer.start(clients: [Self.client])
        let (mine, victims) = (try begin(server), try begin(server))
        let callbackURL = try await visit(mine.url, server)
        await #expect(throws: AuthError(.callbackMismatch, "")) {
            try await restore(victims.left, server).redeem(callbackURL: callbackURL)
        }
        // Whoever knows the victim's state still lacks the verifier of the code.
        let (from, to) = (try restore(mine.left, server).state, try restore(victims.left, server).state)
        let refused = await #expect(throws: AuthError.self) {
            try await restore(victims.left, server).redeem(callbackURL: callbackURL.replacing(from, with: to))
        }
        #expect(refused?.server?.code == "invalid_grant")
        await server.stop()
    }
}
