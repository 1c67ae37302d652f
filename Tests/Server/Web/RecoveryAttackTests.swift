import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("Attacks on the removal of a lost second factor")
struct RecoveryAttackTests {
    private static let several = "urn:keyturn:acr:mfa"

    @Test func `89: the password alone leads nowhere, however often it is tried`() async throws {
        let server = try await TestServer.start()
        _ = try await server.giveAuthenticator()
        let browser = server.browser()
        let lost = try await browser.submit(try await server.secondFactorPage(browser), ["action": "lost"])
        let skipped = try await browser.submit(lost, ["action": "remove"])
        #expect(skipped.page == "lost-factor")
        #expect(try await browser.submit(lost, ["password": TestServer.password]).page == "lost-factor")
        let sent = try await browser.submit(lost, ["address": "0"])
        for path in ["waiting", "remove"] {
            let transaction = server.transaction(of: sent)
            #expect(
                try await browser.open("/login/lost/\(path)?transaction=\(transaction)").url.contains(
                    "/login/lost/code"))
        }
        var statuses: [Int] = []
        for number in 0...Limits.codeTriesMax {
            statuses.append(try await browser.submit(sent, ["code": "00000\(number)"]).status)
        }
        #expect(statuses.last == 429 && statuses.dropLast().allSatisfy { $0 == 422 })
        let right = try await server.message(to: TestServer.username).code
        #expect(try await browser.submit(sent, ["code": right]).status == 429, "not even compared")
        #expect(try await server.recovery() == nil)
        #expect(try await server.messages(.recoveryBegun).isEmpty)
        await server.stop()
    }

    @Test func `89: an address of the thief's own is offered no code, nor is one typed`() async throws {
        let server = try await TestServer.start()
        _ = try await server.giveAuthenticator()
        let own = try #require(Identifier(loginID: "a-thief@example.org"))
        _ = try await server.services.stores.users.change(TestServer.subject, at: server.clock.now) { account in
            account.identifiers[own] = .verified
        }
        let browser = server.browser()
        let lost = try await browser.submit(try await server.secondFactorPage(browser), ["action": "lost"])
        #expect(lost.body.matches(of: #/name="address"/#).count == 1)
        for (address, page) in [("1", "lost-factor"), (own.value, "lost-factor"), ("-1", "lost-factor"), ("0", "code")]
        {
            #expect(try await browser.submit(lost, ["address": address]).page == page)
        }
        #expect(try await server.messageCount(to: own.value) == 0)

        // Nor is it a first proof that the password goes with.
        let second = server.browser()
        let asked = try await server.askForCode(second, name: own.value)
        let page = try await second.submit(asked, ["code": try await server.message(to: own.value).code])
        let refused = try await second.submit(page, ["action": "lost"])
        #expect(refused.page == "lost-factor" && !refused.body.contains("type=\"password\""))
        #expect(try await second.submit(refused, ["password": TestServer.password]).page == "lost-factor")
        #expect(try await server.recovery() == nil)

        server.clock.advance(Limits.recoveryProofAgeSeconds)
        let later = server.browser()
        let offered = try await later.submit(try await server.secondFactorPage(later), ["action": "lost"])
        #expect(offered.body.matches(of: #/name="address"/#).count == 2)
        await server.stop()
    }

    @Test func `89: a thief of the mailbox alone does not make the password the other proof`() async throws {
        let server = try await TestServer.startWithPasskeys()
        var device = PasskeyDevice(server)
        try await server.givePasskey(on: &device)
        let thief = server.browser()
        _ = try await thief.submit(try await server.openReset(thief), ["username": TestServer.username])
        let link = server.path(try #require(try await server.message(to: TestServer.username).links.first))
        let chosen = try await thief.submit(try await thief.open(link), ["action": "continue"])
        #expect(try await thief.submit(chosen, ["password": "chosen-by-the-thief"]).status == 303)
        thief.cookieJar = [:]
        // Knowing it is enough to replace it, and makes it no better.
        let replaced = try await server.call(
            "password/replace",
            [
                "loginId": .string(TestServer.username), "oldPassword": "chosen-by-the-thief",
                "newPassword": "chosen-by-the-thief-again",
            ])
        #expect(replaced.status == 200)
        func lost() async throws -> ScriptedBrowser.Screen {
            let browser = server.browser()
            let page = try await server.secondFactorPage(browser, password: "chosen-by-the-thief-again") {
                $0.acrValues = Self.several
            }
            #expect(page.page == "methods")
            return try await browser.submit(page, ["action": "lost"])
        }
        #expect(try await !lost().body.contains("name=\"address\""))
        server.clock.advance(Limits.recoveryProofAgeSeconds + 1)
        #expect(try await lost().body.contains("name=\"address\""))
        await server.stop()
    }

    @Test func `a mailbox alone, where there is an authenticator, finds a password that it does not know`() async throws
    {
        let server = try await TestServer.start()
        _ = try await server.giveAuthenticator()
        let browser = server.browser()
        let asked = try await server.askForCode(browser)
        let code = try #require(try await server.message(to: TestServer.username).code)
        let lost = try await browser.submit(try await browser.submit(asked, ["code": code]), ["action": "lost"])
        var statuses: Set<Int> = []
        for number in 0...(Limits.attemptsPerAccountAndNetworkMax + 2) {
            statuses.insert(try await browser.submit(lost, ["password": "guess-\(number)"]).status)
        }
        #expect(statuses == [422, 429], "guesses are counted with those of the sign-in page")
        #expect(try await server.recovery() == nil)
        await server.stop()
    }

    @Test func `pages belong to the browser that gave the first proof, and end with the user's epoch`() async throws {
        let server = try await TestServer.start()
        _ = try await server.giveAuthenticator()
        let stranger = server.browser()
        for path in ["lost", "lost/code", "lost/waiting", "lost/remove"] {
            #expect(try await stranger.open("/login/\(path)").status == 400)
            #expect(try await stranger.open("/login/\(path)?transaction=none").status == 400)
        }
        try await server.beginRecovery()
        server.clock.advance(Limits.recoveryDelaySeconds)
        let browser = server.browser()
        let ready = try await server.proveLoss(browser, try await server.secondFactorPage(browser))
        _ = try await server.loginPage(stranger)
        #expect(try await stranger.submit(ready, ["action": "remove"]).status == 400)
        var form = FormParameters()
        form.append("transaction", server.transaction(of: ready))
        form.append("action", "remove")
        #expect(try await browser.post("/login/lost/remove", form).status == 403, "no mark of a page of ours")
        #expect(try await server.manage("user/logout", ["loginId": .string(TestServer.username)]).status == 200)
        #expect(try await browser.submit(ready, ["action": "remove"]).status == 400)
        #expect(try await server.services.methods.authenticators.isConfirmed(for: TestServer.subject))
        await server.stop()
    }

    @Test func `both proofs are given again when the wait is over: those of the beginning are too old`() async throws {
        let server = try await TestServer.start()
        _ = try await server.giveAuthenticator()
        let browser = server.browser()
        let waiting = try await server.proveLoss(browser, try await server.secondFactorPage(browser))
        server.clock.advance(Limits.recoveryDelaySeconds)
        #expect(try await browser.submit(waiting, ["action": "remove"]).status == 400)
        #expect(try await server.services.methods.authenticators.isConfirmed(for: TestServer.subject))
        await server.stop()
    }

    @Test func `89: nothing is removed beside a password that must be replaced meanwhile`() async throws {
        let server = try await TestServer.start()
        _ = try await server.giveAuthenticator()
        try await server.beginRecovery()
        server.clock.advance(Limits.recoveryDelaySeconds)
        let browser = server.browser()
        let ready = try await server.proveLoss(browser, try await server.secondFactorPage(browser))
        #expect(ready.url.contains("/login/lost/remove"))
        let name = JSONValue.string(TestServer.username)
        #expect(try await server.manage("user/password/expire", ["loginId": name]).status == 200)
        let refused = try await browser.submit(ready, ["action": "remove"])
        #expect(refused.page != "lost-factor-step" && browser.cookieJar["keyturn-session"] == nil)
        #expect(try await server.services.methods.authenticators.isConfirmed(for: TestServer.subject))
        await server.stop()
    }

    @Test func `30: links that cancel nothing look alike`() async throws {
        let server = try await TestServer.start()
        let token = server.clock.ambient.randomToken(byteCount: 32)
        var bodies: Set<String> = []
        for text in [token, "short", "", String(repeating: "x", count: 43)] {
            let page = try await server.browser().open("/recovery/cancel?t=\(text)")
            #expect(page.status == 200 && page.page == "recovery-cancel" && !page.body.contains("<form"))
            bodies.insert(page.body)
        }
        #expect(bodies.count == 1)
        await server.stop()
    }

    @Test func `a code of a recovery signs nobody in, and a code of a sign-in begins none`() async throws {
        let server = try await TestServer.start()
        _ = try await server.giveAuthenticator()
        let browser = server.browser()
        let lost = try await browser.submit(try await server.secondFactorPage(browser), ["action": "lost"])
        let sent = try await browser.submit(lost, ["address": "0"])
        let recovery = try #require(try await server.message(to: TestServer.username).code)
        let other = server.browser()
        let asked = try await server.askForCode(other)
        let signIn = try #require(try await server.message(to: TestServer.username).code)
        #expect(recovery != signIn)
        #expect(try await other.submit(asked, ["code": recovery]).status == 422)
        #expect(try await browser.submit(sent, ["code": signIn]).status == 422)
        let body: JSONValue = ["loginId": .string(TestServer.username), "code": .string(recovery)]
        #expect(try await server.call("otp/verify/email", body).status == 400)
        #expect(try await server.recovery() == nil)
        await server.stop()
    }

    @Test func `every address is told, those that a thief added and the telephone too`() async throws {
        let server = try await TestServer.start()
        _ = try await server.giveAuthenticator()
        let many = try (0..<15).map { try #require(Identifier(loginID: "a\($0)@example.org")) }
        let phone = try #require(Identifier(loginID: "+15550001111"))
        _ = try await server.services.stores.users.change(TestServer.subject, at: server.clock.now) { account in
            for address in many + [phone] { account.identifiers[address] = .verified }
        }
        try await server.beginRecovery()
        let told = try await server.messages(.recoveryBegun)
        #expect(Set(told.map(\.to)) == Set([TestServer.username, phone.value] + many.map(\.value)))
        #expect(Set(told.flatMap(\.links)).count == 1)
        await server.stop()
    }
}
