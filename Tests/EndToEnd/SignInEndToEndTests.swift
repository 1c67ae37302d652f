import Foundation
import Identity
import Keyturn
import KeyturnBase
import KeyturnVerify
import KeyturnWire
import Model
import ServerTesting
import Testing

@Suite("End to end: a person, an app, and the server between them")
struct SignInEndToEndTests {
    private func app(
        _ server: TestServer, _ conduct: PersonAtBrowser.Conduct = .signsIn, browser: ScriptedBrowser? = nil,
        binding: Service.Binding = .refreshToken
    )
        -> Keyturn
    {
        Keyturn(
            .keyturn(issuer: server.issuer, clientID: "tool", binding: binding), storage: .memory,
            browser: PersonAtBrowser(browser: browser ?? server.browser(), conduct: conduct),
            transport: DatedTransport(server.clock), ambient: server.clock.ambient)
    }

    private let callback = "http://127.0.0.1:49152/callback"

    @Test func `a person signs in, the app knows who, calls an API, and signs out`() async throws {
        let server = try await TestServer.start()
        let auth = app(server)
        #expect(try await auth.start() == .signedOut)
        let result = try await auth.authorize(redirectURI: callback)
        #expect(result.userInfo.subject == TestServer.subject.rawValue)
        #expect(await auth.state == .signedIn(.fresh))

        let token = try await auth.accessToken()
        let verifier = TokenVerifier(
            issuer: server.issuer, audience: server.issuer, keys: KeySet(issuer: server.issuer))
        let verified = try await verifier.verify(token, at: server.clock.now)
        #expect(verified.subject == TestServer.subject.rawValue && verified.clientID == "tool")

        try await auth.logout()
        #expect(await auth.state == .signedOut)
        #expect(try await server.get("/oauth2/userinfo", token: token).status == 401, "signed out at the server too")
        await server.stop()
    }

    @Test func `the session refreshes itself when the access token has run out`() async throws {
        let server = try await TestServer.start()
        let auth = app(server)
        _ = try await auth.start()
        _ = try await auth.authorize(redirectURI: callback)
        let first = try await auth.accessToken()
        #expect(try await auth.accessToken() == first)
        server.clock.advance(601)
        let second = try await auth.accessToken()
        #expect(second != first)
        #expect(try await server.get("/oauth2/userinfo", token: second).status == 200)
        await server.stop()
    }

