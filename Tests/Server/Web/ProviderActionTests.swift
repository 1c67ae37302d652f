import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("Settings actions: accounts at providers")
struct ProviderActionTests {
    private static let alias = [(SettingsAction.providerParameter, "acme")]

    @Test func `an account is connected and disconnected in an app's session`() async throws {
        let fixture = try await FederationFixture.start()
        let server = fixture.server
        let action = ActionRequest(server: server, browser: server.browser())
        let page = try await action.openInApp("link_oauth", Self.alias)
        #expect(page.page == "settings-connections", "\(page.page ?? page.url)")
        let gone = try await server.send(page, in: action.browser, ["action": "link", "id": "acme"])
        #expect(gone.page == "departure")
        #expect(action.browser.cookieJar["keyturn-session"] == nil, "the app's session alone")
        let done = try await fixture.comeBack(action.browser, try FederationFixture.handle(gone))
        #expect(try ActionRequest.isDone(done), "\(done.page ?? done.url)")
        #expect(try await fixture.holder() == TestServer.subject)

        let list = try await action.openInApp("unlink_oauth", Self.alias)
        #expect(list.page == "settings-connections")
        #expect(
            try ActionRequest.isDone(
                try await server.send(
                    list, in: action.browser, ["action": "unlink", "id": list.hidden("id").first])))
        #expect(try await fixture.holder() == nil)
        await server.stop()
    }

    @Test func `F-15: the callback of a linking counts for its browser, session and action alone`() async throws {
        let fixture = try await FederationFixture.start()
        let server = fixture.server
        let action = ActionRequest(server: server, browser: server.browser())
        let page = try await action.openInApp("link_oauth", Self.alias)
        let gone = try await server.send(page, in: action.browser, ["action": "link", "id": "acme"])
        let handle = try FederationFixture.handle(gone)
        // In another browser.
        let other = ActionRequest(server: server, browser: server.browser())
        _ = try await other.openInApp("link_oauth", Self.alias)
        #expect(try await fixture.comeBack(other.browser, handle).status == 400)
        let direct = try await other.browser.open(
            "/settings/connections/acme/callback?state=\(handle)&code=code")
        #expect(direct.status == 400)
        // In the same browser, in another session of the same user.
        let before = action.browser.cookieJar
        let again = try await action.openInApp("link_oauth", Self.alias)
        #expect(again.page == "settings-connections")
        let back = try await fixture.comeBack(action.browser, handle)
        #expect(try !ActionRequest.isDone(back))
        #expect(try await fixture.holder() == nil)
        action.browser.cookieJar = before
        #expect(try await !ActionRequest.isDone(fixture.comeBack(action.browser, handle)), "the state counts once")
        #expect(try await fixture.holder() == nil)
        await server.stop()
    }

    @Test func `a user who declines at the provider can give up, which the app hears`() async throws {
        let fixture = try await FederationFixture.start()
        let action = ActionRequest(server: fixture.server, browser: fixture.server.browser())
        let server = fixture.server
        let page = try await action.openInApp("link_oauth", Self.alias)
        let gone = try await server.send(page, in: action.browser, ["action": "link", "id": "acme"])
        let handle = try FederationFixture.handle(gone)
        fixture.provider.fails(ConnectionProblem(.cancelled, code: "access_denied"))
        let back = try await fixture.comeBack(action.browser, handle)
        #expect(back.page == "settings-connections" && back.hasProblem)
        let cancel = try await fixture.server.send(back, in: action.browser, ["action": "deny"])
        #expect(try ActionRequest.error(cancel) == "cancel")
        await fixture.server.stop()
    }

    @Test func `an account of another user is refused with words, and the app still waits`() async throws {
        let fixture = try await FederationFixture.start()
        _ = try await fixture.pass(fixture.server.browser())
        let owner = try await fixture.holder()
        let action = ActionRequest(server: fixture.server, browser: fixture.server.browser())
        let server = fixture.server
        let page = try await action.openInApp("link_oauth", Self.alias)
        let gone = try await server.send(page, in: action.browser, ["action": "link", "id": "acme"])
        let handle = try FederationFixture.handle(gone)
        let refused = try await fixture.comeBack(action.browser, handle)
        #expect(refused.page == "settings-connections" && refused.hasProblem)
        #expect(try await fixture.holder() == owner && owner != TestServer.subject)
        let cancel = try await fixture.server.send(refused, in: action.browser, ["action": "deny"])
        #expect(try ActionRequest.error(cancel) == "cancel")
        await fixture.server.stop()
    }
}
