import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("Second factors and passwords on the hosted pages")
struct HostedFactorTests {
    private static let several = "urn:keyturn:acr:mfa"

    @Test func `whoever has an authenticator is asked for it, after a password and after a code`() async throws {
        let server = try await TestServer.start()
        let authenticator = try await server.giveAuthenticator()
        for way in ["password", "code"] {
            let browser = server.browser()
            let proof = PKCE(ambient: .live)
            var page: ScriptedBrowser.Screen
            if way == "password" {
                page = try await browser.submit(
                    try await server.loginPage(browser, proof: proof),
                    ["username": TestServer.username, "password": TestServer.password])
            } else {
                page = try await server.askForCode(browser, proof: proof)
                page = try await browser.submit(
                    page, ["code": try await server.message(to: TestServer.username).code])
            }
            #expect(page.page == "code" && page.url.contains("/login/authenticator"))
            #expect(browser.cookieJar["keyturn-session"] == nil)
            let wrong = try await browser.submit(page, ["code": "000"])
            #expect(wrong.status == 422)
            let done = try await browser.submit(
                wrong, ["code": authenticator.code(at: server.clock.now).exposed()])
            let claims = try await server.claims(of: done, proof: proof)
            #expect(claims["acr"] == .string(Self.several))
            #expect(claims["amr"]?.stringArrayValue == (way == "password" ? ["pwd", "otp", "mfa"] : ["otp", "mfa"]))
            server.clock.advance(31)
        }
        await server.stop()
    }

    @Test func `a first proof that waits too long is given again, and another browser cannot go on from it`()
        async throws
    {
        let server = try await TestServer.start()
        let authenticator = try await server.giveAuthenticator()
        let browser = server.browser()
        let page = try await browser.submit(
            try await server.loginPage(browser),
            ["username": TestServer.username, "password": TestServer.password])
        let thief = server.browser()
        _ = try await server.loginPage(thief)
        let stolen = try await thief.submit(page, ["code": authenticator.code(at: server.clock.now).exposed()])
        #expect(stolen.status == 400 && stolen.page == "error")
        server.clock.advance(Limits.secondFactorSeconds + 1)
        let late = try await browser.submit(page, ["code": authenticator.code(at: server.clock.now).exposed()])
        #expect(late.status == 400 && late.page == "error" && browser.cookieJar["keyturn-session"] == nil)
        await server.stop()
    }

    @Test func `a recovery code does for the authenticator, once`() async throws {
        let server = try await TestServer.start()
        _ = try await server.giveAuthenticator()
        let codes = try await server.services.methods.recoveryCodes.make(for: TestServer.subject)
        for isFirst in [true, false] {
            let browser = server.browser()
            let asked = try await browser.submit(
                try await server.loginPage(browser),
                ["username": TestServer.username, "password": TestServer.password])
            let ways = try await browser.submit(asked, ["action": "other"])
            #expect(ways.page == "methods")
            let paper = try await browser.submit(ways, ["method": "recovery"])
            #expect(paper.page == "recovery")
            let done = try await browser.submit(paper, ["code": codes[0].exposed()])
            #expect(done.status == (isFirst ? 303 : 422))
        }
        await server.stop()
    }

    @Test func `86: sixteen browsers with one recovery code in the same moment, one session`() async throws {
        let server = try await TestServer.start()
        _ = try await server.giveAuthenticator()
        let codes = try await server.services.methods.recoveryCodes.make(for: TestServer.subject)
        var papers: [(browser: ScriptedBrowser, page: ScriptedBrowser.Screen)] = []
        for _ in 0..<16 {
            let browser = server.browser()
            let asked = try await browser.submit(
                try await server.loginPage(browser),
                ["username": TestServer.username, "password": TestServer.password])
            let ways = try await browser.submit(asked, ["action": "other"])
            papers.append((browser, try await browser.submit(ways, ["method": "recovery"])))
        }
        #expect(papers.allSatisfy { $0.page.page == "recovery" })
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for (browser, page) in papers {
                group.addTask { try await browser.submit(page, ["code": codes[0].exposed()]).status }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.count { $0 == 303 } == 1, "\(statuses)")
        #expect(Set(statuses).isSubset(of: [303, 422, 429]), "\(statuses)")
        #expect(papers.count { $0.browser.cookieJar["keyturn-session"] != nil } == 1)
        #expect(try await server.services.methods.recoveryCodes.count(of: TestServer.subject) == codes.count - 1)
        await server.stop()
    }

