import Account
import Foundation
import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("Settings: sign-in names and the second step")
struct SettingsActionCodeTests {
    private static let new = "new@example.com"

    private func add(_ address: String, _ server: TestServer, _ browser: ScriptedBrowser) async throws
        -> ScriptedBrowser.Screen
    {
        let page = try await server.visit("/settings/identifiers", in: browser)
        return try await server.send(page, in: browser, ["action": "add", "identifier": address])
    }

    @Test func `91: an address counts when its code came back, and the old one is told`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        let asked = try await add(Self.new, server, browser)
        #expect(asked.page == "code" && !asked.body.contains(Self.new), "masked")
        #expect(try await server.account(Self.new) == nil)
        let message = try await server.message(to: Self.new)
        #expect(message.kind == .verifyAddress)
        let code = try #require(message.code)
        let wrong = try await server.send(asked, in: browser, ["code": code == "000000" ? "111111" : "000000"])
        #expect(wrong.status == 422 && wrong.hasProblem)
        let foreign = try await server.call(
            "otp/verify/email", ["loginId": .string(TestServer.username), "code": .string(code)])
        #expect(foreign.status != 200, "a stranger at the new address cannot sign in with the code")
        let done = try await server.send(asked, in: browser, ["code": code])
        #expect(done.page == "settings-identifiers" && done.hasNotice && done.body.contains(Self.new))
        #expect(try await server.account(Self.new)?.user.id == TestServer.subject)
        let told = try await server.message(to: TestServer.username)
        #expect(told.kind == .addressAdded && told.values[MessageValue.newAddress] == "n**@e******.com")
        let again = try await server.send(asked, in: browser, ["code": code])
        #expect(again.status == 422, "good once")

