import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

@Suite("Codes on the hosted pages")
struct HostedCodeTests {
    @Test func `a code by mail signs in, and the token says so`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        let proof = PKCE(ambient: .live)
        let sent = try await server.askForCode(browser, proof: proof)
        #expect(sent.page == "code" && sent.status == 200 && !sent.body.contains(TestServer.username))
        let code = try #require(try await server.message(to: TestServer.username).code)
        let wrong = try await browser.submit(sent, ["code": code == "000000" ? "111111" : "000000"])
        #expect(wrong.status == 422 && wrong.page == "code" && wrong.body.contains("role=\"alert\""))
        let done = try await browser.submit(wrong, ["code": code])
        let claims = try await server.claims(of: done, proof: proof)
        #expect(claims["amr"] == ["otp"] && claims["acr"] == "urn:keyturn:acr:single")
        await server.stop()
    }

    @Test func `79: somebody unknown sees the same pages, and no code ever fits`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        let known = try await server.askForCode(browser)
        let unknown = try await server.askForCode(server.browser(), name: "nobo@example.com")
        #expect(known.status == unknown.status && known.page == unknown.page)
        let masked = #/[a-z]\*+@e\*+\.com/#
        let bodies = [known, unknown].map { $0.body.replacingHiddenValues().replacing(masked, with: "") }
        #expect(bodies[0] == bodies[1])
        // Somebody unknown costs a row as well, which reaches nobody.
        #expect(try await server.messageCount(to: "nobo@example.com") == 0)
        let stranger = server.browser()
        let page = try await server.askForCode(stranger, name: "nobo@example.com")
        let answer = try await stranger.submit(page, ["code": "123456"])
        #expect(answer.status == 422 && answer.page == "code")
        for (name, path) in [(TestServer.username, "reset"), ("nobo@example.com", "reset")] {
            let settingsUser = server.browser()
            let reset = try await server.openReset(settingsUser)
            let after = try await settingsUser.submit(reset, ["username": name])
            #expect(after.status == 200 && after.page == "code", "\(path)")
        }
        for name in [TestServer.username, "somebody@example.com"] {
            let settingsUser = server.browser()
            let after = try await settingsUser.submit(
                try await server.openSignUp(settingsUser),
                ["name": "X", "email": name, "password": "a-long-enough-phrase"])
            #expect(after.status == 200 && after.page == "code")
        }
        await server.stop()
    }

    @Test func `85: five tries, however often it is sent again, and single use`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        var page = try await server.askForCode(browser)
        let code = try #require(try await server.message(to: TestServer.username).code)
        let wrong = code == "000000" ? "111111" : "000000"
        for attempt in 1...5 {
            page = try await browser.submit(page, ["code": wrong])
            #expect(page.status == 422 && page.page == "code", "try \(attempt)")
            if attempt == 3 {
                server.clock.advance(31)
                page = try await browser.submit(page, ["action": "resend"])
                #expect(page.status == 200 && page.page == "code")
            }
        }
        let late = try await browser.submit(page, ["code": code])
        #expect(late.status == 429 && late.page == "code" && late.body.contains("Too many wrong codes"))
        // And none is sent that would be refused.
        server.clock.advance(31)
        let again = try await browser.submit(late, ["action": "resend"])
        #expect(again.status == 429 && again.page == "code" && again.body.contains("Too many wrong codes"))
        #expect(again.headers.contains { $0.name.lowercased() == "retry-after" && Int($0.value) ?? 0 > 500 })
        await server.stop()
    }

    @Test func `85: a code is good once, and the page of another browser does not go on here`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        let page = try await server.askForCode(browser)
        let thief = server.browser()
        _ = try await server.authorize(server.request(TestClients.portal, proof: nil), in: thief)
        let stolen = try await thief.open(page.url)
        #expect(stolen.status == 400 && stolen.page == "error")
        let code = try #require(try await server.message(to: TestServer.username).code)
        let forged = try await thief.submit(page, ["code": code])
        #expect(forged.page == "error")
        #expect(try await browser.submit(page, ["code": code]).status == 303)
        let again = try await browser.submit(page, ["code": code])
        #expect(again.status == 422)
        await server.stop()
    }

    @Test func `85: a code is over after ten minutes`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        let page = try await server.askForCode(browser)
        let code = try #require(try await server.message(to: TestServer.username).code)
        server.clock.advance(Limits.proofSeconds)
        let late = try await browser.submit(page, ["code": code])
        #expect(late.status == 422 && late.page == "code")
        await server.stop()
    }

    @Test func `asking again too early says how long to wait`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        let page = try await server.askForCode(browser)
        let early = try await browser.submit(page, ["action": "resend"])
        #expect(early.status == 429 && early.header("Retry-After") == "30")
        #expect(try await server.messageCount(to: TestServer.username) == 1)
        server.clock.advance(31)
        let later = try await browser.submit(page, ["action": "resend"])
        #expect(later.status == 200)
        #expect(try await server.messageCount(to: TestServer.username) == 2)
        await server.stop()
    }

    @Test func `72 and 74: each sign-in has a session of its own, and a planted one is worth nothing`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        browser.cookieJar["keyturn-session"] = "planted-by-somebody-else"
        let page = try await server.askForCode(browser)
        let code = try #require(try await server.message(to: TestServer.username).code)
        _ = try await browser.submit(page, ["code": code])
        let first = try #require(browser.cookieJar["keyturn-session"])
        #expect(first != "planted-by-somebody-else")
        let again = try await server.askForCode(browser) { $0.prompt = "login" }
        let second = try #require(try await server.message(to: TestServer.username).code)
        _ = try await browser.submit(again, ["code": second])
        #expect(browser.cookieJar["keyturn-session"] != first)
        let attacker = server.browser()
        for cookie in [first, "planted-by-somebody-else"] {
            attacker.cookieJar["keyturn-session"] = cookie
            let shown = try await server.authorize(server.request(TestClients.portal, proof: nil), in: attacker)
            #expect(shown.page == "login")
        }
        await server.stop()
    }
}