    @Test func `typing the password again clears no failures of the second factor`() async throws {
        let server = try await TestServer.start()
        _ = try await server.giveAuthenticator()
        var statuses: [Int] = []
        for _ in 0..<4 {
            let browser = server.browser()
            var page = try await browser.submit(
                try await server.loginPage(browser),
                ["username": TestServer.username, "password": TestServer.password])
            for _ in 0..<4 {
                page = try await browser.submit(page, ["code": "000"])
                statuses.append(page.status)
            }
        }
        #expect(statuses.last == 429 && statuses.first == 422)
        await server.stop()
    }

    @Test func `an app that asks for two factors gets them, with an authenticator set up on the way`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        let plain = try await server.signIn(TestClients.portal, proof: nil, in: browser)
        guard case .code = plain.outcome else { throw TestFailure("no code") }
        let first = browser.cookieJar["keyturn-session"]
        let proof = PKCE(ambient: .live)
        let setup = try await server.loginPage(browser, proof: proof) { $0.acrValues = Self.several }
        #expect(setup.page == "totp-setup")
        let key = try #require(setup.body.split(separator: "class=\"key\"><code>").last?.prefix { $0 != "<" })
        let authenticator = TOTPCode(try #require(TOTPSecret(typed: Secret(String(key)))))
        let codes = try await browser.submit(
            setup, ["code": authenticator.code(at: server.clock.now).exposed()])
        #expect(codes.page == "recovery-codes" && codes.status == 200)
        #expect(browser.cookieJar["keyturn-session"] != first)
        let done = try await browser.submit(codes, ["action": "continue"])
        let claims = try await server.claims(of: done, proof: proof)
        #expect(claims["acr"] == .string(Self.several) && claims["amr"] == ["pwd", "otp", "mfa"])
        let silent = try await server.loginPage(browser) {
            $0.acrValues = Self.several
            $0.prompt = "none"
        }
        #expect(try TestServer.callback(silent).map { if case .code = $0.outcome { true } else { false } } == true)
        await server.stop()
    }

    @Test func `the class of a sign-in is asked for by preference or as essential`() async throws {
        let server = try await TestServer.start()
        let metadata = try await server.get("/.well-known/openid-configuration").json
        #expect(metadata["acr_values_supported"]?.stringArrayValue?.contains(Self.several) == true)
        let essential = "{\"id_token\":{\"acr\":{\"essential\":true,\"values\":[\"\(Self.several)\"]}}}"
        let asks: [(name: String, values: String?, claims: String?, isAsked: Bool)] = [
            ("preferred", "unknown \(Self.several)", nil, true), ("essential", nil, essential, true),
            ("a password is liked better", "urn:keyturn:acr:password \(Self.several)", nil, false),
            ("nothing", nil, nil, false),
        ]
        for ask in asks {
            let browser = server.browser()
            let login = try await server.loginPage(browser) {
                $0.acrValues = ask.values
                $0.claims = ask.claims
            }
            let next = try await server.complete(login, in: browser)
            #expect((next.page == "totp-setup") == ask.isAsked, "\(ask.name)")
            #expect((browser.cookieJar["keyturn-session"] == nil) == ask.isAsked, "\(ask.name)")
        }
        await server.stop()
    }

