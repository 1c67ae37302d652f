import Foundation
import Identity
import Keyturn
import KeyturnBase
import ServerTesting
import KeyturnVerify
import KeyturnWire
import Model
import OAuth
import Testing

@Suite("End to end: signing out in the browser, too")
struct EndSessionEndToEndTests {
    private static let callback = "http://127.0.0.1:49152/callback"
    private static let goodbye = "http://127.0.0.1:9000/"

    /// A backend's client, which takes logout notices.
    private static let told = TestClients.make(
        "told", method: "client_secret_basic", secret: TestClients.webSecret, firstParty: true
    ) { $0.backchannelLogoutURI = "https://told.example/logged-out" }

    private func app(_ server: TestServer, _ browser: ScriptedBrowser) -> Keyturn {
        Keyturn(
            .keyturn(issuer: server.issuer, clientID: "tool"), storage: .memory,
            browser: PersonAtBrowser(browser: browser), transport: DatedTransport(server.clock),
            ambient: server.clock.ambient)
    }

    /// Whether the browser is signed in at the server: whether a sign-in would ask nothing.
    private func isSignedIn(_ browser: ScriptedBrowser, _ server: TestServer) async throws -> Bool {
        let screen = try await server.authorize(
            server.request(TestClients.portal, proof: PKCE(ambient: .live)), in: browser)
        return screen.page != "login"
    }

    @Test func `the app, the browser and the backend hear of one sign-out`() async throws {
        let server = try await TestServer.start(clients: [Self.told])
        let browser = server.browser()
        let auth = app(server, browser)
        try await auth.authorize(redirectURI: Self.callback)
        let atBackend = try await server.tokens(Self.told, in: browser) { $0.scope = "openid" }
        #expect(try await isSignedIn(browser, server))
        let token = try await auth.accessToken()

        try await auth.logoutInBrowser(redirectURI: Self.goodbye)
        #expect(await auth.state == .signedOut)
        #expect(try await server.get("/oauth2/userinfo", token: token).status == 401)
        #expect(try await !isSignedIn(browser, server))

        let waiting = try await server.services.logoutNotices.store.waiting(limit: 10)
        #expect(waiting.map(\.clientID) == ["told"])
        let notice = try #require(waiting.first)
        let post = try #require(try server.services.logoutNotices.post(notice, at: server.clock.now))
        #expect(post.uri == "https://told.example/logged-out")
        // What the backend does with it.
        let keys = KeySet(issuer: server.issuer)
        let revocations = SessionRevocations()
        let verifier = TokenVerifier(
            issuer: server.issuer, audience: server.issuer, keys: keys, revocations: revocations)
        _ = try await verifier.verify(atBackend.accessToken, at: server.clock.now)
        try await revocations.receive(
            post.logoutToken.exposed(),
            verifiedBy: LogoutTokenVerifier(issuer: server.issuer, clientID: "told", keys: keys), at: server.clock.now)
        await #expect(throws: AuthError.self) {
            try await verifier.verify(atBackend.accessToken, at: server.clock.now)
        }
        await server.stop()
    }

    @Test func `an app that shows the page by itself`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        let auth = app(server, browser)
        try await auth.authorize(redirectURI: Self.callback)
        let url = try #require(
            try await auth.endSessionURL(postLogoutRedirectURI: Self.goodbye, state: "s&1", uiLocales: ["de"]))
        try await auth.logout()
        #expect(try await isSignedIn(browser, server), "the app's session alone has ended")
        let left = try await browser.open(url)
        #expect(left.header("location") == Self.goodbye + "?state=s%261")
        #expect(try await !isSignedIn(browser, server))
        await server.stop()
    }

    @Test func `without an address to go back to, the service's page stays`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        let auth = app(server, browser)
        try await auth.authorize(redirectURI: Self.callback)
        try await auth.logoutInBrowser()
        #expect(await auth.state == .signedOut)
        #expect(try await !isSignedIn(browser, server))
        await server.stop()
    }

    @Test func `an address that is not registered leads nowhere, and the session here is over`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        let auth = app(server, browser)
        try await auth.authorize(redirectURI: Self.callback)
        await #expect(throws: AuthError(.cancelled, "")) {
            try await auth.logoutInBrowser(redirectURI: "http://127.0.0.1:9000/elsewhere")
        }
        #expect(await auth.state == .signedOut)
        #expect(try await isSignedIn(browser, server))
        await server.stop()
    }

    @Test func `a callback of another sign-out is refused`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        for callback in [Self.goodbye, Self.goodbye + "?state=guessed", Self.goodbye + "x?state="] {
            let auth = Keyturn(
                .keyturn(issuer: server.issuer, clientID: "tool"), storage: .memory,
                browser: Misled(person: PersonAtBrowser(browser: browser), answer: callback),
                transport: DatedTransport(server.clock), ambient: server.clock.ambient)
            try await auth.authorize(redirectURI: Self.callback)
            await #expect(throws: AuthError(.callbackMismatch, "")) {
                try await auth.logoutInBrowser(redirectURI: Self.goodbye)
            }
            #expect(await auth.state == .signedOut)
        }
        await server.stop()
    }

    @Test func `while the server is away nothing is ended`() async throws {
        let server = try await TestServer.start()
        let auth = app(server, server.browser())
        try await auth.authorize(redirectURI: Self.callback)
        await server.stop()
        await #expect(throws: AuthError(.unavailable, "")) {
            try await auth.logoutInBrowser(redirectURI: Self.goodbye)
        }
        #expect(await auth.state.isSignedIn)
    }

    /// A browser that another page sends back to the app, once it was asked to sign out.
    private struct Misled: BrowserAgent {
        let person: PersonAtBrowser
        let answer: String

        func prepare(redirectURI: String) async throws(AuthError) -> any WebAuthenticationSession {
            guard redirectURI == goodbye else { return try await person.prepare(redirectURI: redirectURI) }
            return Session(redirectURI: redirectURI, answer: answer)
        }

        struct Session: WebAuthenticationSession {
            let redirectURI: String
            let answer: String

            func open(_ url: String, state: String) async throws(AuthError) -> String {
                answer.hasSuffix("=") ? answer + state : answer
            }

            func close() async {}
        }
    }
}
