import KeyturnBase
import KeyturnWire
import ServerTesting
import Testing

@Suite("Browser sessions and logout under attack")
struct SessionAttackTests {
    @Test func `attacks 72 and 74: the cookie changes at sign-in, and a planted one is worthless`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        browser.cookieJar["keyturn-session"] = "planted-by-somebody-else"
        _ = try await server.signIn(TestClients.portal, proof: nil, in: browser)
        let first = try #require(browser.cookieJar["keyturn-session"])
        #expect(first != "planted-by-somebody-else")
        _ = try await server.signIn(TestClients.portal, proof: nil, in: browser) { $0.prompt = "login" }
        let second = try #require(browser.cookieJar["keyturn-session"])
        #expect(second != first)
        let old = server.browser()
        old.cookieJar["keyturn-session"] = first
        var silent = server.request(TestClients.portal, proof: nil)
        silent.prompt = "none"
        let refused = try TestServer.callback(try await server.authorize(silent, in: old))
        #expect(refused?.outcome == .refused(OAuthProblem(.loginRequired, "nobody is signed in here")))
        await server.stop()
    }

    @Test func `attack 73: over https the cookies are bound to the host`() async throws {
        let server = try await TestServer.start(issuer: "https://id.example.com")
        let browser = server.browser()
        let page = try await server.authorize(server.request(TestClients.portal, proof: nil), in: browser)
        let answer = try await browser.submit(
            page, ["username": TestServer.username, "password": TestServer.password])
        let cookie = try #require(answer.headers.first { $0.value.hasPrefix("__Host-keyturn-session=") }?.value)
        for part in ["; Secure", "; HttpOnly", "; SameSite=Lax", "; Path=/"] { #expect(cookie.contains(part)) }
        #expect(!cookie.contains("Domain"))
        #expect(cookie.split(separator: ";")[0].count >= "__Host-keyturn-session=".count + 43)
        #expect(answer.header("strict-transport-security") != nil)
        await server.stop()
    }

    @Test func `attack 75: a logout that anybody could have sent is asked about`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        let tokens = try await server.tokens(TestClients.portal, in: browser)
        #expect(try await browser.open("/oauth2/end_session").page == "logout")
        #expect(try await browser.open("/oauth2/end_session?client_id=portal").page == "logout")
        #expect(browser.cookieJar["keyturn-session"] != nil)
        let page = try await browser.open("/logout")
        let kept = try await browser.submit(page, ["action": "deny"])
        #expect(kept.status == 200 && browser.cookieJar["keyturn-session"] != nil)
        let done = try await browser.submit(try await browser.open("/logout"), ["action": "logout"])
        #expect(done.page == "signed-out" && browser.cookieJar["keyturn-session"] == nil)
        #expect(try await server.refresh(tokens.refreshToken, TestClients.portal).status == 200, "offline access stays")
        await server.stop()
    }

    @Test func `attack 76: after signing out only registered addresses are gone to`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        let hint = try #require(try await server.tokens(TestClients.portal, in: browser).idToken)
        for uri in ["https://evil.test/", "http://127.0.0.1:9000/?x=1", "http://127.0.0.1:9000"] {
            var logout = LogoutRequest()
            logout.idTokenHint = hint
            logout.postLogoutRedirectURI = uri
            let screen = try await browser.open("/oauth2/end_session?\(logout.parameters.encoded)")
            #expect(screen.status == 400 && screen.page == "error")
        }
        #expect(browser.cookieJar["keyturn-session"] != nil)
        var logout = LogoutRequest()
        logout.idTokenHint = hint
        logout.postLogoutRedirectURI = "http://127.0.0.1:9000/"
        logout.state = "s"
        let done = try await browser.open("/oauth2/end_session?\(logout.parameters.encoded)")
        #expect(done.header("location") == "http://127.0.0.1:9000/?state=s")
        #expect(browser.cookieJar["keyturn-session"] == nil)
        await server.stop()
    }

    @Test func `a grant without offline access ends with the browser's session`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        let tokens = try await server.tokens(TestClients.portal, in: browser) { $0.scope = "openid email" }
        #expect(tokens.refreshToken != nil)
        _ = try await browser.open("/oauth2/end_session?id_token_hint=\(tokens.idToken ?? "")")
        #expect(try await server.refresh(tokens.refreshToken, TestClients.portal).error == "invalid_grant")
        #expect(try await server.get("/oauth2/userinfo", token: tokens.accessToken).status == 401)
        await server.stop()
    }

    @Test func `attack 79: an unknown name and a wrong password look the same`() async throws {
        let server = try await TestServer.start()
        var bodies: Set<String> = []
        for name in [TestServer.username, "nobody@example.com", "+15550000000", "\u{1}"] {
            let browser = server.browser()
            let page = try await server.authorize(server.request(TestClients.portal, proof: nil), in: browser)
            let answer = try await browser.submit(page, ["username": name, "password": "wrong-password"])
            #expect(answer.status == 422 && answer.page == "login")
            #expect(answer.body.contains("role=\"alert\""))
            bodies.insert(answer.body.replacingHiddenValues())
        }
        #expect(bodies.count == 1)
        await server.stop()
    }

    @Test func `attack 80: the eleventh wrong password has to wait, and so does the right one`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        var page = try await server.authorize(server.request(TestClients.portal, proof: nil), in: browser)
        for _ in 0..<10 {
            page = try await browser.submit(page, ["username": TestServer.username, "password": "wrong-password"])
            #expect(page.status == 422)
        }
        page = try await browser.submit(page, ["username": TestServer.username, "password": TestServer.password])
        #expect(page.status == 429 && page.header("retry-after") == "2")
        server.clock.advance(901)
        page = try await browser.submit(page, ["username": TestServer.username, "password": TestServer.password])
        #expect(page.status == 303)
        await server.stop()
    }
}

extension String {
    /// The page without what differs from page to page.
    func replacingHiddenValues() -> String {
        split(separator: "\n").filter { !$0.contains("type=\"hidden\"") && !$0.contains("name=\"username\"") }
            .joined(separator: "\n").replacing(#/transaction=[A-Za-z0-9_-]+/#, with: "transaction=")
    }
}
