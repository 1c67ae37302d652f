import KeyturnAuthenticator
import KeyturnBase
import KeyturnWebAuthn
import KeyturnWire
import Model
import ServerTesting
import Testing

@Suite("A passkey for whoever signed in without one")
struct HostedPasskeyOfferTests {
    private func signIn(_ server: TestServer, _ browser: ScriptedBrowser, _ support: String?) async throws
        -> ScriptedBrowser.Screen
    {
        let page = try await server.loginPage(browser)
        guard let support else {
            return try await browser.submit(page, ["username": TestServer.username, "password": TestServer.password])
        }
        return try await browser.submit(
            page, ["username": TestServer.username, "password": TestServer.password, "passkeys": support])
    }

    @Test func `a browser that says nothing of passkeys is asked nothing`() async throws {
        let server = try await TestServer.startWithPasskeys()
        for support in [nil, "", "nonsense", String(repeating: "x", count: 500)] {
            let done = try await signIn(server, server.browser(), support)
            #expect(done.status == 303 && done.header("location")?.hasPrefix(TestClients.callback) == true)
        }
        await server.stop()
    }

    @Test func `one that can is offered a passkey, which signs in from then on`() async throws {
        let server = try await TestServer.startWithPasskeys()
        var device = PasskeyDevice(server)
        let offer = try await signIn(server, device.browser, "platform")
        #expect(offer.page == "passkey-offer" && offer.json(of: "data-quiet") == nil)
        #expect(device.browser.cookieJar["keyturn-session"] != nil, "they are signed in whatever they do")
        let done = try await device.press(offer, action: "add")
        #expect(try TestServer.callback(done) != nil)
        #expect(try await server.passkeys().count == 1)
        #expect(try await server.message(to: TestServer.username).kind == .passkeyAdded)
        device.browser.cookieJar["keyturn-session"] = nil
        #expect(try await device.press(try await server.loginPage(device.browser)).status == 303)
        device.browser.cookieJar["keyturn-session"] = nil
        let again = try await signIn(server, device.browser, "platform")
        #expect(try TestServer.callback(again) != nil, "nobody who has one is asked")
        await server.stop()
    }

    @Test func `a code leads to the offer as well`() async throws {
        let server = try await TestServer.startWithPasskeys()
        let browser = server.browser()
        let code = try await browser.submit(
            try await server.loginPage(browser),
            ["username": TestServer.username, "action": "code", "passkeys": "platform"])
        let offer = try await browser.submit(code, ["code": try await server.message(to: TestServer.username).code])
        #expect(offer.page == "passkey-offer")
        await server.stop()
    }

    @Test func `98: what is made quietly needs nobody's touch, and what is asked for does`() async throws {
        let server = try await TestServer.startWithPasskeys()
        var device = PasskeyDevice(server)
        device.authenticator.behaviour.isUserPresent = false
        device.authenticator.behaviour.isUserVerified = false
        let first = try await signIn(server, device.browser, "conditional platform")
        let asked = try await device.press(first, action: "add")
        #expect(try TestServer.callback(asked) != nil, "a failure is never shown")
        #expect(try await server.passkeys().isEmpty)
        device.browser.cookieJar["keyturn-session"] = nil
        let offer = try await signIn(server, device.browser, "conditional")
        let quiet = try #require(offer.json(of: "data-quiet"))
        #expect(!offer.body.contains("value=\"later\""), "nothing that could be declined")
        let made = try device.authenticator.register(.init(json: quiet))
        #expect(try TestServer.callback(try await device.post(offer, made.json.text, action: "add")) != nil)
        #expect(try await server.passkeys().count == 1)
        await server.stop()
    }

    @Test func `not now is remembered for thirty days`() async throws {
        let server = try await TestServer.startWithPasskeys()
        let browser = server.browser()
        let offer = try await signIn(server, browser, "conditional platform")
        let later = try await server.send(offer, in: browser, ["action": "later"])
        #expect(try TestServer.callback(later) != nil)
        let cookie = later.headers.first { $0.name.lowercased() == "set-cookie" && $0.value.contains("no-passkey") }
        #expect(cookie?.value.contains("Max-Age=2592000") == true && cookie?.value.contains("HttpOnly") == true)
        browser.cookieJar["keyturn-session"] = nil
        #expect(try TestServer.callback(try await signIn(server, browser, "conditional platform")) != nil)
        browser.cookieJar["keyturn-no-passkey"] = nil
        browser.cookieJar["keyturn-session"] = nil
        let again = try await signIn(server, browser, "conditional platform")
        #expect(again.page == "passkey-offer")
        let onwards = try await server.send(again, in: browser, ["action": "continue"])
        #expect(try TestServer.callback(onwards) != nil && browser.cookieJar["keyturn-no-passkey"] == nil)
        await server.stop()
    }

    @Test func `18: the offer is taken from its own page, in its own session, right after the sign-in`() async throws {
        let server = try await TestServer.startWithPasskeys()
        var device = PasskeyDevice(server)
        let offer = try await signIn(server, device.browser, "platform")
        let answer = try device.answer(offer)
        var form = FormParameters()
        form.append("transaction", server.transaction(of: offer))
        form.append("action", "add")
        form.append("passkey", answer)
        for mark in [nil, "AAAA"] {
            var forged = form
            if let mark { forged.append("csrf", mark) }
            #expect(try await device.browser.post("/login/passkey", forged).status == 403)
        }
        form.append("csrf", offer.hidden("csrf").first)
        let stranger = server.browser()
        _ = try await signIn(server, stranger, nil)
        #expect(try await stranger.post("/login/passkey", form).status == 403)
        #expect(try await server.browser().post("/login/passkey", form).page == "login", "nobody is there")
        server.clock.advance(Limits.sensitiveSeconds + 1)
        #expect(try TestServer.callback(try await device.post(offer, answer, action: "add")) != nil)
        #expect(try await server.passkeys().isEmpty)
        let reopened = try await device.browser.open(offer.url)
        #expect(try TestServer.callback(reopened) != nil, "an old page goes on by itself")
        await server.stop()
    }
}
