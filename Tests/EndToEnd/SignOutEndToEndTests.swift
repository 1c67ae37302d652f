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

/// The table of `docs/logout-notices.md`: acts against what ends with them, at the server and at an API that takes the
/// notices.
@Suite("End to end: what ends with what")
struct SignOutEndToEndTests {
    /// What a person, a client or an operator does.
    enum Act: CaseIterable {
        case logoutPage, endSession, endSessionWithHint, consoleSession, ownSettings
        case revokeRefreshToken, revokeAccessToken, consoleApp
        case refreshReplay, codeReplay
        case management, disabling, newPassword, everywhere, deletion
    }

    /// What is there before: one browser with an app that has `offline_access` and a site that has none, and the same app
    /// once more in another browser.
    enum Grant: CaseIterable {
        case app, site, elsewhere
    }

    /// Which of the grants end, and whether the first browser is signed out.
    private static func ended(_ act: Act) -> (grants: Set<Grant>, browser: Bool) {
        switch act {
        case .logoutPage, .endSession, .endSessionWithHint, .consoleSession, .ownSettings: ([.site], true)
        case .revokeRefreshToken, .revokeAccessToken, .consoleApp, .refreshReplay, .codeReplay: ([.app], false)
        case .management, .disabling, .newPassword, .everywhere, .deletion: ([.app, .site, .elsewhere], true)
        }
    }

    static let pocket = told("pocket")
    static let site = told("site")

    static func told(_ id: String, isNative: Bool = false) -> Client {
        TestClients.make(
            id, method: isNative ? "none" : "client_secret_basic", secret: isNative ? nil : TestClients.webSecret,
            firstParty: true, native: isNative
        ) { $0.backchannelLogoutURI = "https://\(id).example/logged-out" }
    }

    /// An API that checks access tokens, and takes the notices of each client.
    struct API {
        let server: TestServer
        let revocations = SessionRevocations()

        func accepts(_ token: String) async -> Bool {
            let verifier = TokenVerifier(
                issuer: server.issuer, audience: server.issuer, keys: KeySet(issuer: server.issuer),
                revocations: revocations)
            return (try? await verifier.verify(token, at: server.clock.now)) != nil
        }

        /// Takes what waits, as the server sends it.
        ///
        /// - Returns: whom it was for.
        func hear() async throws -> Set<String> {
            let (notices, now) = (server.services.logoutNotices, server.clock.now)
            var told: Set<String> = []
            for claim in try await notices.store.claim(limit: 99, leaseSeconds: 20, at: now) {
                let post = try #require(try notices.post(claim.notice, at: now))
                try await revocations.receive(
                    post.logoutToken.exposed(),
                    verifiedBy: LogoutTokenVerifier(
                        issuer: server.issuer, clientID: post.clientID, keys: KeySet(issuer: server.issuer)),
                    at: now)
                told.insert("\(post.clientID) \(claim.notice.sessionID.rawValue)")
                #expect(try await notices.store.remove(claim))
            }
            return told
        }
    }

    private struct World {
        let server: TestServer
        let browser: ScriptedBrowser
        let api: API
        var tokens: [Grant: TokenResponse] = [:]
        /// Of the app's sign-in in the first browser.
        var code = ""
        let proof = PKCE(ambient: .live)

        static func make() async throws -> World {
            let server = try await TestServer.start(clients: [pocket, site])
            var world = World(server: server, browser: server.browser(), api: API(server: server))
            let response = try await server.signIn(pocket, proof: world.proof, in: world.browser)
            guard case .code(let code) = response.outcome else { throw TestFailure("no code") }
            world.code = code
            let answer = try await server.redeem(code, pocket, proof: world.proof)
            world.tokens[.app] = try JSONDecoder().decode(TokenResponse.self, from: Data(answer.body.utf8))
            world.tokens[.site] = try await server.tokens(site, in: world.browser) { $0.scope = "openid" }
            world.tokens[.elsewhere] = try await server.tokens(pocket)
            return world
        }

        func client(_ grant: Grant) -> Client { grant == .site ? site : pocket }

        func session(_ grant: Grant) -> String {
            TestServer.claims(tokens[grant].map { Secret($0.accessToken) })["sid"]?.stringValue ?? ""
        }

        func isSignedIn() async throws -> Bool {
            var request = server.request(TestClients.portal, proof: nil)
            request.prompt = "none"
            let answer = try TestServer.callback(try await server.authorize(request, in: browser))
            if case .code = answer?.outcome { return true }
            return false
        }

        func atServer(_ token: String) async throws -> Bool {
            try await server.get("/oauth2/userinfo", token: token).status == 200
        }

        /// Whether the server and the API take a token.
        func bothTake(_ token: String) async throws -> Bool {
            let atServer = try await atServer(token)
            let atAPI = await api.accepts(token)
            return atServer && atAPI
        }