        let page = try await browser.open("/settings/identifiers")
        let primary = try await server.send(
            page, in: browser, ["action": "primary", "kind": "email", "value": Self.new])
        #expect(primary.hasNotice)
        #expect(try await server.account(Self.new)?.email == Self.new)
        #expect(try await server.message(to: TestServer.username).kind == .addressChanged)
        let removed = try await server.send(
            page, in: browser, ["action": "remove", "kind": "email", "value": TestServer.username])
        #expect(removed.hasNotice && removed.page == "settings-identifiers")
        #expect(try await server.account(TestServer.username) == nil)
        #expect(try await server.messageCount(to: TestServer.username) == 3)
        let last = try await server.send(page, in: browser, ["action": "remove", "kind": "email", "value": Self.new])
        #expect(last.status == 422 && last.hasProblem, "the last way in stays")
        #expect(try await server.account(Self.new) != nil)
        let kinds = try await server.audited()
        #expect(kinds.isSuperset(of: ["identifier.added", "address.changed", "identifier.removed"]))
        await server.stop()
    }

    @Test func `of many removals at once the last way in is left`() async throws {
        let server = try await TestServer.start()
        let subject = TestServer.subject
        let names = try ["a@example.com", "b@example.com", "c@example.com"].map {
            try #require(Identifier(loginID: $0))
        }
        let account = try await server.services.stores.users.change(subject, at: server.clock.now) { account in
            for name in names { account.identifiers[name] = .verified }
        }
        let facts = AuthenticationFacts.password(at: server.clock.now)
        let (_, cookie) = try #require(
            try await server.services.signIn.openSession(for: account.user, facts, replacing: nil))
        let owner = try #require(try await server.services.signIn.owner(of: cookie))
        let kept = try await withThrowingTaskGroup(of: Bool.self) { group in
            for name in account.identifiers.keys {
                for _ in 0..<5 {
                    group.addTask {
                        try await server.services.settings.remove(name, of: owner, leaving: .every) == .lastOne
                    }
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(kept == 5, "each try at the last one, and no other")
        #expect(try await server.services.stores.users.account(subject)?.identifiers.count == 1)
        await server.stop()
    }

    @Test func `79: whose an address is learns only who reads its mail, and nothing is taken from anybody`()
        async throws
    {
        let server = try await TestServer.start()
        try await server.addBea()
        let browser = server.browser()
        let asked = try await add("bea@example.com", server, browser)
        let free = try await add("free@example.com", server, browser)
        #expect(asked.page == "code" && free.page == "code" && asked.status == free.status)
        let code = try #require(try await server.message(to: "bea@example.com").code)
        let refused = try await server.send(asked, in: browser, ["code": code])
        #expect(refused.page == "settings-identifiers" && refused.hasProblem)
        #expect(try await server.account("bea@example.com")?.user.id != TestServer.subject)
        for text in ["nobody", "a@b", "+12", "two words@example.com", ""] {
            let wrong = try await add(text, server, browser)
            #expect(wrong.status == 422 && wrong.hasProblem, "\(text)")
        }
        let foreign = try await server.send(
            try await browser.open("/settings/identifiers"), in: browser,
            ["action": "remove", "kind": "email", "value": "bea@example.com"])
        #expect(foreign.status == 200 && !foreign.hasProblem)
        #expect(try await server.account("bea@example.com") != nil)
        await server.stop()
    }

    @Test func `85: five wrong codes are enough, and a code is for its address and its owner alone`() async throws {
        let server = try await TestServer.start()
        try await server.addBea()
        let browser = server.browser()
        let first = try await add("one@example.com", server, browser)
        let code = try #require(try await server.message(to: "one@example.com").code)
        let second = try await add("two@example.com", server, browser)
        let crossed = try await server.send(second, in: browser, ["code": code])
        #expect(crossed.status == 422)
        let bea = server.browser()
        let other = try await server.visit("/settings/identifiers", in: bea, as: "bea@example.com")
        let stolen = try await bea.post(
            "/settings/identifiers/code",
            FormParameters([
                "csrf": other.hidden("csrf").first, "transaction": first.hidden("transaction").first, "code": code,
            ])
        )
        #expect(stolen.status == 403)
        for _ in 0..<4 { _ = try await server.send(second, in: browser, ["code": "x"]) }
        let right = try #require(try await server.message(to: "two@example.com").code)
        let late = try await server.send(second, in: browser, ["code": right])
        #expect(late.status == 429 && late.hasProblem)
        #expect(try await server.account("two@example.com") == nil)
        await server.stop()
    }

    @Test func `an authenticator counts after its first code, and recovery codes are shown once`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        let page = try await server.visit("/settings/authenticators", in: browser)
        let setup = try await server.send(page, in: browser, ["action": "add"])
        #expect(setup.page == "totp-setup" && setup.body.contains("src=\"data:image/svg+xml;base64,PHN2Zy"))
        #expect(setup.header("content-security-policy")?.contains("img-src 'self' data:") == true)
        let key = try #require(setup.body.firstMatch(of: #/<code>([A-Z2-7 ]+)</code>/#)?.1)
        let secret = try #require(TOTPSecret(typed: Secret(String(key))))
        let app = TOTPCode(secret)
        let wrong = try await server.send(setup, in: browser, ["code": "000"])
        #expect(wrong.status == 422 && wrong.page == "totp-setup" && wrong.hasProblem)
        let login = JSONValue.string(TestServer.username)
        let code = app.code(at: server.clock.now).exposed()
        let codes = try await server.send(setup, in: browser, ["code": code])
        #expect(codes.page == "recovery-codes")
        let first = codes.body.matches(of: #/<li><code>([^<]+)</code></li>/#).map { String($0.1) }
        #expect(first.count == Limits.recoveryCodesPerUser)
        let back = try await server.send(codes, in: browser, ["action": "continue"])
        #expect(back.page == "settings-authenticators" && back.hasNotice && !back.body.contains(first[0]))
        #expect(try await browser.open(setup.url).page == "settings-authenticators", "the key is not shown again")
        server.clock.advance(30)
        let next = app.code(at: server.clock.now).exposed()
        #expect(try await server.call("totp/verify", ["loginId": login, "code": .string(next)]).status == 200)

        let renewed = try await server.send(back, in: browser, ["action": "renew-codes"])
        let second = renewed.body.matches(of: #/<li><code>([^<]+)</code></li>/#).map { String($0.1) }
        #expect(second.count == first.count && Set(second).isDisjoint(with: first))
        for (text, isGood) in [(first[0], false), (second[0], true), (second[0], false)] {
            let proof = try? await server.services.methods.recoveryCodes.verify(
                loginID: TestServer.username, code: Secret(text), from: nil)
            #expect((proof != nil) == isGood)
        }
        let id = try #require(try await browser.open("/settings/authenticators").hidden("id").first)
        try await server.addBea()
        let bea = server.browser()
        let other = try await server.visit("/settings/authenticators", in: bea, as: "bea@example.com")
        #expect(try await server.send(other, in: bea, ["action": "remove", "id": id]).hasNotice == false)
        let foreignSetup = try await bea.open(setup.url)
        #expect(foreignSetup.page == "settings-authenticators", "nor to anybody else")
        server.clock.advance(30)
        let third = app.code(at: server.clock.now).exposed()
        #expect(try await server.call("totp/verify", ["loginId": login, "code": .string(third)]).status == 200)
        let removed = try await server.send(back, in: browser, ["action": "remove", "id": id])
        #expect(removed.hasNotice)
        server.clock.advance(30)
        let fourth = app.code(at: server.clock.now).exposed()
        #expect(try await server.call("totp/verify", ["loginId": login, "code": .string(fourth)]).status != 200)
        #expect(try await server.services.methods.recoveryCodes.count(of: TestServer.subject) == 0)
        let kinds = try await server.audited()
        #expect(kinds.isSuperset(of: ["authenticator.added", "recovery_codes.made", "authenticator.removed"]))
        await server.stop()
    }
}
