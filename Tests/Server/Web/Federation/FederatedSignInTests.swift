import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("Signing in at an identity provider")
struct FederatedSignInTests {
    @Test func `a user who is not known gets an account, and is known from then on`() async throws {
        let fixture = try await FederationFixture.start()
        let page = try await fixture.server.loginPage(fixture.server.browser())
        #expect(page.body.contains("/federation/acme/start?transaction=") && page.body.contains("Provider acme"))
        let browser = fixture.server.browser()
        #expect(try FederationFixture.hasCode(try await fixture.pass(browser)))
        let account = try #require(try await fixture.server.account("jane@provider.example"))
        #expect(account.isEmailVerified && account.user.displayName == "Jane Doe" && account.passwordHash == nil)
        #expect(try await fixture.holder() == account.user.id)
        let again = try await fixture.server.loginPage(browser) { $0.prompt = "login" }
        #expect(again.body.contains("Last used"))
        await fixture.server.stop()
    }

    @Test(arguments: [false, true])
    func `only a provider whom the operator trusts says what programs take for a login ID`(_ isTrusted: Bool)
        async throws
    {
        var connection = Connection.scripted()
        if case .openID(var settings) = connection.settings {
            settings.trustsEmail = isTrusted
            connection.settings = .openID(settings)
        }
        var profile = FederatedProfile.person()
        profile.claims["preferred_username"] = "maria"
        let fixture = try await FederationFixture.start(profile, [connection])
        #expect(try FederationFixture.hasCode(try await fixture.pass(fixture.server.browser())))
        let account = try #require(try await fixture.server.account("jane@provider.example"))
        #expect(account.user.claims["preferred_username"] == (isTrusted ? "maria" : nil))
        #expect(account.user.displayName == "Jane Doe")
        await fixture.server.stop()
    }

    @Test(arguments: ["connection", "x_oauth_provider_alias"])
    func `an app leads straight to a provider, and a name that is not known leads to the page`(_ parameter: String)
        async throws
    {
        let fixture = try await FederationFixture.start()
        let browser = fixture.server.browser()
        let gone = try await fixture.server.loginPage(browser) { $0.extra.append(parameter, "acme") }
        let back = try await fixture.comeBack(browser, try FederationFixture.handle(gone))
        #expect(try FederationFixture.hasCode(back))
        let unknown = try await fixture.server.loginPage(fixture.server.browser()) {
            $0.extra.append("connection", "unknown")
        }
        #expect(unknown.page == "login")
        let failing = fixture.server.browser()
        let again = try await fixture.server.loginPage(failing) { $0.extra.append("connection", "acme") }
        fixture.provider.fails(ConnectionProblem(.cancelled, code: "access_denied"))
        let page = try await fixture.comeBack(failing, try FederationFixture.handle(again))
        #expect(page.page == "login" && page.body.contains("You cancelled the sign-in"))
        await fixture.server.stop()
    }

    @Test func `F-12: a known identity with another address stays the same user, whose address stays`() async throws {
        let fixture = try await FederationFixture.start()
        _ = try await fixture.pass(fixture.server.browser())
        let first = try await fixture.holder()
        fixture.provider.says(.person(email: TestServer.username))
        #expect(try FederationFixture.hasCode(try await fixture.pass(fixture.server.browser())))
        #expect(try await fixture.holder() == first && first != TestServer.subject)
        #expect(try await fixture.server.account("jane@provider.example")?.user.id == first)
        await fixture.server.stop()
    }

    @Test func `F-1: the same subject at another connection is another user`() async throws {
        let fixture = try await FederationFixture.start(.person(), [.scripted(), .scripted("other")])
        _ = try await fixture.pass(fixture.server.browser())
        fixture.provider.says(.person(email: nil))
        #expect(try FederationFixture.hasCode(try await fixture.pass(fixture.server.browser(), at: "other")))
        let (one, two) = (try await fixture.holder(), try await fixture.holder(at: "other"))
        #expect(one != nil && two != nil && one != two)
        await fixture.server.stop()
    }

    @Test func `F-2, F-7, F-9: an address that is not trusted links nothing, and does not say who has an account`()
        async throws
    {
        let fixture = try await FederationFixture.start(.person(email: TestServer.username, trust: .unverified))
        let page = try await fixture.pass(fixture.server.browser())
        #expect(page.page == "login" && page.body.contains("to link Provider acme"))
        #expect(try await fixture.holder() == nil)
        fixture.provider.says(.person("2", email: "nowhere@provider.example", trust: .verified))
        let other = try await fixture.pass(fixture.server.browser())
        #expect(other.page == "login" && other.body.contains("to link Provider acme"))
        #expect(try await fixture.holder("2") == nil)
        #expect(try await fixture.server.account("nowhere@provider.example") == nil)
        await fixture.server.stop()
    }

