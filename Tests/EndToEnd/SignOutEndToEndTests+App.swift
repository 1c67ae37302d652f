import Account
import Authority
import Foundation
import Identity
import Keyturn
import KeyturnBase
import KeyturnVerify
import KeyturnWire
import Model
import OAuth
import ServerTesting
import Testing

/// The same, as an app with our library sees it.
extension SignOutEndToEndTests {
    private static let callback = "http://127.0.0.1:49152/callback"
    private static let mobile = told("mobile", isNative: true)

    private func app(_ server: TestServer, _ browser: ScriptedBrowser) -> Keyturn {
        Keyturn(
            .keyturn(issuer: server.issuer, clientID: "mobile", projectID: "test"), storage: .memory,
            browser: PersonAtBrowser(browser: browser), transport: DatedTransport(server.clock),
            ambient: server.clock.ambient)
    }

    /// The app's own ways to end its session.
    enum Way: CaseIterable {
        case logout, wire, browser
    }

    @Test(arguments: Way.allCases)
    func `the app's own sign-out ends its tokens at an API at once`(_ way: Way) async throws {
        let server = try await TestServer.start(clients: [Self.mobile])
        let (browser, api) = (server.browser(), API(server: server))
        let auth = app(server, browser)
        try await auth.authorize(redirectURI: Self.callback)
        let token = try await auth.accessToken()
        #expect(await api.accepts(token))
        switch way {
        case .logout: try await auth.logout()
        case .wire: try await auth.revokeSessions(.currentSession)
        case .browser: try await auth.logoutInBrowser(redirectURI: "http://127.0.0.1:9000/")
        }
        #expect(await auth.state == .signedOut)
        #expect(try await api.hear().map { $0.prefix(7) } == ["mobile "])
        #expect(await !api.accepts(token))
        #expect(try await server.get("/oauth2/userinfo", token: token).status == 401)
        await server.stop()
    }

    @Test func `after a sign-out in the browser an app with offline access goes on with its next token`() async throws {
        let server = try await TestServer.start(clients: [Self.mobile])
        let (browser, api) = (server.browser(), API(server: server))
        let auth = app(server, browser)
        try await auth.authorize(redirectURI: Self.callback)
        let old = try await auth.accessToken()
        _ = try await browser.submit(try await browser.open("/logout"), ["action": "logout"])
        _ = try await api.hear()
        server.clock.advance(1)
        #expect(await !api.accepts(old))
        // What `fetch` does with the 401.
        let next = try await auth.replacement(for: old)
        #expect(next != old)
        #expect(await api.accepts(next))
        #expect(await auth.state == .signedIn(.fresh))
        #expect(try await auth.userInfo().subject == TestServer.subject.rawValue)
        await server.stop()
    }

    @Test func `after a sign-out in the browser an app without offline access is signed out, with the reason`()
        async throws
    {
        let server = try await TestServer.start(clients: [Self.mobile])
        let (browser, api) = (server.browser(), API(server: server))
        let auth = app(server, browser)
        var options = SignInOptions(redirectURI: Self.callback)
        options.scope = Scope(names: ["openid", "profile"])
        try await auth.authorize(options)
        let old = try await auth.accessToken()
        _ = try await browser.submit(try await browser.open("/logout"), ["action": "logout"])
        _ = try await api.hear()
        #expect(await !api.accepts(old))
        let error = await #expect(throws: AuthError(.sessionEnded, "")) { try await auth.replacement(for: old) }
        #expect(error?.server?.description?.contains("logout") == true, "\(String(describing: error?.server))")
        guard case .ended = await auth.state else {
            Issue.record("the state is \(await auth.state)")
            return
        }
        await server.stop()
    }
}
