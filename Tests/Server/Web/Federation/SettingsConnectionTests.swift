import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("Connected accounts in the settings")
struct SettingsConnectionTests {
    /// A signed-in browser at the page.
    private static func open(_ fixture: FederationFixture) async throws -> (ScriptedBrowser, ScriptedBrowser.Screen) {
        let browser = fixture.server.browser()
        let login = try await browser.open("/settings/connections")
        let page = try await fixture.server.complete(login, in: browser)
        return (browser, page)
    }

    private static func link(_ fixture: FederationFixture, _ browser: ScriptedBrowser, _ page: ScriptedBrowser.Screen)
        async throws -> ScriptedBrowser.Screen
    {
        try await browser.submit(page, ["action": "link"])
    }

    @Test func `a user connects an account and disconnects it`() async throws {
        let fixture = try await FederationFixture.start()
        let (browser, page) = try await Self.open(fixture)
        #expect(page.page == "settings-connections" && page.body.contains("Connect Provider acme"))
        let gone = try await Self.link(fixture, browser, page)
        #expect(gone.page == "departure")
        let linked = try await fixture.comeBack(browser, try FederationFixture.handle(gone))
        #expect(linked.page == "settings-connections" && linked.body.contains("The account is connected."))
        #expect(try await fixture.holder() == TestServer.subject)
        let removed = try await browser.submit(linked, ["action": "unlink"])
        #expect(removed.body.contains("The account is disconnected."))
        #expect(try await fixture.holder() == nil)
        await fixture.server.stop()
    }

    @Test func `F-15: the callback of a linking does nothing in another browser or session`() async throws {
        let fixture = try await FederationFixture.start()
        let (browser, page) = try await Self.open(fixture)
        let handle = try FederationFixture.handle(try await Self.link(fixture, browser, page))
        let (victim, _) = try await Self.open(fixture)
        #expect(try await fixture.comeBack(victim, handle).status == 400)
        let cookies = browser.cookieJar
        browser.cookieJar = cookies.filter { !$0.key.hasSuffix("-session") }
        let back = try await fixture.comeBack(browser, handle)
        #expect(back.page != "settings-connections")
        #expect(try await fixture.holder() == nil)
        await fixture.server.stop()
    }

    @Test func `F-44: the last way in is not disconnected`() async throws {
        let provider = ScriptedProvider(.person(email: nil))
        let server = try await TestServer.start(
            channels: [], connections: [.scripted()], protocols: ConnectionProtocols(openID: provider))
        let fixture = FederationFixture(server: server, provider: provider)
        let browser = server.browser()
        #expect(try FederationFixture.hasCode(try await fixture.pass(browser)))
        let page = try await browser.open("/settings/connections")
        #expect(page.page == "settings-connections")
        let refused = try await browser.submit(page, ["action": "unlink"])
        #expect(refused.status == 422 && refused.body.contains("only way to sign in"))
        #expect(try await fixture.holder() != nil)
        await server.stop()
    }

    @Test func `F-45: an identity that was disconnected is not linked again by its address`() async throws {
        let fixture = try await FederationFixture.start(.person(email: TestServer.username))
        #expect(try FederationFixture.hasCode(try await fixture.pass(fixture.server.browser())))
        #expect(try await fixture.holder() == TestServer.subject)
        let (browser, page) = try await Self.open(fixture)
        #expect(try await browser.submit(page, ["action": "unlink"]).body.contains("is disconnected"))
        let again = try await fixture.pass(fixture.server.browser())
        #expect(again.page == "login")
        #expect(try await fixture.holder() == nil)
        await fixture.server.stop()
    }

    @Test func `an identity of another user is refused with words`() async throws {
        let fixture = try await FederationFixture.start()
        _ = try await fixture.pass(fixture.server.browser())
        let owner = try await fixture.holder()
        let (browser, page) = try await Self.open(fixture)
        let gone = try await Self.link(fixture, browser, page)
        let refused = try await fixture.comeBack(browser, try FederationFixture.handle(gone))
        #expect(refused.body.contains("is linked to another user here"))
        #expect(try await fixture.holder() == owner)
        await fixture.server.stop()
    }
}
