import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("How long ago a user authenticated at a provider")
struct AuthenticationAgeTests {
    private static func profile(_ seconds: Int64?, _ fixture: FederationFixture) -> FederatedProfile {
        var profile = FederatedProfile.person()
        profile.authenticatedAt = seconds.map { fixture.server.clock.now + -$0 }
        return profile
    }

    private static func leave(
        _ fixture: FederationFixture, _ browser: ScriptedBrowser, _ change: (inout AuthorizationRequest) -> Void
    ) async throws -> ScriptedBrowser.Screen {
        let page = try await fixture.server.loginPage(browser, change)
        return try await browser.open("/federation/acme/start?transaction=\(fixture.server.transaction(of: page))")
    }

    @Test func `max_age is passed on, and only prompt=login and max_age=0 force a sign-in`() async throws {
        let fixture = try await FederationFixture.start()
        for (maxAge, prompt, forced) in [
            ("86400", nil, false), ("1", nil, false), ("0", nil, true), (nil, "login", true), ("60", "login", true),
        ] as [(String?, String?, Bool)] {
            let gone = try await Self.leave(fixture, fixture.server.browser()) {
                $0.maxAge = maxAge
                $0.prompt = prompt
            }
            let address = try #require(gone.header("location"))
            #expect(address.contains("forced=\(forced)"), "\(address)")
            #expect(maxAge.map { address.contains("max_age=\($0)") } ?? !address.contains("max_age"), "\(address)")
        }
        await fixture.server.stop()
    }

    @Test func `a session of the provider within max_age is enough, and its age is ours`() async throws {
        let fixture = try await FederationFixture.start()
        let browser = fixture.server.browser()
        let gone = try await Self.leave(fixture, browser) { $0.maxAge = "86400" }
        fixture.provider.says(Self.profile(600, fixture))
        let end = try await fixture.comeBack(browser, try FederationFixture.handle(gone))
        #expect(try FederationFixture.hasCode(end))
        let user = try #require(try await fixture.holder())
        let sessions = try await fixture.server.services.stores.sessions.sessions(
            of: user, limit: 10, at: fixture.server.clock.now)
        #expect(sessions.map(\.session.authentication.time) == [fixture.server.clock.now + -600])
        await fixture.server.stop()
    }

    @Test func `F-37: a provider with an older session is told to ask the user, once`() async throws {
        let fixture = try await FederationFixture.start()
        let browser = fixture.server.browser()
        let gone = try await Self.leave(fixture, browser) { $0.maxAge = "300" }
        fixture.provider.says(Self.profile(3_600, fixture))
        let again = try await fixture.comeBack(browser, try FederationFixture.handle(gone))
        #expect(again.header("location")?.contains("forced=true&max_age=300") == true)
        let refused = try await fixture.comeBack(browser, try FederationFixture.handle(again))
        #expect(refused.page == "login" && refused.body.contains("did not ask you to sign in again"))
        fixture.provider.says(Self.profile(2, fixture))
        let third = try await Self.leave(fixture, browser) { $0.maxAge = "0" }
        let end = try await fixture.comeBack(browser, try FederationFixture.handle(third))
        #expect(try FederationFixture.hasCode(end))
        await fixture.server.stop()
    }

    @Test func `where max_age is asked for, a provider that does not say a possible time does not count`() async throws
    {
        for seconds in [nil, -3_600] as [Int64?] {
            let fixture = try await FederationFixture.start()
            let browser = fixture.server.browser()
            let gone = try await Self.leave(fixture, browser) { $0.maxAge = "300" }
            fixture.provider.says(Self.profile(seconds, fixture))
            let refused = try await fixture.comeBack(browser, try FederationFixture.handle(gone))
            #expect(refused.page == "login" && refused.body.contains("did not ask you to sign in again"))
            await fixture.server.stop()
        }
    }

    @Test func `the time of a session is never in the future, and never before time began`() {
        let now = UnixTime(rawValue: 1_000)
        let facts = AuthenticationFacts.password(at: now)
        for (told, time) in [(nil, 1_000), (2_000, 1_000), (1_000, 1_000), (400, 400), (-7, 0)] as [(Int64?, Int64)] {
            #expect(facts.noLater(than: told.map(UnixTime.init(rawValue:))).time.rawValue == time)
        }
    }

    @Test func `a second factor after an old session at the provider makes the sign-in complete, and not newer`()
        async throws
    {
        let fixture = try await FederationFixture.start(.person(email: TestServer.username))
        let authenticator = try await fixture.server.giveAuthenticator()
        var old = FederatedProfile.person(email: TestServer.username)
        old.authenticatedAt = fixture.server.clock.now + -7_200
        fixture.provider.says(old)
        let browser = fixture.server.browser()
        let page = try await fixture.pass(browser)
        let done = try await browser.submit(page, ["code": authenticator.code(at: fixture.server.clock.now).exposed()])
        #expect(try FederationFixture.hasCode(done), "\(done.page ?? "none")")
        let sessions = try await fixture.server.services.stores.sessions.sessions(
            of: TestServer.subject, limit: 10, at: fixture.server.clock.now)
        #expect(sessions.map(\.session.authentication.time) == [fixture.server.clock.now + -7_200])
        #expect(sessions.allSatisfy { $0.session.authentication.methods.contains("mfa") })
        await fixture.server.stop()
    }

    @Test func `settings that hurt ask for a sign-in that is recent at the provider`() async throws {
        let fixture = try await FederationFixture.start()
        let browser = fixture.server.browser()
        fixture.provider.says(Self.profile(3_600, fixture))
        #expect(try FederationFixture.hasCode(try await fixture.pass(browser)))
        let user = try #require(try await fixture.holder())
        let session = try #require(
            try await fixture.server.services.stores.sessions.sessions(
                of: user, limit: 1, at: fixture.server.clock.now
            ).first)
        #expect(!session.session.authentication.mayChangeSignIn(at: fixture.server.clock.now))
        await fixture.server.stop()
    }
}