    @Test func `F-2: the owner signs in, and the identity is linked`() async throws {
        let fixture = try await FederationFixture.start(.person(email: TestServer.username, trust: .verified))
        let browser = fixture.server.browser()
        let page = try await fixture.pass(browser)
        let done = try await fixture.server.complete(page, in: browser)
        #expect(try FederationFixture.hasCode(done))
        #expect(try await fixture.holder() == TestServer.subject)
        #expect(try await fixture.server.audited().contains("identity.linked"))
        let next = fixture.server.browser()
        #expect(try FederationFixture.hasCode(try await fixture.pass(next)))
        await fixture.server.stop()
    }

    @Test func `F-2: an account with a passkey is linked by the passkey alone, not by a password that somebody knows`()
        async throws
    {
        let fixture = try await FederationFixture.start(
            .person(email: TestServer.username, trust: .verified), issuer: "http://localhost:8080")
        var device = PasskeyDevice(fixture.server)
        try await fixture.server.givePasskey(on: &device)
        let page = try await fixture.pass(device.browser)
        let asked = try await fixture.server.complete(page, in: device.browser)
        #expect(asked.page == "methods" && device.browser.cookieJar["keyturn-session"] == nil)
        #expect(try await fixture.holder() == nil)
        #expect(try FederationFixture.hasCode(try await device.press(asked)))
        #expect(try await fixture.holder() == TestServer.subject)
        await fixture.server.stop()
    }

    @Test func `F-15: an identity that waits for its owner is linked in no other browser`() async throws {
        let fixture = try await FederationFixture.start(.person(email: TestServer.username, trust: .verified))
        let page = try await fixture.pass(fixture.server.browser())
        let victim = fixture.server.browser()
        let shown = try await victim.open("/login?transaction=\(fixture.server.transaction(of: page))")
        _ = try await fixture.server.complete(shown, in: victim)
        #expect(try await fixture.holder() == nil)
        await fixture.server.stop()
    }

