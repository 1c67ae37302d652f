import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Synchronization
import Testing

@Suite("Journeys under attack")
struct JourneyAttackTests {
    @Test func `J-1: a provider's word does not lead past the journey`() async throws {
        let fixture = try await JourneyFixture.start([.profile, .withoutPassword])
        let browser = fixture.server.browser()
        let page = try await fixture.open("profile", browser)
        let gone = try await browser.open(
            "/federation/acme/start?transaction=\(fixture.server.transaction(of: page))")
        let back = try await browser.open(
            "/federation/acme/callback?state=\(try FederationFixture.handle(gone))&code=code")
        #expect(back.page == "journey-step", "\(back.url) \(back.body.prefix(3000))")
        #expect(browser.cookieJar["keyturn-session"] == nil)

        // A journey that takes other methods, and no new users, makes no account of the provider's user either.
        fixture.provider.says(.person("another", email: "unknown@provider.example"))
        let second = fixture.server.browser()
        let first = try await fixture.open("without-password", second)
        #expect(!first.body.contains("/federation/acme"))
        let leave = try await second.open(
            "/federation/acme/start?transaction=\(fixture.server.transaction(of: first))")
        let refused = try await second.open(
            "/federation/acme/callback?state=\(try FederationFixture.handle(leave))&code=code")
        #expect(refused.page == "login" && second.cookieJar["keyturn-session"] == nil)
        #expect(try await fixture.server.account("unknown@provider.example") == nil)
        await fixture.server.stop()
    }

    @Test func `J-2: a method that the journey does not accept leads nowhere, on each page that takes one`()
        async throws
    {
        let fixture = try await JourneyFixture.start([.withoutPassword])
        let server = fixture.server
        let browser = server.browser()
        let page = try await fixture.open("without-password", browser)
        #expect(!page.body.contains("type=\"password\"") && !page.body.contains("/login/reset"))
        let typed = try await fixture.passPassword(page, browser)
        #expect(typed.page == "login" && browser.cookieJar["keyturn-session"] == nil)
        // A new password proves the mailbox, which the journey accepts; it does not accept the sign-up.
        let signUp = try await browser.open("/signup?transaction=\(server.transaction(of: page))")
        #expect(signUp.page == "login")
        let posted = try await browser.post(
            "/signup",
            FormParameters([
                "transaction": server.transaction(of: page),
                "csrf": page.hiddenFields.first { $0.name == "csrf" }?.value ?? "", "name": "M",
                "identifier": "new@example.com", "action": "code",
            ]))
        #expect(posted.status == 400 || posted.status == 410, "\(posted.status)")
        #expect(try await server.account("new@example.com") == nil)
        await server.stop()
    }

    @Test func `J-3: no form leads past a step, and none counts twice or for another step`() async throws {
        let fixture = try await JourneyFixture.start([.profile])
        try await fixture.join(["north", "south"])
        let browser = fixture.server.browser()
        let about = try await fixture.passPassword(try await fixture.open("profile", browser), browser)
        // Forms of later steps, sent to this one.
        for fields in [["action": "accept"], ["tenant": "south"], ["action": "skip"], ["field-company": ""]] {
            var form = FormParameters()
            for field in about.hiddenFields { form.append(field.name, field.value) }
            for (name, value) in fields { form.append(name, value) }
            let screen = try await browser.post("/login/step", form)
            #expect(screen.page == "journey-step" && screen.body.contains("About your company"), "\(fields)")
        }
        #expect(try await fixture.server.account(TestServer.username)?.user.acceptances.isEmpty == true)
        let terms = try await browser.submit(
            about, ["field-company": "Acme", "field-birthdate": "1990-02-03", "field-size": ""])
        // The earlier page again: it leads to where the sign-in stands, and changes nothing that is filled in.
        let again = try await browser.submit(
            about, ["field-company": "Other", "field-birthdate": "1980-02-03", "field-size": ""])
        #expect(again.body.contains("Version 2"))
        #expect(try await fixture.server.account(TestServer.username)?.user.attributes["company"] == "Acme")
        let team = try await browser.submit(terms, ["action": "accept"])
        let foreign = try await browser.submit(team, ["tenant": "east"])
        #expect(foreign.body.contains("Team north"), "\(foreign.url) \(foreign.body.prefix(3000))")
        #expect(browser.cookieJar["keyturn-session"] == nil)
        await fixture.server.stop()
    }

