import Foundation
import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

@Suite("Pages of web applications that an app opens signed in, by the requests of Authgear's wire")
struct PreAuthenticatedURLTests {
    private static let scope =
        "openid profile email offline_access device_sso https://authgear.com/scopes/pre-authenticated-url"
    private static let page = "https://app.example/shop?item=1"

    private static let app = TestClients.make("pages", method: "none", secret: nil, firstParty: true, native: true) {
        $0.scope = scope
    }

    private static func web(_ id: String, firstParty: Bool = true, origins: [String]?) -> Client {
        TestClients.make(id, method: "none", secret: nil, firstParty: firstParty) {
            $0.redirectURIs = ["https://app.example/\(id)"]
            $0.grantTypes = ["authorization_code", "refresh_token", GrantType.tokenExchange.rawValue]
            $0.preAuthenticatedURIs = origins
        }
    }

    private static let spa = web("spa", origins: ["https://app.example"])
    private static let second = web("second", origins: ["https://app.example"])
    private static let unlisted = web("unlisted", origins: nil)
    private static let foreign = web("foreign", firstParty: false, origins: ["https://app.example"])
    private let pkce = PKCE(ambient: .live)

    private func start() async throws -> TestServer {
        try await TestServer.start(clients: [Self.app, Self.spa, Self.second, Self.unlisted, Self.foreign])
    }

    private func session(_ server: TestServer, scope: String = scope) async throws -> TokenResponse {
        try await server.tokens(Self.app) { $0.scope = scope }
    }

