import Identity
import Keyturn
import KeyturnBase
import KeyturnWire
import Model
import OAuth
import ServerTesting
import Synchronization
import Testing

@Suite("End to end: apps of one vendor sign each other in, and open pages signed in")
struct AppToAppEndToEndTests {
    private static let endpoint = "https://bank.example/app2app"
    private static let back = "https://shop.example/back"

    private static func client(_ id: String, _ redirectURI: String, _ configure: (inout ClientMetadata) -> Void)
        -> Client
    {
        TestClients.make(id, method: "none", secret: nil, firstParty: true, native: true) {
            $0.redirectURIs = [redirectURI]
            configure(&$0)
        }
    }

    private func start() async throws -> TestServer {
        let grants = ["authorization_code", "refresh_token", GrantType.appToApp.rawValue]
        let server = try await TestServer.start(clients: [
            Self.client("bank", "http://127.0.0.1/callback") { $0.grantTypes = grants },
            Self.client("shop", Self.back) { $0.grantTypes = grants },
            Self.client("pages", "http://127.0.0.1/callback") {
                $0.scope =
                    "openid profile email offline_access device_sso "
                    + "https://authgear.com/scopes/pre-authenticated-url"
            },
            Self.client("spa", "https://app.example/callback") {
                $0.grantTypes = ["authorization_code", "refresh_token", GrantType.tokenExchange.rawValue]
                $0.preAuthenticatedURIs = ["https://app.example"]
            },
        ])
        server.clock.advance(11)
        return server
    }

    private func app(_ server: TestServer, _ id: String, opensPages: Bool = false) -> Keyturn {
        let service = Service.keyturn(issuer: server.issuer, clientID: id)
        return Keyturn(
            opensPages ? service.openingPagesSignedIn() : service, storage: .memory,
            browser: PersonAtBrowser(browser: server.browser()), transport: DatedTransport(server.clock),
            ambient: server.clock.ambient)
    }

    private final class Opener: AppLinkOpener {
        let links = Mutex<[String]>([])
        func open(_ link: String) async throws(AuthError) { links.withLock { $0.append(link) } }
        var last: String { links.withLock { $0.last ?? "" } }
    }

    @Test func `the shop is signed in by the bank, and its session ends with the bank's`() async throws {
        let server = try await start()
        let (bank, shop, opener) = (app(server, "bank"), app(server, "shop"), Opener())
        let user = try await bank.authorize(redirectURI: "http://127.0.0.1:49152/callback")
        try await shop.appToApp.start(
            opening: Self.endpoint, redirectURI: Self.back, state: "cart", with: opener)
        let request = try #require(AppToAppRequest(url: opener.last, authorizationEndpoint: Self.endpoint))
        #expect(request.clientID == "shop" && request.redirectURI == Self.back)
        #expect(AppToAppRequest(url: opener.last, authorizationEndpoint: "https://bank.example/other") == nil)
        try await bank.appToApp.approve(request, with: opener)
        let link = opener.last
        #expect(link.hasPrefix(Self.back + "?code="))
        let thief = app(server, "shop")
        _ = try await thief.appToApp.start(opening: Self.endpoint, redirectURI: Self.back)
        let stolen = await #expect(throws: AuthError.self) { try await thief.appToApp.finish(callbackURL: link) }
        #expect(stolen?.code == .callbackMismatch)
        let result = try await shop.appToApp.finish(callbackURL: link)
        #expect(result.userInfo.subject == user.userInfo.subject && result.state == "cart")
        #expect(await shop.state == .signedIn(.fresh))
        #expect(await bank.state == .signedIn(.fresh))
        server.clock.advance(700)
        _ = try await shop.accessToken()
        try await bank.logout()
        server.clock.advance(700)
        await #expect(throws: AuthError.self) { try await shop.accessToken() }
        await server.stop()
    }

    @Test func `a user who declines is a cancel`() async throws {
        let server = try await start()
        let (bank, shop, opener) = (app(server, "bank"), app(server, "shop"), Opener())
        let link = try await shop.appToApp.start(opening: Self.endpoint, redirectURI: Self.back)
        let request = try #require(AppToAppRequest(url: link, authorizationEndpoint: Self.endpoint))
        let signedOut = await #expect(throws: AuthError.self) { try await bank.appToApp.approve(request) }
        #expect(signedOut?.code == .signedOut)
        try await bank.appToApp.reject(request, reason: "not today", with: opener)
        let declined = await #expect(throws: AuthError.self) {
            try await shop.appToApp.finish(callbackURL: opener.last)
        }
        #expect(declined?.code == .cancelled)
        await server.stop()
    }

    @Test func `a page opens signed in at a Keyturn server too`() async throws {
        let server = try await start()
        let auth = app(server, "pages", opensPages: true)
        try await auth.authorize(redirectURI: "http://127.0.0.1:49152/callback")
        let page = "https://app.example/shop"
        for _ in 0..<2 {
            let url = try await auth.preAuthenticatedURL(opening: page, as: "spa", state: "s1")
            let browser = server.browser()
            let opened = try await browser.open(String(url.dropFirst(server.issuer.count)))
            #expect(opened.header("location") == page + "?state=s1")
            let proof = PKCE(ambient: .live)
            var request = AuthorizationRequest(clientID: "spa")
            request.redirectURI = "https://app.example/callback"
            request.responseType = "code"
            request.scope = "openid email"
            request.prompt = "none"
            request.codeChallenge = proof.codeChallenge
            request.codeChallengeMethod = PKCE.method
            let answer = try TestServer.callback(try await server.authorize(request, in: browser))
            guard case .code(let code)? = answer?.outcome else { throw TestFailure("no code came") }
            let spa = try #require(server.services.clients.client("spa"))
            #expect(try await server.redeem(code, spa, proof: proof).status == 200)
        }
        let plain = app(server, "bank")
        let unsupported = await #expect(throws: AuthError.self) {
            try await plain.preAuthenticatedURL(opening: page, as: "spa")
        }
        #expect(unsupported?.code == .unsupported)
        await server.stop()
    }
}
