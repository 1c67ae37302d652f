import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Synchronization
import Testing

@Suite("Journeys on the hosted pages")
struct JourneyPageTests {
    @Test func `attributes, terms and a tenant are asked for once, and end in the tokens`() async throws {
        let fixture = try await JourneyFixture.start([.profile])
        try await fixture.join(["north", "south"])
        let browser = fixture.server.browser()
        let proof = PKCE(ambient: .live)
        let about = try await fixture.passPassword(
            try await fixture.open("profile", browser, proof: proof), browser)
        #expect(about.page == "journey-step" && about.body.contains("About your company"))
        let wrong = try await browser.submit(
            about, ["field-company": "A", "field-birthdate": "2025-01-01", "field-size": "x"])
        #expect(wrong.status == 422 && wrong.hasProblem)
        #expect(wrong.body.contains("2 to 40 characters") && wrong.body.contains("at least 18 years"))
        #expect(try await fixture.server.account(TestServer.username)?.user.attributes.isEmpty == true)
        let terms = try await browser.submit(
            wrong, ["field-company": "Acme", "field-birthdate": "1990-02-03", "field-size": ""])
        #expect(terms.body.contains("https://example.com/terms") && terms.body.contains("Version 2"))
        let team = try await browser.submit(terms, ["action": "accept"])
        #expect(team.body.contains("Team north") && team.body.contains("Team south"))
        let done = try await browser.submit(team, ["tenant": "south"])
        let claims = try await fixture.server.claims(of: done, proof: proof)
        #expect(claims["acr"] == "urn:example:known" && claims["dct"] == "south" && claims["birthdate"] == nil)
        let account = try #require(try await fixture.server.account(TestServer.username))
        #expect(account.user.attributes == ["company": "Acme"] && account.user.claims["birthdate"] == "1990-02-03")
        #expect(account.user.acceptances["terms"]?.version == "2")

        // The next time the session leaves what is optional, and the tenant, which belongs to one sign-in.
        let size = try await fixture.open("profile", browser)
        #expect(size.body.contains("field-size") && !size.body.contains("field-company"))
        let again = try await browser.submit(size, ["action": "skip"])
        #expect(again.body.contains("Team north"))
        #expect(try FederationFixture.hasCode(try await browser.submit(again, ["tenant": "north"])))
        let silent = try await fixture.open("profile", browser, prompt: "none")
        #expect(try fixture.error(silent) == .loginRequired)
        await fixture.server.stop()
    }

    @Test func `a new version of a document is asked for again`() async throws {
        let fixture = try await JourneyFixture.start([.profile])
        let now = fixture.server.clock.now
        _ = try await fixture.server.services.stores.users.change(TestServer.subject, at: now) { account in
            account.user.attributes = ["company": "Acme", "size": 3]
            account.user.claims["birthdate"] = "1990-02-03"
            account.user.acceptances = ["terms": Acceptance(version: "1", at: now)]
        }
        let browser = fixture.server.browser()
        let terms = try await fixture.passPassword(try await fixture.open("profile", browser), browser)
        #expect(terms.body.contains("Version 2"))
        let cancelled = try await browser.submit(terms, ["action": "deny"])
        #expect(try fixture.error(cancelled) == .accessDenied)
        await fixture.server.stop()
    }

    @Test func `a payment asks a signed-in user for a fresh second factor`() async throws {
        let fixture = try await JourneyFixture.start([.payment])
        let authenticator = try await fixture.server.giveAuthenticator()
        let browser = fixture.server.browser()
        let second = try await fixture.server.complete(
            try await fixture.server.loginPage(browser), in: browser)
        let plain = try await browser.submit(
            second, ["code": authenticator.code(at: fixture.server.clock.now).exposed()])
        #expect(try FederationFixture.hasCode(plain))
        fixture.server.clock.advance(60)
        // The second factor is fresh enough.
        let proof = PKCE(ambient: .live)
        let fresh = try await fixture.open("payment", browser, proof: proof)
        #expect(try await fixture.server.claims(of: fresh, proof: proof)["acr"] == "urn:example:payment")
        fixture.server.clock.advance(300)
        let again = try await fixture.open("payment", browser)
        #expect(again.url.contains("/login/authenticator"))
        let done = try await browser.submit(
            again, ["code": authenticator.code(at: fixture.server.clock.now).exposed()])
        #expect(try FederationFixture.hasCode(done))
        await fixture.server.stop()
    }

