import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("A lost second factor")
struct RecoveryTests {
    private static let several = "urn:keyturn:acr:mfa"

    @Test func `an authenticator that is lost is removed with the password, a code and a wait`() async throws {
        let server = try await TestServer.start()
        let elsewhere = try await server.session().refreshJWT
        _ = try await server.giveAuthenticator()
        _ = try await server.services.methods.recoveryCodes.make(for: TestServer.subject)
        let browser = server.browser()
        let page = try await server.secondFactorPage(browser)
        #expect(page.body.contains("value=\"lost\""))
        let lost = try await browser.submit(page, ["action": "lost"])
        #expect(lost.page == "lost-factor" && lost.url.contains("/login/lost?"))
        #expect(!lost.body.contains(TestServer.username), "addresses are masked")
        let sent = try await browser.submit(lost, ["address": "0"])
        #expect(sent.page == "code" && sent.url.contains("/login/lost/code"))
        let proof = try await server.message(to: TestServer.username)
        #expect(proof.kind == .recoveryProof)
        #expect(try await browser.submit(sent, ["code": "000"]).status == 422)
        let waiting = try await browser.submit(sent, ["code": proof.code])
        #expect(waiting.page == "lost-factor-step" && waiting.url.contains("/login/lost/waiting"))
        let recovery = try #require(try await server.recovery())
        #expect(recovery.readyAt == recovery.begunAt + 72 * 3_600 && waiting.body.contains(recovery.readyAt.minuteText))
        let told = try await server.messages(.recoveryBegun)
        #expect(told.map(\.to) == [TestServer.username] && told[0].values[MessageValue.networkAddress] == "127.0.0.1")
        #expect(browser.cookieJar["keyturn-session"] == nil)

        server.clock.advance(72 * 3_600)
        let key = PKCE(ambient: .live)
        let later = server.browser()
        let ready = try await server.proveLoss(later, try await server.secondFactorPage(later, proof: key))
        #expect(ready.page == "lost-factor-step" && ready.url.contains("/login/lost/remove"))
        #expect(try await server.services.methods.authenticators.isConfirmed(for: TestServer.subject))
        let done = try await later.submit(ready, ["action": "remove"])
        let claims = try await server.claims(of: done, proof: key)
        #expect(claims["amr"]?.stringArrayValue == ["pwd", "otp", "mfa"] && claims["acr"] == .string(Self.several))
        #expect(try await !server.services.methods.authenticators.isConfirmed(for: TestServer.subject))
        #expect(try await server.services.methods.recoveryCodes.count(of: TestServer.subject) == 0)
        #expect(try await server.messages(.recoveryFinished).count == 1)
        #expect(try await server.audited().isSuperset(of: ["recovery.begun", "recovery.finished"]))
        #expect(try await server.recoveryEnds() == [])
        #expect(try await server.recovery() == nil)
        let refused = try await server.call("refresh", [:], refresh: elsewhere?.exposed())
        #expect(refused.status == 401, "every other session has ended")
        await server.stop()
    }

