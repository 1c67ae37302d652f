import Identity
import KeyturnAuthenticator
import KeyturnBase
import KeyturnWebAuthn
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("Passkeys on the hosted sign-in pages")
struct HostedPasskeyTests {
    private static let several = "urn:keyturn:acr:mfa"

    @Test func `the first page offers passkeys, and one signs in as two factors`() async throws {
        let server = try await TestServer.startWithPasskeys()
        var device = PasskeyDevice(server)
        try await server.givePasskey(on: &device)
        let proof = PKCE(ambient: .live)
        let page = try await server.loginPage(device.browser, proof: proof)
        #expect(page.body.contains("autocomplete=\"username webauthn\"") && page.body.contains("data-autofill"))
        #expect(page.header("content-security-policy")?.contains("script-src 'self';") == true)
        #expect(page.passkeyOptions?["allowCredentials"] == nil, "nobody is named")
        let done = try await device.press(page)
        let claims = try await server.claims(of: done, proof: proof)
        #expect(claims["amr"]?.stringArrayValue == ["hwk", "mfa"] && claims["acr"] == .string(Self.several))
        #expect(claims["sub"] == .string(TestServer.subject.rawValue))
        #expect(try await server.passkeys().first?.usedAt == server.clock.now)
        await server.stop()
    }

    @Test func `94: an answer counts in the browser that was asked, once, and for a while`() async throws {
        let server = try await TestServer.startWithPasskeys()
        var device = PasskeyDevice(server)
        try await server.givePasskey(on: &device)
        let page = try await server.loginPage(device.browser)
        let answer = try device.answer(page)
        let thief = server.browser()
        let foreign = try await server.loginPage(thief)
        let stolen = try await thief.submit(foreign, ["action": "passkey", "passkey": answer])
        #expect(stolen.status == 422 && stolen.page == "login" && thief.cookieJar["keyturn-session"] == nil)
        let first = try await device.post(page, answer)
        #expect(first.status == 303 && device.browser.cookieJar["keyturn-session"] != nil)
        device.browser.cookieJar["keyturn-session"] = nil
        let second = try await device.post(page, answer)
        #expect(second.status == 422 && second.hasProblem && device.browser.cookieJar["keyturn-session"] == nil)
        #expect(second.passkeyOptions?["challenge"] != page.passkeyOptions?["challenge"], "the page is new")

        let slow = try device.answer(second)
        server.clock.advance(Limits.transactionSeconds)
        let late = try await device.post(second, slow)
        #expect(late.page == "error" && device.browser.cookieJar["keyturn-session"] == nil, "as late as a password")
        await server.stop()
    }

    @Test func `94: sixteen submissions of one answer, one session`() async throws {
        let server = try await TestServer.startWithPasskeys()
        var device = PasskeyDevice(server)
        try await server.givePasskey(on: &device)
        let page = try await server.loginPage(device.browser)
        let answer = try device.answer(page)
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<16 {
                group.addTask { [device] in try await device.post(page, answer).status }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.count { $0 == 303 } == 1 && statuses.count { $0 == 422 } == 15, "\(statuses)")
        await server.stop()
    }