        func perform(_ act: Act) async throws {
            let (user, services) = (TestServer.subject, server.services)
            let app = try #require(tokens[.app])
            let name = JSONValue.string(TestServer.username)
            let account = try #require(try await services.stores.users.account(user))
            let machine = Actor("operator", .machine(.command))
            switch act {
            case .logoutPage:
                _ = try await browser.submit(try await browser.open("/logout"), ["action": "logout"])
            case .endSession:
                _ = try await browser.submit(try await browser.open("/oauth2/end_session"), ["action": "logout"])
            case .endSessionWithHint:
                _ = try await browser.open("/oauth2/end_session?id_token_hint=\(app.idToken ?? "")")
            case .consoleSession:
                let id = SessionID(rawValue: session(.app))
                #expect(try await services.managedUserAccess.end(id, of: account, by: machine))
            case .ownSettings:
                #expect(
                    try await services.stores.sessions.end(
                        SessionID(rawValue: session(.app)), of: user, at: server.clock.now))
            case .revokeRefreshToken, .revokeAccessToken:
                let token = act == .revokeAccessToken ? app.accessToken : app.refreshToken ?? ""
                #expect(
                    try await server.post("/oauth2/revoke", FormParameters(["token": token]), as: pocket).status == 200)
            case .consoleApp:
                let id = TestServer.claims(Secret(app.accessToken))["gid"]?.stringValue ?? ""
                #expect(
                    try await services.managedUserAccess.end(
                        try #require(GrantID(text: id)), of: account, by: machine))
            case .refreshReplay:
                let next = try await server.refresh(app.refreshToken, pocket).json["refresh_token"]?.stringValue
                _ = try await server.refresh(next, pocket)
                server.clock.advance(61)
                #expect(try await server.refresh(app.refreshToken, pocket).status == 400)
            case .codeReplay:
                #expect(try await server.redeem(code, pocket, proof: proof).status == 400)
            case .management: #expect(try await server.manage("user/logout", ["loginId": name]).status == 200)
            case .disabling:
                #expect(
                    try await server.manage("user/update/status", ["loginId": name, "status": "disabled"]).status
                        == 200)
            case .newPassword:
                let body: JSONValue = ["loginId": name, "password": "another-horse-battery"]
                let set = try await server.manage("user/password/set/active", body)
                #expect(set.status == 200, "\(set.body)")
            case .everywhere:
                let owner = try await server.session()
                #expect(try await server.method("logoutall", owner.refreshJWT?.exposed()).status == 200)
            case .deletion: #expect(try await server.manage("user/delete", ["loginId": name]).status == 200)
            }
        }
    }

    @Test(arguments: Act.allCases)
    func `each act ends what the table says, the same at the server and at an API`(_ act: Act) async throws {
        let world = try await World.make()
        let (server, api) = (world.server, world.api)
        for (_, token) in world.tokens {
            let accepted = (try await world.atServer(token.accessToken), await api.accepts(token.accessToken))
            #expect(accepted == (true, true))
        }
        try await world.perform(act)
        let ended = Self.ended(act)
        let told = try await api.hear()
        // Sessions that are over, or a part of them.
        let touched = ended.browser ? Set([Grant.app, .site]).union(ended.grants) : ended.grants
        #expect(told == Set(touched.map { "\(world.client($0).id) \(world.session($0))" }), "who is told")
        if act != .deletion, act != .disabling { #expect(try await world.isSignedIn() != ended.browser) }
        let sessions = Set(touched.map(world.session))
        for (grant, tokens) in world.tokens {
            let isOver = touched.contains(grant)
            #expect(try await world.atServer(tokens.accessToken) == !isOver, "\(grant) at the server")
            let isNamed = sessions.contains(world.session(grant))
            #expect(await api.accepts(tokens.accessToken) == !isNamed, "\(grant) at the API")
        }
        server.clock.advance(1)
        for (grant, tokens) in world.tokens where act != .refreshReplay || grant != .app {
            let next = try await server.refresh(tokens.refreshToken, world.client(grant))
            guard !ended.grants.contains(grant) else {
                #expect(next.error == "invalid_grant", "\(grant) ended")
                continue
            }
            let token = try #require(next.json["access_token"]?.stringValue, "\(grant) lives")
            #expect(try await world.atServer(token), "a later token of \(grant)")
            #expect(await api.accepts(token), "a later token of \(grant)")
        }
        #expect(try await api.hear().isEmpty)
        await server.stop()
    }

    /// Times are whole seconds: the token may be older than the sign-out.
    @Test func `a token of the second of the sign-out is refused by both, and the next second's by neither`()
        async throws
    {
        let world = try await World.make()
        let (server, api) = (world.server, world.api)
        try await world.perform(.logoutPage)
        func renew() async throws -> String {
            let answer = try await server.refresh(world.tokens[.app]?.refreshToken, Self.pocket)
            return try #require(answer.json["access_token"]?.stringValue)
        }
        let same = try await renew()
        _ = try await api.hear()
        #expect(try await !world.atServer(same))
        #expect(await !api.accepts(same))
        server.clock.advance(1)
        let later = try await renew()
        #expect(try await world.atServer(later))
        #expect(await api.accepts(later))
        server.clock.advance(300)
        #expect(try await world.atServer(later), "and stays good")
        #expect(await api.accepts(later), "and stays good")
        await server.stop()
    }

    @Test func `an exchanged token ends with the sign-out before which it was made`() async throws {
        let world = try await World.make()
        let (server, now) = (world.server, world.server.clock.now)
        let claims = TestServer.claims(Secret(world.tokens[.app]?.accessToken ?? ""))
        let grant = try #require(GrantID(text: claims["gid"]?.stringValue ?? ""))
        try await world.perform(.logoutPage)
        let grants = server.services.stores.grants
        #expect(try await grants.isLive(grant, at: now), "the grant itself")
        #expect(try await !grants.isLive(grant, forTokenOf: now, at: now))
        #expect(try await grants.isLive(grant, forTokenOf: now + 1, at: now + 1))
        #expect(try await grants.live(grant, forTokenOf: now, at: now) == nil)
        await server.stop()
    }
}