    @Test func `a hundred callers at once cost one refresh`() async throws {
        let server = try await TestServer.start()
        let auth = app(server, binding: .none)
        _ = try await auth.start()
        _ = try await auth.authorize(redirectURI: callback)
        server.clock.advance(601)
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<100 { group.addTask { try await auth.accessToken() } }
            var tokens: Set<String> = []
            for try await token in group { tokens.insert(token) }
            return tokens
        }
        #expect(tokens.count == 1)
        let grants = try await server.services.stores.grants.grants(
            of: TestServer.subject, limit: 10, at: server.clock.now)
        #expect(grants.map(\.counter) == [1])
        await server.stop()
    }

    @Test func `a slip of the finger is no reason to start again`() async throws {
        let server = try await TestServer.start()
        let auth = app(server, .mistypesFirst)
        _ = try await auth.start()
        #expect(try await auth.authorize(redirectURI: callback).userInfo.subject == TestServer.subject.rawValue)
        await server.stop()
    }

    @Test func `giving up is a cancel, not a failure`() async throws {
        let server = try await TestServer.start()
        let auth = app(server, .givesUp)
        _ = try await auth.start()
        await #expect(throws: AuthError(.cancelled, "")) { try await auth.authorize(redirectURI: callback) }
        #expect(await auth.state == .signedOut)
        await server.stop()
    }

    @Test func `a foreign redirect address never gets a code`() async throws {
        let server = try await TestServer.start()
        let auth = app(server)
        _ = try await auth.start()
        await #expect(throws: AuthError.self) {
            try await auth.authorize(redirectURI: "http://127.0.0.1:49152/elsewhere")
        }
        #expect(await auth.state == .signedOut)
        await server.stop()
    }

    @Test func `a session that was ended elsewhere ends here, and says so`() async throws {
        let server = try await TestServer.start()
        let auth = app(server)
        _ = try await auth.start()
        _ = try await auth.authorize(redirectURI: callback)
        _ = try await server.services.stores.grants.endAll(
            of: TestServer.subject, reason: .administrator, at: server.clock.now)
        server.clock.advance(601)
        await #expect(throws: AuthError(.sessionEnded, "")) { try await auth.accessToken() }
        #expect(await auth.state == .ended(.refused))
        await server.stop()
    }

    @Test func `while the server is away nobody is signed out`() async throws {
        let server = try await TestServer.start()
        let auth = app(server)
        _ = try await auth.start()
        _ = try await auth.authorize(redirectURI: callback)
        await server.stop()
        server.clock.advance(601)
        await #expect(throws: AuthError.self) { try await auth.accessToken() }
        #expect(await auth.state.isSignedIn)
    }

    @Test func `a second sign-in in the same browser needs no password, unless it must be fresh`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        let first = app(server, browser: browser)
        _ = try await first.start()
        let before = try await first.authorize(redirectURI: callback)
        server.clock.advance(100)
        let again = try await app(server, .typesNothing, browser: browser).authorize(redirectURI: callback)
        #expect(again.idToken?.authTime == before.idToken?.authTime, "nobody was asked")
        let fresh = try await first.reauthenticate(redirectURI: callback)
        #expect(try #require(fresh.idToken?.authTime) > (try #require(before.idToken?.authTime)))
        await server.stop()
    }

    @Test func `the page speaks the language that the app asks for`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        var request = server.request(TestClients.tool, proof: PKCE(ambient: .live))
        request.uiLocales = "tlh de"
        let page = try await server.authorize(request, in: browser)
        #expect(page.body.contains("<html lang=\"de\"") && page.body.contains("Anmelden"))
        await server.stop()
    }

    @Test func `attack 71: a sign-in that is too old does not do for what is delicate`() async throws {
        let server = try await TestServer.start()
        let auth = app(server)
        _ = try await auth.start()
        _ = try await auth.authorize(redirectURI: callback)
        let verifier = TokenVerifier(
            issuer: server.issuer, audience: server.issuer, keys: KeySet(issuer: server.issuer))
        let policy = FreshnessPolicy(maxAgeSeconds: 300)
        let now = server.clock.now
        let token = try await verifier.verify(try await auth.accessToken(), at: now)
        #expect(throws: Never.self) { try token.require(policy, at: now + 300) }
        #expect(throws: AuthError(.tokenInsufficient, "")) { try token.require(policy, at: now + 400) }
        await server.stop()
    }

    @Test func `71: what a service's challenge names, sent along with a sign-in, makes a token that it takes`()
        async throws
    {
        let server = try await TestServer.start()
        let browser = server.browser()
        let verifier = TokenVerifier(
            issuer: server.issuer, audience: server.issuer, keys: KeySet(issuer: server.issuer))
        let policy = FreshnessPolicy(maxAgeSeconds: 300, acrValues: [AuthenticationFacts.passwordClass])
        let old = try await server.tokens(TestClients.portal, in: browser)
        server.clock.advance(400)
        let now = server.clock.now
        let stale = try await verifier.verify(old.accessToken, at: now)
        #expect(throws: AuthError(.tokenInsufficient, "")) { try stale.require(policy, at: now) }
        let silent = try await server.tokens(TestClients.portal, in: browser)
        let same = try await verifier.verify(silent.accessToken, at: now)
        #expect(throws: AuthError(.tokenInsufficient, "")) { try same.require(policy, at: now) }
        let fresh = try await server.tokens(TestClients.portal, in: browser) {
            $0.acrValues = policy.acrValues.joined(separator: " ")
            $0.maxAge = policy.maxAgeSeconds.map(String.init)
        }
        let token = try await verifier.verify(fresh.accessToken, at: now)
        #expect(throws: Never.self) { try token.require(policy, at: now) }
        await server.stop()
    }
}