    @Test func `F-3, F-4, F-5: an account that was registered before its owner came is emptied`() async throws {
        let fixture = try await FederationFixture.start()
        let server = fixture.server
        let email = try #require(Identifier(loginID: "jane@provider.example"))
        let phone = try #require(Identifier(loginID: "+4915112345678"))
        let victim = UserID(rawValue: "22222222-2222-4222-8222-222222222222")
        var account = Account(
            user: User(id: victim, createdAt: server.clock.now, updatedAt: server.clock.now),
            identifiers: [email: .unverified, phone: .unverified],
            passwordHash: try await server.services.passwords.hash(Secret("mallory-s-password")))
        account.set(.phone, phone.value, isVerified: false)
        try await server.services.stores.users.create(account)
        let attacker = server.browser()
        let login = try await server.loginPage(attacker)
        let session = try await server.complete(
            login, in: attacker, username: "jane@provider.example", password: "mallory-s-password")
        #expect(try FederationFixture.hasCode(session))
        let epoch = try #require(try await server.services.stores.users.account(victim)).user.epoch
        #expect(try FederationFixture.hasCode(try await fixture.pass(server.browser())))
        let after = try #require(try await server.services.stores.users.account(victim))
        #expect(after.passwordHash == nil && after.identifiers == [email: .verified] && after.phone == nil)
        #expect(after.user.epoch > epoch)
        #expect(
            try await server.services.stores.sessions.sessions(of: victim, limit: 10, at: server.clock.now).count == 1)
        #expect(try await server.audited().contains("address.reclaimed"))
        await server.stop()
    }

    @Test func `F-16: an answer that was begun in another browser is refused`() async throws {
        let fixture = try await FederationFixture.start()
        let handle = try await fixture.leave(fixture.server.browser())
        let other = fixture.server.browser()
        _ = try await fixture.server.loginPage(other)
        let page = try await fixture.comeBack(other, handle)
        #expect(page.status == 400 && page.page == "error")
        #expect(try await fixture.holder() == nil)
        await fixture.server.stop()
    }

    @Test func `F-17: a state is for one connection, and is used once`() async throws {
        let fixture = try await FederationFixture.start(.person(), [.scripted(), .scripted("other")])
        let browser = fixture.server.browser()
        let handle = try await fixture.leave(browser)
        #expect(try await fixture.comeBack(browser, handle, to: "other").status == 400)
        #expect(try FederationFixture.hasCode(try await fixture.comeBack(browser, handle)))
        #expect(try await fixture.comeBack(browser, handle).status == 400)
        #expect(try await fixture.comeBack(browser, String(repeating: "a", count: 43)).status == 400)
        await fixture.server.stop()
    }

    @Test func `F-53: a provider that does not answer leaves words, nothing else, and can be tried again`() async throws
    {
        let fixture = try await FederationFixture.start()
        let browser = fixture.server.browser()
        let handle = try await fixture.leave(browser)
        fixture.provider.fails(ConnectionProblem(.unavailable, code: "timeout"))
        let page = try await fixture.comeBack(browser, handle)
        #expect(page.page == "login" && page.body.contains("answer right now"))
        #expect(try await fixture.server.account("jane@provider.example") == nil)
        fixture.provider.says(.person())
        #expect(try FederationFixture.hasCode(try await fixture.comeBack(browser, handle)))
        await fixture.server.stop()
    }

    @Test func `F-49: what a provider says about an error is on no page`() async throws {
        let fixture = try await FederationFixture.start()
        let browser = fixture.server.browser()
        let handle = try await fixture.leave(browser)
        fixture.provider.fails(ConnectionProblem(.denied, code: "access_denied"))
        let page = try await browser.open(
            "/federation/acme/callback?state=\(handle)&error=x&error_description=%3Cscript%3Ealert(1)%3C/script%3E")
        #expect(page.page == "login" && !page.body.contains("alert(1)") && page.body.contains("did not let you in"))
        await fixture.server.stop()
    }

    @Test func `F-54: of many first sign-ins of one identity comes one user`() async throws {
        let fixture = try await FederationFixture.start()
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    try FederationFixture.hasCode(try await fixture.pass(fixture.server.browser()))
                }
            }
            for try await hasCode in group { #expect(hasCode) }
        }
        let users = try await fixture.server.services.stores.users.accounts(after: nil, limit: 100)
        #expect(users.filter { $0.user.claims["name"] == "Jane Doe" }.count == 1)
        await fixture.server.stop()
    }

    @Test func `F-61, F-62: a disabled user and a connection that is switched off end the sign-in`() async throws {
        let fixture = try await FederationFixture.start()
        _ = try await fixture.pass(fixture.server.browser())
        let user = try #require(try await fixture.holder())
        _ = try await fixture.server.services.stores.users.change(user, at: fixture.server.clock.now) {
            $0.user.status = .disabled
        }
        let page = try await fixture.pass(fixture.server.browser())
        #expect(page.page == "login" && page.body.contains("This account can’t sign in."))
        await fixture.server.stop()
    }

    @Test func `F-36: a second factor is asked for, unless the operator trusts the provider's`() async throws {
        var connection = Connection.scripted()
        connection.strongContexts = ["https://refeds.org/profile/mfa"]
        let fixture = try await FederationFixture.start(.person(email: TestServer.username), [connection])
        _ = try await fixture.server.giveAuthenticator()
        let page = try await fixture.pass(fixture.server.browser())
        #expect(page.page == "second-factor" || page.page == "totp" || page.page == "code", "\(page.page ?? "none")")
        var strong = FederatedProfile.person(email: TestServer.username)
        strong.context = "https://refeds.org/profile/mfa"
        fixture.provider.says(strong)
        #expect(try FederationFixture.hasCode(try await fixture.pass(fixture.server.browser())))
        await fixture.server.stop()
    }

    @Test func `an answer by a form of the provider's site is taken without cookies, and judged with them`()
        async throws
    {
        let fixture = try await FederationFixture.start()
        let browser = fixture.server.browser()
        let handle = try await fixture.leave(browser)
        let foreign = fixture.server.browser()
        var form = FormParameters()
        form.append("state", handle)
        form.append("code", "code")
        let refused = try await foreign.post("/federation/acme/callback", form)
        #expect(refused.status == 400)
        #expect(try FederationFixture.hasCode(try await browser.post("/federation/acme/callback", form)))
        var junk = FormParameters()
        junk.append("state", String(repeating: "b", count: 43))
        #expect(try await browser.post("/federation/acme/callback", junk).status == 400)
        await fixture.server.stop()
    }
}