    @Test func `a session of one factor is not enough for an app that wants two, however it asks`() async throws {
        let server = try await TestServer.start()
        let authenticator = try await server.giveAuthenticator()
        let browser = server.browser()
        let account = try #require(try await server.services.stores.users.account(TestServer.subject))
        let (_, cookie) = try #require(
            try await server.services.signIn.openSession(
                for: account.user, .password(at: server.clock.now), replacing: nil))
        _ = try await server.loginPage(server.browser())
        browser.cookieJar["keyturn-session"] = cookie.exposed()
        let silent = try await server.loginPage(browser) {
            $0.acrValues = Self.several
            $0.prompt = "none"
        }
        guard case .refused(let problem) = try TestServer.callback(silent)?.outcome else {
            throw TestFailure("a code came")
        }
        #expect(problem.code == .loginRequired)
        server.clock.advance(Limits.secondFactorSeconds + 1)
        let late = try await server.loginPage(browser) { $0.acrValues = Self.several }
        #expect(late.page == "login")
        let asked = try await server.complete(late, in: browser)
        #expect(asked.url.contains("/login/authenticator"))
        let done = try await browser.submit(
            asked, ["code": authenticator.code(at: server.clock.now).exposed()])
        #expect(done.status == 303 && browser.cookieJar["keyturn-session"] != cookie.exposed())
        await server.stop()
    }

    @Test func `a forgotten password is replaced, older sessions end, and the way there is good once`() async throws {
        let server = try await TestServer.start()
        let elsewhere = server.browser()
        _ = try await server.signIn(TestClients.portal, proof: nil, in: elsewhere)
        let browser = server.browser()
        let page = try await browser.submit(
            try await server.openReset(browser), ["username": TestServer.username])
        let message = try await server.message(to: TestServer.username)
        #expect(message.kind == .passwordReset && message.links.count == 1)
        let new = try await browser.submit(page, ["code": message.code])
        #expect(new.page == "password-new" && browser.cookieJar["keyturn-session"] == nil)
        let weak = try await browser.submit(new, ["password": "short"])
        #expect(weak.status == 422 && weak.page == "password-new")
        let done = try await browser.submit(weak, ["password": "another-fine-phrase"])
        #expect(done.status == 303 && browser.cookieJar["keyturn-session"] != nil)
        let again = try await browser.submit(new, ["password": "yet-another-phrase"])
        #expect(again.page == "error")
        #expect(try await server.loginPage(elsewhere).page == "login")
        let link = try #require(message.links.first)
        #expect(try await server.browser().open(link).body.contains("name=\"t\"") == false)
        let old = server.browser()
        let refused = try await server.complete(try await server.loginPage(old), in: old)
        #expect(refused.status == 422)
        await server.stop()
    }

    @Test func `89: a reset does not go around the authenticator`() async throws {
        let server = try await TestServer.start()
        let authenticator = try await server.giveAuthenticator()
        let browser = server.browser()
        let page = try await browser.submit(
            try await server.openReset(browser), ["username": TestServer.username])
        let asked = try await browser.submit(
            page, ["code": try await server.message(to: TestServer.username).code])
        #expect(asked.page == "code" && asked.url.contains("/login/authenticator"))
        let transaction = server.transaction(of: asked)
        for path in ["/login/password", "/login/expired", "/login/code", "/login/setup"] {
            let skipped = try await browser.open("\(path)?transaction=\(transaction)")
            #expect(skipped.url.contains("/login/authenticator"), "\(path)")
        }
        #expect(browser.cookieJar["keyturn-session"] == nil)
        let new = try await browser.submit(
            asked, ["code": authenticator.code(at: server.clock.now).exposed()])
        #expect(new.page == "password-new")
        #expect(try await browser.submit(new, ["password": "another-fine-phrase"]).status == 303)
        await server.stop()
    }

    @Test func `a temporary password opens its own replacement and nothing else`() async throws {
        let server = try await TestServer.start()
        try await server.services.methods.passwords.set(
            loginID: TestServer.username, password: Secret("handed-out-today"), mustReplace: true)
        let browser = server.browser()
        let page = try await browser.submit(
            try await server.loginPage(browser),
            ["username": TestServer.username, "password": "handed-out-today"])
        #expect(page.page == "password-expired" && browser.cookieJar["keyturn-session"] == nil)
        let wrong = try await browser.submit(
            page, ["current_password": "something-else", "password": "another-fine-phrase"])
        #expect(wrong.status == 422 && wrong.page == "password-expired")
        let done = try await browser.submit(
            wrong, ["current_password": "handed-out-today", "password": "another-fine-phrase"])
        #expect(done.status == 303)
        await server.stop()
    }
}