    @Test func `an authenticator app is set up on the way, and recovery codes come at the end`() async throws {
        var steps = Journey.payment.steps
        steps.insert(
            JourneyStep(
                "terms", .accept(JourneyDocument(name: "terms", version: "1", uri: "https://example.com")), next: "end"),
            at: 2)
        steps[1] = JourneyStep("second", .stepUp(JourneyProof([.totp])), next: "terms")
        let fixture = try await JourneyFixture.start([Journey(name: "payment", steps: steps)])
        let browser = fixture.server.browser()
        let setup = try await fixture.passPassword(try await fixture.open("payment", browser), browser)
        #expect(setup.page == "totp-setup")
        let key = try #require(setup.body.split(separator: "class=\"key\"><code>").last?.prefix { $0 != "<" })
        let code = TOTPCode(try #require(TOTPSecret(typed: Secret(String(key))))).code(at: fixture.server.clock.now)
        let terms = try await browser.submit(setup, ["code": code.exposed()])
        #expect(terms.page == "journey-step" && browser.cookieJar["keyturn-session"] == nil)
        let codes = try await browser.submit(terms, ["action": "accept"])
        #expect(codes.page == "recovery-codes")
        #expect(try FederationFixture.hasCode(try await browser.submit(codes, ["action": "continue"])))
        await fixture.server.stop()
    }

    @Test func `a user whose domain has a provider is led there, whatever name was typed`() async throws {
        let fixture = try await JourneyFixture.start([.byDomain])
        let browser = fixture.server.browser()
        let who = try await fixture.open("by-domain", browser)
        #expect(!who.body.contains("type=\"password\""))
        let acme = try await browser.submit(who, ["username": "jane@example.com", "action": "identify"])
        #expect(acme.header("location")?.hasPrefix("https://provider.example/") == true)
        let own = try await browser.submit(who, ["username": "jo@home.example", "action": "identify"])
        #expect(own.page == "login" && own.body.contains("type=\"password\"") && !own.body.contains("/federation/"))
        // The name of another domain does not open the password to a user of the domain.
        let refused = try await fixture.passPassword(own, browser)
        #expect(refused.page == "login" && refused.hasProblem && refused.body.contains("/federation/acme/start"))
        #expect(browser.cookieJar["keyturn-session"] == nil)
        await fixture.server.stop()
    }

    @Test func `a service of the operator decides, and is told who asks`() async throws {
        let fixture = try await JourneyFixture.start([.checked])
        let browser = fixture.server.browser()
        let done = try await fixture.passPassword(try await fixture.open("checked", browser), browser)
        #expect(try FederationFixture.hasCode(done))
        let call = try #require(fixture.service.calls.withLock(\.self).first)
        #expect(call.body["sub"]?.stringValue == TestServer.subject.rawValue && call.body["step"] == "fraud")
        #expect(call.body["amr"] == ["pwd"] && call.body["client_id"] == "portal")
        for answer in ["bad", nil] {
            fixture.service.answer.withLock { $0 = answer }
            let other = fixture.server.browser()
            let no = try await fixture.passPassword(try await fixture.open("checked", other), other)
            #expect(no.page == "journey-step" && no.body.contains("Ask your bank."))
            #expect(other.cookieJar["keyturn-session"] == nil)
            #expect(try fixture.error(try await other.submit(no, ["action": "deny"])) == .accessDenied)
        }
        await fixture.server.stop()
    }

    @Test func `new users sign up first, connect an account or not, and users with an account are told`() async throws {
        let fixture = try await JourneyFixture.start([.newcomers])
        let browser = fixture.server.browser()
        let join = try await fixture.open("newcomers", browser)
        #expect(join.page == "signup" && !join.body.contains("type=\"password\"") && !join.body.contains("page=login"))
        let code = try await browser.submit(
            join, ["name": "New", "identifier": "new@example.com", "action": "code"])
        let text = try #require(try await fixture.server.message(to: "new@example.com").code)
        let connect = try await browser.submit(code, ["code": text])
        #expect(connect.page == "journey-step" && connect.body.contains("Connect Provider acme"))
        #expect(try FederationFixture.hasCode(try await browser.submit(connect, ["action": "skip"])))
        await fixture.server.stop()
    }

    @Test func `an account at a provider is connected on the way`() async throws {
        let fixture = try await JourneyFixture.start([.connected])
        let browser = fixture.server.browser()
        let connect = try await fixture.passPassword(try await fixture.open("connected", browser), browser)
        #expect(connect.page == "journey-step" && !connect.body.contains("value=\"skip\""))
        let gone = try await browser.submit(connect, ["connection": "acme"])
        let handle = try FederationFixture.handle(gone)
        let done = try await browser.open("/federation/acme/callback?state=\(handle)&code=code")
        #expect(try FederationFixture.hasCode(done))
        let identities = try await fixture.server.services.stores.identities.identities(of: TestServer.subject)
        #expect(identities.map(\.key.connectionID) == ["acme"])
        #expect(try FederationFixture.hasCode(try await fixture.open("connected", browser)))
        await fixture.server.stop()
    }

    @Test func `J-9: an account with a passkey is connected by the passkey alone`() async throws {
        let fixture = try await JourneyFixture.start([.connected], issuer: "http://localhost:8080")
        var device = PasskeyDevice(fixture.server)
        try await fixture.server.givePasskey(on: &device)
        let page = try await fixture.open("connected", device.browser)
        let asked = try await fixture.passPassword(page, device.browser)
        #expect(asked.page == "methods", "not \(asked.page ?? "none")")
        let connect = try await device.press(asked)
        #expect(connect.page == "journey-step")
        let gone = try await device.browser.submit(connect, ["connection": "acme"])
        let handle = try FederationFixture.handle(gone)
        let done = try await device.browser.open("/federation/acme/callback?state=\(handle)&code=code")
        #expect(try FederationFixture.hasCode(done))
        await fixture.server.stop()
    }

    @Test func `a journey is chosen by name, by its class, or by default, where it is open to the client`() async throws
    {
        let mine = Journey(
            name: "mine", contextClass: "urn:example:mine", clients: ["portal"], steps: Journey.checked.steps)
        let rest = Journey(name: "rest", isDefault: true, steps: Journey.withoutPassword.steps)
        let other = Journey(name: "others", clients: ["other"], steps: Journey.checked.steps)
        let fixture = try await JourneyFixture.start([mine, rest, other])
        let server = fixture.server
        #expect(try await !server.loginPage(server.browser()).body.contains("type=\"password\""))
        let byClass = try await server.loginPage(server.browser()) { $0.acrValues = "unknown urn:example:mine" }
        #expect(byClass.body.contains("type=\"password\""))
        for name in ["others", "standard", "unknown"] {
            #expect(try fixture.error(try await fixture.open(name, server.browser())) == .invalidRequest, "\(name)")
        }
        let group = try await server.loginPage(server.browser()) {
            $0.extra.append("x_authentication_flow_group", "mine")
        }
        #expect(group.body.contains("type=\"password\""))
        let browser = server.browser()
        let essential = try await server.loginPage(browser) {
            $0.claims = "{\"id_token\":{\"acr\":{\"essential\":true,\"values\":[\"urn:example:mine\"]}}}"
        }
        #expect(try FederationFixture.hasCode(try await fixture.passPassword(essential, browser)))
        await server.stop()
    }
}
