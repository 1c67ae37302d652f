import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("A code and a link in one message")
struct HostedMessageTests {
    private static let chrome =
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36"

    /// Asks for a message as a browser that names itself.
    private func ask(
        _ server: TestServer, _ browser: ScriptedBrowser, action: String = "code", proof: PKCE? = nil
    ) async throws -> ScriptedBrowser.Screen {
        let login = try await server.loginPage(browser, proof: proof)
        var form = FormParameters(["username": TestServer.username, "action": action])
        for field in login.hiddenFields { form.append(field.name, field.value) }
        return try await browser.post("/login", form, headers: [("User-Agent", Self.chrome)])
    }

    private static let labels: [([DeliveryMethod], String)] = [
        ([.email], "Email me a code or link"), ([.sms], "Text me a code"),
        ([.email, .sms], "Send me a code or link"),
    ]

    @Test(arguments: labels)
    func `the sign-in page has one button for them`(_ channels: [DeliveryMethod], _ label: String) async throws {
        let server = try await TestServer.start(channels: Set(channels))
        let page = try await server.loginPage(server.browser())
        let buttons = page.body.matches(of: #/<button class="way"[^>]*>([^<]*)</#).map { String($0.1) }
        #expect(buttons == [label])
        #expect(page.body.matches(of: #/Forgot your password\?/#).count == 1)
        await server.stop()
    }

    @Test func `the code can be typed, and the link is used up by that`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser(), proof = PKCE(ambient: .live)
        let page = try await ask(server, browser, proof: proof)
        #expect(page.page == "code" && page.body.contains("a code and a link"))
        let message = try await server.message(to: TestServer.username)
        #expect(message.kind == .code && message.links.count == 1)
        let done = try await browser.submit(page, ["code": message.code])
        #expect(try await server.claims(of: done, proof: proof)["amr"] == ["otp"])
        let late = try await browser.open(try #require(message.links.first))
        #expect(late.page == "link" && late.body.contains("This link was already used"))
        await server.stop()
    }

    @Test func `the link goes on to the app in the same browser, and the code is used up by that`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser(), proof = PKCE(ambient: .live)
        let page = try await ask(server, browser, proof: proof)
        let message = try await server.message(to: TestServer.username)
        let landing = try await browser.open(try #require(message.links.first))
        #expect(landing.page == "link" && landing.body.contains("<dd>This browser</dd>"))
        #expect(!landing.body.contains("class=\"warning\""))
        let done = try await browser.submit(landing, ["action": "continue"])
        #expect(try await server.claims(of: done, proof: proof)["amr"] == ["otp"])
        let late = try await browser.submit(page, ["code": message.code])
        #expect(late.status == 422 && late.page == "code")
        await server.stop()
    }

    @Test func `elsewhere the link says who asked, signs in there alone, and leads on`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        _ = try await ask(server, browser)
        let message = try await server.message(to: TestServer.username)
        let telephone = server.browser()
        let landing = try await telephone.open(try #require(message.links.first))
        #expect(landing.body.contains("<dd>Chrome on Linux</dd>") && landing.body.contains("class=\"warning\""))
        #expect(landing.body.contains("type the code from the same message there"))
        let settings = try await telephone.submit(landing, ["action": "continue"])
        #expect(settings.page == "settings" && settings.url.hasSuffix("/settings"))
        #expect(browser.cookieJar["keyturn-session"] == nil, "whoever asked is not signed in by it")
        await server.stop()
    }

    @Test(arguments: ["code", "link"])
    func `a link says which browser asked for it, where that is known`(_ action: String) async throws {
        let server = try await TestServer.start()
        let page = try await ask(server, server.browser(), action: action)
        #expect(page.page == (action == "code" ? "code" : "link-sent"))
        let message = try await server.message(to: TestServer.username)
        let elsewhere = try await server.browser().open(try #require(message.links.first))
        #expect(elsewhere.body.contains("<dd>Chrome on Linux</dd>"))
        let unnamed = server.browser()
        server.clock.advance(60)
        _ = try await server.askForCode(unnamed)
        let second = try await server.message(to: TestServer.username)
        let landing = try await server.browser().open(try #require(second.links.first))
        #expect(landing.body.contains("<dd>An unknown device</dd>"))
        await server.stop()
    }

    @Test func `a link and a code of one message, at once: one counts`() async throws {
        let server = try await TestServer.start()
        for _ in 0..<5 {
            _ = try await ask(server, server.browser())
            let message = try await server.message(to: TestServer.username)
            let token = Secret(String(try #require(message.links.first?.split(separator: "t=").last)))
            let code = Secret(try #require(message.code)), methods = server.services.methods
            async let byLink = try? methods.magicLinks.verify(token, from: nil)
            async let byCode = try? methods.codes.verify(
                loginID: TestServer.username, code: code, method: .email, from: nil)
            #expect(await [byLink, byCode].compactMap(\.self).count == 1)
            server.clock.advance(60)
        }
        await server.stop()
    }

    @Test func `a text message to sign in holds no link`() async throws {
        let server = try await TestServer.start(channels: [.email, .sms])
        let phone = try #require(Identifier(loginID: "+15559876543"))
        let user = User(
            id: UserID(rawValue: "33333333-3333-4333-8333-333333333333"),
            claims: ["phone_number": .string(phone.value), "phone_number_verified": true],
            createdAt: server.clock.now, updatedAt: server.clock.now)
        try await server.services.stores.users.create(
            Account(user: user, identifiers: [phone: .verified], passwordHash: nil))
        let browser = server.browser()
        let page = try await server.askForCode(browser, name: phone.value)
        #expect(page.page == "code" && !page.body.contains("a code and a link"))
        let message = try await server.message(to: phone.value)
        #expect(message.links.isEmpty && message.code != nil)
        #expect(try await browser.submit(page, ["code": message.code]).status == 303)
        await server.stop()
    }

    @Test func `a page at the end of a way leads on`() async throws {
        let server = try await TestServer.start()
        _ = try await ask(server, server.browser())
        let link = try #require(try await server.message(to: TestServer.username).links.first)
        let stranger = server.browser()
        let refused = try await stranger.submit(try await stranger.open(link), ["action": "deny"])
        #expect(refused.page == "done" && refused.body.contains("href=\"/settings/password\">Change your password"))
        let used = try await server.browser().open("/link?t=\(String(repeating: "A", count: 43))")
        #expect(used.body.contains("href=\"/settings\">Sign in"))
        let browser = server.browser()
        _ = try await server.visit("/settings", in: browser)
        let question = try await browser.open("/logout")
        let stays = try await browser.submit(question, ["action": "deny"])
        #expect(stays.page == "settings")
        let out = try await browser.submit(question, ["action": "logout"])
        #expect(out.page == "signed-out" && out.body.contains("href=\"/settings\">Sign in again"))
        for outcome in ["allowed", "denied", "expired", "too_late"] {
            let page = try await browser.open("/device/done?outcome=\(outcome)")
            #expect(page.page == "device-done" && page.body.contains("<p><a class="), "\(outcome)")
        }
        await server.stop()
    }
}
