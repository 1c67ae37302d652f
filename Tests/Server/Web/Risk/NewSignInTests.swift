import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

/// Which sign-ins are unusual, and which of them their user is told of.
@Suite("New sign-ins")
struct NewSignInTests {
    private static let countries: [(String, CountryFile.Value)] = [
        ("192.0.2.0", CountryFile.place("DE", 52.5, 13.4)), ("198.51.100.0", CountryFile.place("DE", 48.1, 11.6)),
        ("203.0.113.0", CountryFile.place("AU", -33.9, 151.2)),
    ]

    private func database() throws -> CountryDatabase {
        var file = CountryFile()
        for (network, value) in Self.countries { file.add(network, 24, value) }
        return try CountryDatabase(path: try file.write())
    }

    @Test func `a new device is told, a known one and the first are not`() async throws {
        let server = try await TestServer.startWithNotices()
        let (first, second) = (server.browser(), server.browser())
        try await server.enter(first)
        #expect(try await server.notices().isEmpty)
        #expect(try await server.newestSignIn() == ["pwd", "new_device"])
        try await server.enter(first)
        #expect(try await server.newestSignIn() == ["pwd", nil])
        #expect(try await server.notices().isEmpty)

        try await server.enter(
            second, userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")
        #expect(try await server.newestSignIn() == ["pwd", "new_device"])
        let notice = try #require(try await server.notices().first)
        #expect(notice.to == TestServer.username && notice.links.count == 1)
        #expect(notice.values[MessageValue.device] == "Firefox on Linux")
        #expect(notice.values[MessageValue.when]?.hasSuffix(" UTC") == true)
        #expect(notice.values[MessageValue.networkAddress] == "127.0.0.1")
        try await server.enter(second)
        try await server.enter(first)
        #expect(try await server.notices().count == 1)
        await server.stop()
    }

    @Test func `the mark of a device names no user, comes with a sign-in alone, and stays`() async throws {
        let server = try await TestServer.startWithNotices()
        let browser = server.browser()
        let page = try await server.loginPage(browser)
        #expect(browser.cookieJar["keyturn-device"] == nil)
        #expect(page.header("set-cookie")?.contains("device") == false)
        try await server.enter(browser)
        let mark = try #require(browser.cookieJar["keyturn-device"])
        #expect(mark.utf8.count == 43)
        try await server.enter(browser)
        #expect(browser.cookieJar["keyturn-device"] == mark)
        // A mark that no server made is as good as none.
        let forged = server.browser()
        forged.cookieJar = ["keyturn-device": "x"]
        try await server.enter(forged)
        #expect(try await server.newestSignIn() == ["pwd", "new_device"])
        #expect(forged.cookieJar["keyturn-device"]?.utf8.count == 43)
        await server.stop()
    }

    @Test func `a device that was not used for 400 days is new`() async throws {
        let server = try await TestServer.startWithNotices()
        let browser = server.browser()
        try await server.enter(browser)
        server.clock.advance(Limits.pastSignInSeconds - 1)
        try await server.enter(browser)
        #expect(try await server.newestSignIn() == ["pwd", nil])
        server.clock.advance(Limits.pastSignInSeconds)
        try await server.enter(browser)
        #expect(try await server.newestSignIn() == ["pwd", "new_device"])
        await server.stop()
    }

    @Test func `countries and travel come from the operator's file`() async throws {
        let server = try await TestServer.startWithNotices(countries: try database(), trustsForwarding: true)
        let browser = server.browser()
        try await server.enter(browser, from: "192.0.2.1")
        server.clock.advance(3_600)
        try await server.enter(browser, from: "198.51.100.1")
        #expect(try await server.newestSignIn() == ["pwd", nil], "500 km in an hour, within the country")
        server.clock.advance(3_600)
        try await server.enter(browser, from: "203.0.113.9")
        #expect(try await server.newestSignIn() == ["pwd", "impossible_travel new_country"])
        let notice = try #require(try await server.notices().first)
        #expect(notice.values[MessageValue.country] == "AU")
        server.clock.advance(86_400)
        try await server.enter(browser, from: "192.0.2.1")
        #expect(try await server.newestSignIn() == ["pwd", nil])
        #expect(try await server.notices().count == 1)
        let settings = try await browser.open("/settings/sessions")
        #expect(settings.body.contains("Germany"))
        await server.stop()
    }

    @Test func `without a file no country is new`() async throws {
        let server = try await TestServer.startWithNotices(trustsForwarding: true)
        let browser = server.browser()
        try await server.enter(browser, from: "192.0.2.1")
        try await server.enter(browser, from: "203.0.113.9")
        #expect(try await server.newestSignIn() == ["pwd", nil])
        await server.stop()
    }

    @Test func `an operator who wants no messages gets none, and the signals all the same`() async throws {
        let server = try await TestServer.start()
        for _ in 0..<2 { try await server.enter(server.browser()) }
        #expect(try await server.newestSignIn() == ["pwd", "new_device"])
        #expect(try await server.notices().isEmpty)
        await server.stop()
    }

    @Test func `a flood of new devices is told ten times a day`() async throws {
        let server = try await TestServer.startWithNotices()
        try await server.enter(server.browser())
        for _ in 0..<12 { try await server.enter(server.browser()) }
        #expect(try await server.notices().count == Int(Limits.noticesOfKindMax))
        await server.stop()
    }

    @Test func `failures before the right password are a signal from the sixth attempt on`() async throws {
        for (failures, signals) in [(4, []), (5, [.tooManyFailures])] as [(Int, Set<RiskSignal>)] {
            let server = try await TestServer.start()
            for _ in 0..<failures {
                _ = try await server.services.signIn.check(
                    loginID: TestServer.username, password: Secret("wrong"), from: NetworkAddress("192.0.2.1"))
            }
            let outcome = try await server.services.signIn.check(
                loginID: TestServer.username, password: Secret(TestServer.password), from: NetworkAddress("192.0.2.1"))
            guard case .recognised(_, let facts) = outcome else { throw TestFailure("\(outcome)") }
            #expect(facts.signals == signals, "\(failures)")
            await server.stop()
        }
    }

    @Test func `a session of an app is told by what its requests say`() async throws {
        let server = try await TestServer.startWithNotices()
        let account = try #require(try await server.account(TestServer.username))
        for (device, count) in [("Safari on iPhone", 0), ("Safari on iPhone", 0), ("Chrome on Android", 1)] {
            _ = try await server.services.sessions.open(
                ProvenIdentity(account: account, method: .email, isFirst: false), options: .none, presented: nil,
                from: NetworkAddress("192.0.2.1"), device: device)
            #expect(try await server.notices().count == count, "\(device)")
        }
        #expect(try await server.newestSignIn() == ["email", "new_device"])
        await server.stop()
    }

    @Test func `the settings mark another browser that is new`() async throws {
        let server = try await TestServer.startWithNotices()
        let (first, second) = (server.browser(), server.browser())
        try await server.enter(first)
        #expect(try await !first.open("/settings/sessions").body.contains("New device"))
        try await server.enter(second)
        #expect(try await first.open("/settings/sessions").body.contains("New device"))
        await server.stop()
    }

    private static let careful = Journey(
        name: "careful", isDefault: true,
        steps: [
            JourneyStep("who", .identify(allowsSignUp: true), next: "first"),
            JourneyStep("first", .prove(JourneyProof()), next: "second"),
            JourneyStep("second", .stepUp(JourneyProof([.totp])), when: .risk([.newDevice]), next: "end"),
            JourneyStep("end", .done),
        ])

    @Test func `a journey asks for a second factor on a new device, however often its page is loaded`() async throws {
        let server = try await TestServer.startWithNotices(journeys: [Self.careful])
        // The device is known before the journey is asked.
        let known = server.browser()
        let page = try await server.enter(known)
        #expect(page.page == "totp-setup")
        let account = try #require(try await server.account(TestServer.username))
        known.cookieJar["keyturn-device"] = String(repeating: "m", count: 43)
        try await server.services.risks.opened(
            by: account.user.id, nil,
            AuthenticationFacts(
                time: server.clock.now, methods: ["pwd", "otp", "mfa"],
                contextClass: AuthenticationFacts.severalFactorsClass),
            on: .browser(String(repeating: "m", count: 43)), from: .unknown, begun: server.clock.now,
            startedAt: server.clock.now)
        let done = try await server.enter(known)
        #expect(done.header("location")?.contains("code=") == true)

        let other = server.browser()
        let asked = try await server.enter(other)
        #expect(asked.page == "totp-setup")
        #expect(try await other.open(asked.url).page == "totp-setup")
        #expect(try await server.notices().isEmpty, "no session was opened")
        // Nor does another request of the same browser pass.
        #expect(try await server.enter(other).page == "totp-setup")
        await server.stop()
    }

    @Test func `a session that began on a new device does not complete the journey later`() async throws {
        let plain = Journey(
            name: "plain",
            steps: [JourneyStep("first", .prove(JourneyProof()), next: "end"), JourneyStep("end", .done)])
        let server = try await TestServer.startWithNotices(journeys: [Self.careful, plain])
        let browser = server.browser()
        let done = try await server.enter(browser) { $0.extra.append("journey", "plain") }
        #expect(done.header("location")?.contains("code=") == true)
        let next = try await server.loginPage(browser)
        #expect(next.page == "totp-setup")
        await server.stop()
    }
}