    private func exchange(
        _ server: TestServer, _ tokens: TokenResponse, for client: Client = spa, _ change: [String: String] = [:]
    ) async throws -> EndpointAnswer {
        let fields = [
            "grant_type": GrantType.tokenExchange.rawValue,
            "requested_token_type": "urn:authgear:params:oauth:token-type:pre-authenticated-url-token",
            "subject_token_type": "urn:ietf:params:oauth:token-type:id_token", "subject_token": tokens.idToken ?? "",
            "actor_token_type": "urn:x-oath:params:oauth:token-type:device-secret",
            "actor_token": tokens.deviceSecret ?? "", "audience": server.issuer,
        ].merging(change) { $1 }
        var form = FormParameters()
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) { form.append(name, value) }
        return try await server.post("/oauth2/token", form, as: client)
    }

    private func open(
        _ server: TestServer, _ grant: EndpointAnswer, in browser: ScriptedBrowser, as client: Client = spa,
        page: String = page
    ) async throws -> ScriptedBrowser.Screen {
        let form = FormParameters([
            "response_type": "urn:authgear:params:oauth:response-type:pre-authenticated-url token",
            "response_mode": "cookie", "client_id": client.id, "redirect_uri": page, "prompt": "none", "state": "s1",
            "id_token_hint": grant.json["id_token"]?.stringValue,
            "x_pre_authenticated_url_token": grant.json["access_token"]?.stringValue,
        ])
        return try await browser.open("/oauth2/authorize?\(form.encoded)")
    }

    /// What the page does while it loads.
    private func ask(
        _ server: TestServer, in browser: ScriptedBrowser, as client: Client = spa,
        _ change: (inout AuthorizationRequest) -> Void = { _ in }
    ) async throws -> AuthorizationResponse.Outcome {
        var request = server.request(client, proof: pkce)
        request.prompt = "none"
        change(&request)
        return try #require(try TestServer.callback(try await server.authorize(request, in: browser))).outcome
    }

    private func isRefused(_ outcome: AuthorizationResponse.Outcome) -> Bool {
        guard case .refused(let problem) = outcome else { return false }
        return problem.code == .loginRequired
    }

    @Test func `the page opens, and its own request is answered, once`() async throws {
        let server = try await start()
        let tokens = try await session(server)
        let grant = try await exchange(server, tokens)
        #expect(grant.status == 200, "\(grant.body)")
        #expect(grant.json["token_type"] == "Bearer" && grant.json["expires_in"]?.integerValue == 300)
        #expect(grant.json["device_secret"]?.stringValue != nil && grant.json["refresh_token"] == nil)
        let browser = server.browser()
        let opened = try await open(server, grant, in: browser)
        #expect(opened.header("location") == "\(Self.page)&state=s1")
        #expect(browser.cookieJar["keyturn-session"] == nil, "it is no session of the browser")
        guard case .code(let code) = try await ask(server, in: browser) else { throw TestFailure("refused") }
        #expect(isRefused(try await ask(server, in: browser)), "the pass counts once")
        #expect(try await server.redeem(code, Self.spa, proof: PKCE(ambient: .live)).error == "invalid_grant")
        let answer = try await server.redeem(code, Self.spa, proof: pkce)
        #expect(answer.status == 200, "\(answer.body)")
        let user = try await server.get("/oauth2/userinfo", token: answer.json["access_token"]?.stringValue)
        #expect(user.json["sub"]?.stringValue == TestServer.subject.rawValue)
        let again = try await open(server, grant, in: server.browser())
        #expect(again.header("location") == "\(Self.page)&state=s1")
        _ = try await server.services.stores.grants.endAll(
            of: TestServer.subject, reason: .logout, at: server.clock.now)
        #expect(try await server.refresh(answer.json["refresh_token"]?.stringValue, Self.spa).status == 400)
        await server.stop()
    }

    @Test func `a token that was used, is late, or is another client's opens the page without a user`() async throws {
        let server = try await start()
        let tokens = try await session(server)
        let used = try await exchange(server, tokens)
        _ = try await open(server, used, in: server.browser())
        let browser = server.browser()
        #expect(try await open(server, used, in: browser).header("location")?.hasPrefix(Self.page) == true)
        #expect(isRefused(try await ask(server, in: browser)))
        let other = try await exchange(server, tokens)
        _ = try await open(server, other, in: browser, as: Self.second)
        #expect(isRefused(try await ask(server, in: browser, as: Self.second)))
        let late = try await exchange(server, tokens)
        server.clock.advance(Limits.preAuthenticatedTokenSeconds)
        _ = try await open(server, late, in: browser)
        #expect(isRefused(try await ask(server, in: browser)))
        await server.stop()
    }

    @Test func `the pass is for its client alone, for five minutes, and for no more than the app's sign-in`()
        async throws
    {
        let server = try await start()
        let tokens = try await session(server)
        let browser = server.browser()
        _ = try await open(server, try await exchange(server, tokens), in: browser)
        #expect(isRefused(try await ask(server, in: browser, as: Self.second)))
        #expect(isRefused(try await ask(server, in: browser, as: TestClients.portal)))
        #expect(
            isRefused(
                try await ask(server, in: browser) {
                    $0.maxAge = "0"; $0.acrValues = "urn:keyturn:acr:mfa"
                }))
        server.clock.advance(Limits.preAuthenticatedCookieSeconds)
        #expect(isRefused(try await ask(server, in: browser)))
        await server.stop()
    }

    @Test func `18: a browser in which another user is signed in is left as it is`() async throws {
        let server = try await start()
        try await server.addBea()
        let browser = server.browser()
        let login = try await browser.open("/settings")
        _ = try await server.complete(login, in: browser, username: "bea@example.com")
        let refused = try await open(server, try await exchange(server, try await session(server)), in: browser)
        #expect(refused.status == 409)
        #expect(browser.cookieJar["keyturn-page"] == nil)
        await server.stop()
    }

    @Test func `1: pages of other origins, clients without a list, and clients of others are refused`() async throws {
        let server = try await start()
        let tokens = try await session(server)
        for client in [Self.unlisted, Self.foreign] {
            #expect(try await exchange(server, tokens, for: client).error == "unauthorized_client", "\(client.id)")
        }
        for page in [
            "https://evil.example/", "http://app.example/", "https://app.example.evil.example/",
            "https://app.example@evil.example/", "javascript:alert(1)", "https://app.example:8443/",
        ] {
            let grant = try await exchange(server, tokens)
            let refused = try await open(server, grant, in: server.browser(), page: page)
            #expect(refused.status == 400 && refused.header("location") == nil, "\(page)")
        }
        await server.stop()
    }

    @Test func `without the scope, the secret or the right ID token there is no such token`() async throws {
        let server = try await start()
        let plain = try await session(server, scope: "openid offline_access device_sso")
        #expect(try await exchange(server, plain).error == "insufficient_scope")
        let tokens = try await session(server)
        let other = try await session(server)
        #expect(
            try await exchange(server, tokens, ["actor_token": other.deviceSecret ?? ""]).error == "invalid_grant")
        #expect(try await exchange(server, tokens, ["actor_token": "x"]).error == "invalid_grant")
        #expect(try await exchange(server, tokens, ["subject_token": "a.b.c"]).error == "invalid_grant")
        #expect(
            try await exchange(server, tokens, ["audience": "https://evil.example"]).error == "invalid_target")
        await server.stop()
    }
}