    @Test func `J-4: a journey goes on in its own browser alone`() async throws {
        let fixture = try await JourneyFixture.start([.profile, .connected])
        let browser = fixture.server.browser()
        let about = try await fixture.passPassword(try await fixture.open("profile", browser), browser)
        let thief = fixture.server.browser()
        _ = try await fixture.server.loginPage(thief)
        let stolen = try await thief.open(about.url)
        #expect(stolen.page == "error")
        let posted = try await thief.submit(
            about, ["field-company": "Acme", "field-birthdate": "1990-02-03", "field-size": ""])
        #expect(posted.page == "error")
        #expect(try await fixture.server.account(TestServer.username)?.user.attributes.isEmpty == true)

        // F-15: another browser cannot finish the connection of an account.
        let owner = fixture.server.browser()
        let step = try await fixture.passPassword(try await fixture.open("connected", owner), owner)
        let handle = try FederationFixture.handle(try await owner.submit(step, ["connection": "acme"]))
        let foreign = try await thief.open("/federation/acme/callback?state=\(handle)&code=code")
        #expect(foreign.page == "error")
        let identities = try await fixture.server.services.stores.identities.identities(of: TestServer.subject)
        #expect(identities.isEmpty)
        await fixture.server.stop()
    }

    @Test func `J-5: two tabs that run one journey at the same time end in one account's state`() async throws {
        let fixture = try await JourneyFixture.start([.profile])
        let browser = fixture.server.browser()
        let about = try await fixture.passPassword(try await fixture.open("profile", browser), browser)
        async let one = browser.submit(
            about, ["field-company": "Acme", "field-birthdate": "1990-02-03", "field-size": ""])
        async let two = browser.submit(
            about, ["field-company": "Acme", "field-birthdate": "1990-02-03", "field-size": "4"])
        for screen in [try await one, try await two] {
            #expect(screen.body.contains("Version 2"))
            #expect(try FederationFixture.hasCode(try await browser.submit(screen, ["action": "accept"])))
        }
        await fixture.server.stop()
    }

    @Test func `J-6: a session revoked during the journey ends it`() async throws {
        let fixture = try await JourneyFixture.start([.profile])
        let browser = fixture.server.browser()
        let about = try await fixture.passPassword(try await fixture.open("profile", browser), browser)
        try await fixture.server.services.stores.passwords.set(
            "unusable", of: TestServer.subject, at: fixture.server.clock.now)
        let ended = try await browser.submit(
            about, ["field-company": "Acme", "field-birthdate": "1990-02-03", "field-size": ""])
        #expect(ended.page == "error" && browser.cookieJar["keyturn-session"] == nil)
        await fixture.server.stop()
    }

    @Test func `J-7: a call that was answered no is not asked again by going back`() async throws {
        let fixture = try await JourneyFixture.start([.checked])
        let browser = fixture.server.browser()
        fixture.service.answer.withLock { $0 = "bad" }
        let no = try await fixture.passPassword(try await fixture.open("checked", browser), browser)
        fixture.service.answer.withLock { $0 = "good" }
        let reloaded = try await browser.open(no.url)
        #expect(reloaded.page == "journey-step" && reloaded.body.contains("Ask your bank."))
        #expect(fixture.service.calls.withLock(\.count) == 1)
        await fixture.server.stop()
    }

    @Test func `J-7: calls about two users have two keys, also in one browser and one second`() async throws {
        let fixture = try await JourneyFixture.start([.checked])
        try await fixture.server.addBea()
        let browser = fixture.server.browser()
        fixture.service.answer.withLock { $0 = "bad" }
        let page = try await fixture.open("checked", browser)
        for name in [TestServer.username, "bea@example.com"] {
            _ = try await browser.submit(page, ["username": name, "password": TestServer.password])
        }
        let calls = fixture.service.calls.withLock(\.self)
        #expect(Set(calls.map(\.key)).count == 2 && Set(calls.compactMap { $0.body["sub"] }).count == 2)
        await fixture.server.stop()
    }
}