    @Test func `after a code of a mailbox the password is the other proof`() async throws {
        let server = try await TestServer.start()
        _ = try await server.giveAuthenticator()
        for isReady in [false, true] {
            let browser = server.browser()
            let asked = try await server.askForCode(browser)
            let page = try await browser.submit(
                asked, ["code": try await server.message(to: TestServer.username).code])
            #expect(page.page == "code" && page.url.contains("/login/authenticator"))
            let lost = try await browser.submit(page, ["action": "lost"])
            #expect(lost.body.contains("autocomplete=\"current-password\"") && !lost.body.contains("name=\"address\""))
            let wrong = try await browser.submit(lost, ["password": "not-the-password"])
            #expect(wrong.status == 422 && wrong.hasProblem)
            let next = try await browser.submit(wrong, ["password": TestServer.password])
            #expect(next.url.contains(isReady ? "/login/lost/remove" : "/login/lost/waiting"))
            if isReady { #expect(try await browser.submit(next, ["action": "remove"]).status == 303) }
            server.clock.advance(Limits.recoveryDelaySeconds)
        }
        #expect(try await !server.services.methods.authenticators.isConfirmed(for: TestServer.subject))
        await server.stop()
    }

    @Test func `a passkey that is lost is removed on the way to the settings, and another one is added`() async throws {
        let server = try await TestServer.startWithPasskeys()
        var device = PasskeyDevice(server)
        try await server.givePasskey(on: &device)
        var fresh = PasskeyDevice(server)
        let path = "/settings/passkeys"
        var ways: ScriptedBrowser.Screen?
        for isReady in [false, true] {
            fresh.browser.cookieJar = [:]
            let page = try await server.visit(path, in: fresh.browser)
            #expect(page.passkeyOptions == nil, "the password alone adds none")
            let asked = try await server.send(page, in: fresh.browser, ["action": "sign-in"])
            #expect(asked.page == "methods" && asked.body.contains("value=\"lost\""))
            ways = try await server.proveLoss(fresh.browser, asked)
            #expect(ways?.url.contains(isReady ? "/login/lost/remove" : "/login/lost/waiting") == true)
            if !isReady { server.clock.advance(Limits.recoveryDelaySeconds) }
        }
        let back = try await fresh.browser.submit(try #require(ways), ["action": "remove"])
        #expect(back.page == "settings-passkeys")
        #expect(try await server.passkeys().isEmpty)
        #expect(try await fresh.press(back, action: "add").hasNotice)
        #expect(try await server.passkeys().count == 1)
        await server.stop()
    }

    @Test func `beginning again moves nothing and sends nothing, and going back leads to the second factor`()
        async throws
    {
        let server = try await TestServer.start()
        let authenticator = try await server.giveAuthenticator()
        try await server.beginRecovery()
        let first = try #require(try await server.recovery())
        server.clock.advance(3_600)
        let browser = server.browser()
        let waiting = try await server.proveLoss(browser, try await server.secondFactorPage(browser))
        #expect(waiting.body.contains(first.readyAt.minuteText))
        #expect(try await server.recovery() == first)
        #expect(try await server.messages(.recoveryBegun).count == 1)
        let factor = try await browser.submit(waiting, ["action": "other"])
        #expect(factor.page == "code" && factor.url.contains("/login/authenticator"))
        let done = try await browser.submit(factor, ["code": authenticator.code(at: server.clock.now).exposed()])
        #expect(done.status == 303)
        #expect(try await server.recoveryEnds() == ["factor_used"])
        await server.stop()
    }

    @Test func `a code is sent again after a while, and not at once`() async throws {
        let server = try await TestServer.start()
        _ = try await server.giveAuthenticator()
        let browser = server.browser()
        let lost = try await browser.submit(try await server.secondFactorPage(browser), ["action": "lost"])
        let sent = try await browser.submit(lost, ["address": "0"])
        let early = try await browser.submit(sent, ["action": "resend"])
        #expect(early.status == 429 && early.page == "code" && early.header("retry-after") != nil)
        server.clock.advance(Limits.resendSeconds)
        let again = try await browser.submit(sent, ["action": "resend"])
        #expect(again.page == "code" && again.hasNotice)
        #expect(try await server.messages(.recoveryProof).count == 2)
        await server.stop()
    }

    @Test func `a proved telephone gets the code as well`() async throws {
        let server = try await TestServer.start()
        let phone = try #require(Identifier(loginID: "+15550001111"))
        _ = try await server.services.stores.users.change(TestServer.subject, at: server.clock.now) { account in
            account.identifiers[phone] = .verified
        }
        server.clock.advance(Limits.recoveryProofAgeSeconds)
        _ = try await server.giveAuthenticator()
        let browser = server.browser()
        let lost = try await browser.submit(try await server.secondFactorPage(browser), ["action": "lost"])
        let sent = try await browser.submit(lost, ["address": "1"])
        let message = try await server.message(to: phone.value)
        #expect(message.kind == .recoveryProof && message.channel == .sms)
        #expect(try await browser.submit(sent, ["code": message.code]).url.contains("/login/lost/waiting"))
        #expect(Set(try await server.messages(.recoveryBegun).map(\.to)) == [TestServer.username, phone.value])
        await server.stop()
    }

    @Test func `where the operator wants none, nothing leads there`() async throws {
        let server = try await TestServer.start(methodSettings: MethodSettings(recovery: nil))
        _ = try await server.giveAuthenticator()
        let browser = server.browser()
        let page = try await server.secondFactorPage(browser)
        #expect(!page.body.contains("value=\"lost\""))
        #expect(try await browser.submit(page, ["action": "lost"]).url.contains("/login/authenticator"))
        await server.stop()
    }

    @Test func `without another proof the page says whom to ask`() async throws {
        let server = try await TestServer.start(channels: [])
        _ = try await server.giveAuthenticator()
        let browser = server.browser()
        let lost = try await browser.submit(try await server.secondFactorPage(browser), ["action": "lost"])
        #expect(
            lost.page == "lost-factor" && !lost.body.contains("name=\"address\"")
                && !lost.body.contains("type=\"password\""))
        #expect(try await browser.submit(lost, ["address": "0"]).page == "lost-factor")
        #expect(try await server.messages(.recoveryProof).isEmpty)
        await server.stop()
    }
}
