import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

/// A sign-in that takes no careful journey makes none of its signals go away.
@Suite("Trusted sign-ins")
struct TrustedSignInTests {
    private static func careful(_ signals: Set<RiskSignal>) -> Journey {
        Journey(
            name: "careful", isDefault: true,
            steps: [
                JourneyStep("first", .prove(JourneyProof()), next: "second"),
                JourneyStep("second", .stepUp(JourneyProof([.totp])), when: .risk(signals), next: "end"),
                JourneyStep("end", .done),
            ])
    }

    private static let plain = Journey(
        name: "plain", steps: [JourneyStep("first", .prove(JourneyProof()), next: "end"), JourneyStep("end", .done)])

    /// A server whose user has signed in before, with the password alone.
    private func start(_ journeys: [Journey], countries: CountryDatabase? = nil) async throws -> (
        TestServer, ScriptedBrowser
    ) {
        let server = try await TestServer.startWithNotices(
            countries: countries, journeys: journeys, trustsForwarding: true)
        let owner = server.browser()
        try await server.enter(owner, from: "192.0.2.1") { $0.extra.append("journey", "plain") }
        #expect(owner.cookieJar["keyturn-session"] != nil)
        server.clock.advance(86_400)
        return (server, owner)
    }

    @Test func `the password alone does not make a device known to a journey`() async throws {
        let (server, owner) = try await start([Self.careful([.newDevice]), Self.plain])
        let thief = server.browser()
        for _ in 0..<2 {
            #expect(try await server.visit("/settings", in: thief).page == "settings")
            thief.cookieJar["keyturn-session"] = nil
        }
        #expect(try await server.enter(thief).page == "totp-setup")
        #expect(try await server.notices().count == 1, "a message is sent once")
        // The first sign-in of all had nothing to be compared with.
        #expect(try await server.enter(owner).header("location")?.contains("code=") == true)
        await server.stop()
    }

    @Test func `the second factor makes a device known to a journey`() async throws {
        let (server, _) = try await start([Self.careful([.newDevice]), Self.plain])
        let authenticator = try await server.giveAuthenticator()
        let phone = server.browser()
        let asked = try await server.enter(phone)
        #expect(asked.page == "code")
        _ = try await phone.submit(asked, ["code": authenticator.code(at: server.clock.now).exposed()])
        #expect(try await server.newestSignIn().last == "new_device")
        server.clock.advance(31)
        let again = try await server.enter(phone)
        _ = try await phone.submit(again, ["code": authenticator.code(at: server.clock.now).exposed()])
        #expect(try await server.newestSignIn().last == .some(nil))
        await server.stop()
    }

    @Test func `neither pages nor the methods make a country known to a journey with one factor`() async throws {
        var file = CountryFile()
        file.add("192.0.2.0", 24, CountryFile.place("DE", 52.5, 13.4))
        file.add("203.0.113.0", 24, CountryFile.place("AU", -33.9, 151.2))
        let (server, owner) = try await start(
            [Self.careful([.newCountry]), Self.plain], countries: try CountryDatabase(path: try file.write()))
        let account = try #require(try await server.account(TestServer.username))
        for _ in 0...Limits.pastSignInsMax {
            server.clock.advance(1)
            _ = try await server.services.sessions.open(
                ProvenIdentity(account: account, method: .password, isFirst: false), options: .none, presented: nil,
                from: NetworkAddress("203.0.113.9"), device: "Thing \(server.clock.now.rawValue)")
        }
        let thief = server.browser()
        try await server.enter(thief, from: "203.0.113.9") { $0.extra.append("journey", "plain") }
        #expect(thief.cookieJar["keyturn-session"] != nil)
        #expect(try await server.enter(server.browser(), from: "203.0.113.9").page == "totp-setup")
        let home = try await server.enter(owner, from: "192.0.2.1")
        #expect(home.header("location")?.contains("code=") == true)
        await server.stop()
    }
}
