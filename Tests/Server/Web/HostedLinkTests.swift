import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("Links on the hosted pages")
struct HostedLinkTests {
    /// The link with the number that the waiting page shows.
    private func rightLink(_ server: TestServer, _ waiting: ScriptedBrowser.Screen) async throws -> String {
        let message = try await server.message(to: TestServer.username)
        #expect(message.kind == .enchantedLink && message.links.count == 3 && message.code != nil)
        let number = try #require(
            waiting.body.split(separator: "class=\"number\"").last?.split(separator: "<strong>").dropFirst().first?
                .prefix { $0 != "<" })
        return try #require(message.links.first { $0.hasSuffix("&n=\(number)") })
    }

    private func status(_ server: TestServer, _ waiting: ScriptedBrowser.Screen, _ browser: ScriptedBrowser)
        async throws -> Int
    {
        try await browser.open("/login/link-status?transaction=\(server.transaction(of: waiting))").status
    }

    @Test func `88: looking at a link spends nothing, confirming it elsewhere lets the waiting window in`()
        async throws
    {
        let server = try await TestServer.start()
        let browser = server.browser()
        let proof = PKCE(ambient: .live)
        let waiting = try await server.askForLink(browser, proof: proof)
        #expect(waiting.page == "link-sent")
        let link = try await rightLink(server, waiting)
        let path = String(link.dropFirst(server.issuer.count))
        for method in ["GET", "HEAD", "GET"] {
            #expect(try await server.send(method, path, headers: [], body: nil).status == 200)
        }
        #expect(try await status(server, waiting, browser) == 204)
        #expect(try await browser.open(waiting.url).page == "link-sent")
        let telephone = server.browser()
        let landing = try await telephone.open(link)
        #expect(landing.page == "link" && landing.body.contains("class=\"warning\""))
        #expect(landing.body.contains("<strong>\(link.suffix(2))</strong>"))
        let told = try await telephone.submit(landing, ["action": "continue"])
        #expect(told.page == "done" && telephone.cookieJar["keyturn-session"] == nil)
        #expect(try await status(server, waiting, browser) == 200)
        let done = try await browser.open(waiting.url)
        let claims = try await server.claims(of: done, proof: proof)
        #expect(claims["amr"] == ["otp", "mca"], "as by an approval")
        #expect(try await browser.open(waiting.url).status == 200)
        let again = try await telephone.submit(landing, ["action": "continue"])
        #expect(again.status == 422 && again.page == "link")
        await server.stop()
    }

    @Test func `86: a message with a link and a code opens one session`() async throws {
        let server = try await TestServer.start()
        let name = JSONValue.string(TestServer.username)
        for isLinkFirst in [true, false] {
            let waiting = try await server.askForLink(server.browser())
            let link = try await rightLink(server, waiting)
            let code = try #require(try await server.message(to: TestServer.username).code)
            let token = try #require(link.split(separator: "t=").last?.prefix { $0 != "&" })
            let byLink = { try await server.call("enchantedlink/verify", ["token": .string(String(token))]) }
            let byCode = {
                try await server.call("otp/verify/email", ["loginId": name, "code": .string(code)])
            }
            if isLinkFirst {
                #expect(try await byLink().status == 200)
                #expect(try await byCode().errorCode == "E061102")
            } else {
                #expect(try await byCode().status == 200)
                #expect(try await byLink().errorCode == "E063010")
            }
            server.clock.advance(60)
        }
        await server.stop()
    }

    @Test func `86: of a link and a code of one message, followed at once, one counts`() async throws {
        let server = try await TestServer.start()
        for _ in 0..<5 {
            let browser = server.browser()
            _ = try await browser.submit(
                try await server.openReset(browser), ["username": TestServer.username])
            let message = try await server.message(to: TestServer.username)
            let code = try #require(message.code)
            let token = Secret(
                String(try #require(message.links.first?.split(separator: "t=").last?.prefix { $0 != "&" })))
            let methods = server.services.methods
            async let byLink = try? methods.magicLinks.verify(token, from: nil)
            async let byCode = try? methods.codes.verify(
                loginID: TestServer.username, code: Secret(code), method: .email, from: nil)
            let proofs = await [byLink, byCode].compactMap(\.self)
            #expect(proofs.count == 1)
            server.clock.advance(60)
        }
        await server.stop()
    }

    @Test func `a link that is opened where it was asked for goes on to the app, with a session of its user's own`()
        async throws
    {
        let server = try await TestServer.start()
        let browser = server.browser()
        let proof = PKCE(ambient: .live)
        let waiting = try await server.askForLink(browser, proof: proof)
        let landing = try await browser.open(try await rightLink(server, waiting))
        #expect(landing.page == "link" && !landing.body.contains("class=\"warning\""))
        let done = try await browser.submit(landing, ["action": "continue"])
        #expect(done.header("location")?.hasPrefix(TestClients.callback) == true)
        #expect(try await server.claims(of: done, proof: proof)["amr"] == ["otp"])
        await server.stop()
    }

    @Test func `88: a confirmation needs the page that was shown in the same browser`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        let waiting = try await server.askForLink(browser)
        let landing = try await server.browser().open(try await rightLink(server, waiting))
        var form = FormParameters()
        for field in landing.hiddenFields { form.append(field.name, field.value) }
        form.append("action", "continue")
        let other = server.browser()
        _ = try await server.loginPage(other)
        #expect(try await other.post("/link", form).status == 403)
        let crossSite = try await browser.post("/link", form, headers: [("Sec-Fetch-Site", "cross-site")])
        #expect(crossSite.status == 403)
        #expect(try await status(server, waiting, browser) == 204)
        await server.stop()
    }

    @Test func `the wrong number and a refusal let nobody in`() async throws {
        let server = try await TestServer.start()
        for refuses in [true, false] {
            let browser = server.browser()
            let waiting = try await server.askForLink(browser)
            let right = try await rightLink(server, waiting)
            let links = try await server.message(to: TestServer.username).links
            let link = refuses ? right : try #require(links.first { $0 != right })
            let telephone = server.browser()
            let landing = try await telephone.open(link)
            _ = try await telephone.submit(landing, ["action": refuses ? "deny" : "continue"])
            let late = try await telephone.open(right)
            #expect(late.page == "link" && !late.body.contains("name=\"t\""))
            #expect(try await browser.open(waiting.url).page == "link-sent")
            #expect(browser.cookieJar["keyturn-session"] == nil)
            server.clock.advance(60)
        }
        await server.stop()
    }

    @Test func `German readers get German pages and mail, and each page works without scripts`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        let waiting = try await browser.submit(
            try await server.loginPage(browser) { $0.uiLocales = "de" },
            ["username": TestServer.username, "action": "link"])
        #expect(waiting.header("Content-Language") == "de" && waiting.body.contains("http-equiv=\"refresh\""))
        #expect(try await server.message(to: TestServer.username).locale == "de")
        let early = try await browser.submit(waiting, ["action": "resend"])
        #expect(early.status == 200 && early.page == "link-sent" && early.header("Content-Language") == "de")
        #expect(try await server.messageCount(to: TestServer.username) == 1)
        server.clock.advance(31)
        let later = try await browser.submit(early, ["action": "resend"])
        #expect(later.page == "link-sent")
        #expect(try await server.messageCount(to: TestServer.username) == 2)
        let ways = try await browser.submit(later, ["action": "other"])
        #expect(ways.page == "methods")
        #expect(try await browser.submit(ways, ["method": "password"]).page == "login")
        let denied = try await browser.submit(ways, ["action": "deny"])
        #expect(try TestServer.callback(denied) != nil)
        await server.stop()
    }

    @Test func `the code of the same message can be typed instead`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        let waiting = try await server.askForLink(browser)
        let code = try #require(try await server.message(to: TestServer.username).code)
        let page = try await browser.submit(waiting, ["action": "code"])
        #expect(page.page == "code")
        #expect(try await browser.submit(page, ["code": code]).status == 303)
        await server.stop()
    }

    @Test func `89: a link does not go around the authenticator, wherever it is opened`() async throws {
        let server = try await TestServer.start()
        let authenticator = try await server.giveAuthenticator()
        let browser = server.browser()
        _ = try await browser.submit(try await server.openReset(browser), ["username": TestServer.username])
        let link = try #require(try await server.message(to: TestServer.username).links.first)
        let elsewhere = server.browser()
        let asked = try await elsewhere.submit(try await elsewhere.open(link), ["action": "continue"])
        #expect(asked.page == "code" && asked.url.contains("/login/authenticator"))
        #expect(elsewhere.cookieJar["keyturn-session"] == nil)
        let new = try await elsewhere.submit(
            asked, ["code": authenticator.code(at: server.clock.now).exposed()])
        #expect(new.page == "password-new")
        let done = try await elsewhere.submit(new, ["password": "another-fine-phrase"])
        #expect(done.page == "done")
        await server.stop()
    }

    @Test func `a link for a new password goes on to the app where it was asked for`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        _ = try await browser.submit(try await server.openReset(browser), ["username": TestServer.username])
        let link = try #require(try await server.message(to: TestServer.username).links.first)
        let new = try await browser.submit(try await browser.open(link), ["action": "continue"])
        #expect(new.page == "password-new")
        let done = try await browser.submit(new, ["password": "another-fine-phrase"])
        #expect(done.header("location")?.hasPrefix(TestClients.callback) == true)
        await server.stop()
    }
}
