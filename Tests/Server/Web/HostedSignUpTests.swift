import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

@Suite("Sign-up on the hosted pages, and what is offered")
struct HostedSignUpTests {
    @Test func `where nothing can be delivered nothing is offered`() async throws {
        let server = try await TestServer.start(channels: [])
        let page = try await server.authorize(
            server.request(TestClients.portal, proof: nil), in: server.browser())
        #expect(page.page == "login")
        for word in ["value=\"code\"", "value=\"link\"", "/login/reset", "/signup"] {
            #expect(!page.body.contains(word))
        }
        await server.stop()
    }

    @Test func `an account comes about by the code, with the password chosen before`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        let form = try await server.openSignUp(browser)
        #expect(form.page == "signup")
        let weak = try await browser.submit(form, ["name": "New", "email": "new@example.com", "password": "short"])
        #expect(weak.status == 422 && weak.page == "signup")
        let page = try await browser.submit(
            weak, ["name": "New Person", "email": "new@example.com", "password": "a-long-enough-phrase"])
        #expect(page.page == "code")
        #expect(try await server.account("new@example.com") == nil)
        let code = try #require(try await server.message(to: "new@example.com").code)
        #expect(try await browser.submit(page, ["code": code]).status == 303)
        let account = try #require(try await server.account("new@example.com"))
        #expect(account.isEmailVerified && account.user.displayName == "New Person")
        let other = server.browser()
        let login = try await server.authorize(server.request(TestClients.portal, proof: nil), in: other)
        let done = try await server.complete(
            login, in: other, username: "new@example.com", password: "a-long-enough-phrase")
        #expect(done.status == 303)
        await server.stop()
    }

    @Test func `79: signing up as somebody who is there changes nothing of theirs`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        let before = try await server.account(TestServer.username)
        let page = try await browser.submit(
            try await server.openSignUp(browser),
            ["name": "Mallory", "email": TestServer.username, "password": "mallory-s-own-phrase"])
        let message = try await server.message(to: TestServer.username)
        #expect(message.kind == .alreadyRegistered)
        _ = try await browser.submit(page, ["code": message.code])
        let after = try await server.account(TestServer.username)
        #expect(after?.passwordHash == before?.passwordHash && after?.user.claims == before?.user.claims)
        await server.stop()
    }

    @Test func `an account without a password comes about by a code or by a link`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        let page = try await browser.submit(
            try await server.openSignUp(browser),
            ["name": "Cora Code", "identifier": "cora@example.com", "action": "code"])
        #expect(page.page == "code")
        let code = try #require(try await server.message(to: "cora@example.com").code)
        #expect(try await browser.submit(page, ["code": code]).status == 303)
        let cora = try #require(try await server.account("cora@example.com"))
        #expect(cora.passwordHash == nil && cora.isEmailVerified && cora.user.displayName == "Cora Code")

        let other = server.browser()
        let waiting = try await other.submit(
            try await server.openSignUp(other),
            ["name": "Lina Link", "identifier": "lina@example.com", "action": "link"])
        #expect(waiting.page == "link-sent" && !waiting.body.contains("value=\"other\""))
        let message = try await server.message(to: "lina@example.com")
        let number = try #require(waiting.body.firstMatch(of: #/<strong>(\d\d)<\/strong>/#)?.1)
        let link = try #require(message.links.first { $0.hasSuffix("&n=\(number)") })
        let telephone = server.browser()
        let landing = try await telephone.open(link)
        #expect(landing.page == "link" && landing.body.contains("Create your account"))
        #expect(try await server.account("lina@example.com") == nil)
        #expect(try await telephone.submit(landing, ["action": "continue"]).page == "done")
        let done = try await other.open(waiting.url)
        #expect(try TestServer.callback(done) != nil)
        let lina = try #require(try await server.account("lina@example.com"))
        #expect(lina.passwordHash == nil && lina.isEmailVerified && lina.user.displayName == "Lina Link")
        #expect(telephone.cookieJar["keyturn-session"] == nil)
        await server.stop()
    }

    @Test func `an account comes about by a telephone number, where text messages are sent`() async throws {
        let server = try await TestServer.start(channels: [.sms])
        let browser = server.browser()
        let form = try await server.openSignUp(browser)
        #expect(form.body.contains("name=\"phone\" type=\"tel\""))
        let mail = try await browser.submit(form, ["name": "Tel", "phone": "tel@example.com", "action": "code"])
        #expect(mail.status == 422 && mail.page == "signup" && mail.hasProblem)
        let page = try await browser.submit(mail, ["name": "Tel", "phone": "+1 555 987 6543", "action": "code"])
        #expect(page.page == "code" && page.body.contains("Check your messages"))
        let message = try await server.message(to: "+15559876543")
        #expect(message.channel == .sms && message.kind == .code)
        #expect(try await browser.submit(page, ["code": message.code]).status == 303)
        let account = try #require(try await server.account("+15559876543"))
        #expect(account.isPhoneVerified && account.passwordHash == nil)
        await server.stop()
    }

    @Test func `79: without a password, too, signing up as somebody who is there tells nobody but them`()
        async throws
    {
        let server = try await TestServer.start()
        for way in ["code", "link"] {
            var bodies: [String] = []
            for name in [TestServer.username, "nobo@example.com"] {
                let browser = server.browser()
                let page = try await browser.submit(
                    try await server.openSignUp(browser), ["name": "Mallory", "identifier": name, "action": way])
                #expect(page.status == 200 && page.page == (way == "code" ? "code" : "link-sent"))
                let masked = page.body.replacingHiddenValues().replacing(#/[a-z]\*+@e\*+\.com/#, with: "")
                bodies.append(
                    masked.replacing(#/transaction=[^"]*/#, with: "").replacing(#/<strong>\d\d<\/strong>/#, with: ""))
            }
            #expect(bodies[0] == bodies[1], "\(way)")
            #expect(try await server.message(to: TestServer.username).kind == .alreadyRegistered)
            server.clock.advance(60)
        }
        #expect(try await server.account(TestServer.username)?.user.displayName == "Andy Rhoads")
        await server.stop()
    }

    @Test func `what cannot be delivered is neither offered nor taken`() async throws {
        let server = try await TestServer.start(channels: [.email])
        let browser = server.browser()
        let login = try await server.loginPage(browser)
        let phone = try await browser.submit(login, ["username": "+15551234567", "action": "code"])
        #expect(phone.status == 422 && phone.page == "login" && phone.hasProblem)
        let reset = try await browser.submit(try await server.openReset(browser), ["username": "+15551234567"])
        #expect(reset.status == 422 && reset.page == "password-reset" && reset.hasProblem)
        let signUp = try await server.openSignUp(browser)
        #expect(signUp.body.contains("name=\"email\" type=\"email\"") && !signUp.body.contains("type=\"tel\""))
        let refused = try await browser.submit(signUp, ["name": "T", "phone": "+15559876543", "action": "code"])
        #expect(refused.status == 422 && refused.page == "signup")
        #expect(try await server.messageCount(to: "+15551234567") == 0)
        #expect(try await server.messageCount(to: "+15559876543") == 0)
        await server.stop()
    }

    @Test func `settings ask for no address that cannot be confirmed`() async throws {
        for channels in [Set<DeliveryMethod>([.email]), []] {
            let server = try await TestServer.start(channels: channels)
            let browser = server.browser()
            let page = try await server.visit("/settings/identifiers", in: browser)
            #expect(page.page == "settings-identifiers")
            #expect(page.body.contains("value=\"add\"") == !channels.isEmpty)
            let refused = try await server.send(page, in: browser, ["action": "add", "identifier": "+15559876543"])
            #expect(refused.status == 422 && refused.hasProblem)
            #expect(try await server.messageCount(to: "+15559876543") == 0)
            await server.stop()
        }
    }
}