    @Test func `101: an answer that names somebody else signs nobody in`() async throws {
        let server = try await TestServer.startWithPasskeys()
        try await server.addBea()
        var device = PasskeyDevice(server)
        try await server.givePasskey(on: &device)
        var bea = PasskeyDevice(server)
        let hers = try await server.givePasskey(to: "bea@example.com", on: &bea)
        let page = try await server.loginPage(device.browser)
        let asked = try PublicKeyCredentialRequestOptions(json: try #require(page.passkeyOptions))
        var response = try device.authenticator.authenticate(asked)
        response.userHandle = hers.record.userHandle
        let refused = try await device.post(page, response.json.text)
        #expect(refused.status == 422 && refused.hasProblem && device.browser.cookieJar["keyturn-session"] == nil)
        #expect(refused.signals.isEmpty, "the passkey is known, and stays on the device")
        await server.stop()
    }

    @Test func `a passkey that did not verify its user does not go around the authenticator`() async throws {
        let server = try await TestServer.startWithPasskeys()
        let authenticator = try await server.giveAuthenticator()
        // Registered without and used with: a thief may have set the PIN since.
        for (registers, signsIn) in [(false, false), (false, true), (true, false), (true, true)] {
            var device = PasskeyDevice(server)
            device.authenticator.behaviour.isUserVerified = registers
            try await server.givePasskey(on: &device)
            device.authenticator.behaviour.isUserVerified = signsIn
            let proof = PKCE(ambient: .live)
            var screen = try await device.press(try await server.loginPage(device.browser, proof: proof))
            if !(registers && signsIn) {
                #expect(screen.page == "code" && screen.url.contains("/login/authenticator"))
                #expect(device.browser.cookieJar["keyturn-session"] == nil)
                let again = try await device.press(screen)
                #expect(again.page == "code" && device.browser.cookieJar["keyturn-session"] == nil, "twice is once")
                screen = try await device.browser.submit(
                    again, ["code": authenticator.code(at: server.clock.now).exposed()])
            }
            let claims = try await server.claims(of: screen, proof: proof)
            #expect(claims["acr"] == .string(Self.several), "\(registers), \(signsIn)")
            server.clock.advance(31)
        }
        await server.stop()
    }

    @Test func `a passkey that is not known is forgotten by the device, one that may come back is not`() async throws {
        let server = try await TestServer.startWithPasskeys()
        var device = PasskeyDevice(server)
        let passkey = try await server.givePasskey(on: &device)
        var owner = try await server.owner()
        let passkeys = server.services.methods.passkeys
        _ = try await passkeys.setActive(false, passkey.id, of: owner, leaving: .every)
        let off = try await device.press(try await server.loginPage(device.browser))
        #expect(off.status == 422 && off.body.contains("turned off") && off.signals.isEmpty)
        #expect(!off.body.contains("data-autofill"), "a device that answers by itself does not do so for ever")
        owner = try await server.owner()
        _ = try await passkeys.setActive(true, passkey.id, of: owner, leaving: .every)

        _ = try await server.services.stores.users.change(TestServer.subject, at: server.clock.now) {
            $0.user.status = .disabled
        }
        let disabled = try await device.press(off)
        #expect(disabled.status == 422 && disabled.hasProblem && disabled.signals.isEmpty)
        _ = try await server.services.stores.users.change(TestServer.subject, at: server.clock.now) {
            $0.user.status = .active
        }
        owner = try await server.owner()
        #expect(try await passkeys.remove(passkey.id, of: owner, leaving: .every) == .done)
        let gone = try await device.press(disabled)
        #expect(gone.status == 422 && gone.hasProblem)
        #expect(
            gone.signals == [
                "signalUnknownCredential": [
                    "rpId": "localhost", "credentialId": .string(Base64URL.encode(passkey.record.id)),
                ]
            ])
        let nonsense = try await device.post(gone, "[1, 2")
        #expect(nonsense.status == 422 && nonsense.hasProblem && nonsense.signals.isEmpty)
        #expect(device.browser.cookieJar["keyturn-session"] == nil)
        await server.stop()
    }

    @Test func `18: a passkey without the page's mark signs nobody in`() async throws {
        let server = try await TestServer.startWithPasskeys()
        var device = PasskeyDevice(server)
        try await server.givePasskey(on: &device)
        let page = try await server.loginPage(device.browser)
        var form = FormParameters()
        form.append("transaction", server.transaction(of: page))
        form.append("action", "passkey")
        form.append("passkey", try device.answer(page))
        for mark in [nil, "AAAA", page.hidden("csrf").first.map { $0 + "A" }] {
            var forged = form
            if let mark { forged.append("csrf", mark) }
            let refused = try await device.browser.post("/login", forged)
            #expect(refused.status == 403 && device.browser.cookieJar["keyturn-session"] == nil)
        }
        form.append("csrf", page.hidden("csrf").first)
        let elsewhere = try await device.browser.post("/login", form, headers: [("Sec-Fetch-Site", "cross-site")])
        #expect(elsewhere.status == 403 && device.browser.cookieJar["keyturn-session"] == nil)
        #expect(try await device.browser.post("/login", form).status == 303, "the same with it")
        await server.stop()
    }

    @Test func `whoever must sign in again does so with a passkey of their own`() async throws {
        let server = try await TestServer.startWithPasskeys()
        try await server.addBea()
        var device = PasskeyDevice(server)
        let passkey = try await server.givePasskey(on: &device)
        _ = try await device.press(try await server.loginPage(device.browser))
        server.clock.advance(120)
        let page = try await server.loginPage(device.browser) { $0.maxAge = "60" }
        let named = try #require(page.passkeyOptions?["allowCredentials"]?.arrayValue)
        #expect(named.count == 1 && named[0]["id"] == .string(Base64URL.encode(passkey.record.id)))
        var bea = PasskeyDevice(server)
        try await server.givePasskey(to: "bea@example.com", on: &bea)
        let asked = try PublicKeyCredentialRequestOptions(json: try #require(page.passkeyOptions))
        var anybody = asked
        anybody.allowCredentials = []
        let hers = try await device.post(page, try bea.authenticator.authenticate(anybody).json.text)
        #expect(hers.status == 422 && hers.hasProblem && hers.signals.isEmpty)
        let done = try await device.press(hers)
        #expect(try TestServer.callback(done) != nil)
        await server.stop()
    }

    @Test func `at an address of digits pages are what they are without passkeys`() async throws {
        let server = try await TestServer.start()
        let page = try await server.loginPage(server.browser())
        #expect(!page.body.contains("data-passkey") && page.body.contains("username webauthn"))
        let settings = try await server.visit("/settings", in: server.browser())
        #expect(settings.page == "settings" && !settings.body.contains("/settings/passkeys"))
        await server.stop()
    }
}
