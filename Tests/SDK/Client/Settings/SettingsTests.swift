import KeyturnBase
import Testing

@testable import Keyturn

@Suite("Settings, as an app opens them")
struct SettingsTests {
    /// A person who closes whatever is shown, and what was shown.
    private final class ClosingBrowser: BrowserAgent {
        let shown = Locked<[String]>([])

        func prepare(redirectURI: String) async throws(AuthError) -> any WebAuthenticationSession {
            Session(browser: self, redirectURI: redirectURI)
        }

        struct Session: WebAuthenticationSession {
            let browser: ClosingBrowser
            let redirectURI: String

            func open(_ url: String, state: String) async throws(AuthError) -> String {
                browser.shown.withLock { $0.append(url) }
                throw AuthError(.cancelled, "the sheet was closed")
            }

            func close() async {}
        }
    }

    private func signedIn(_ world: World, _ service: Service? = nil) async throws -> (Keyturn, ClosingBrowser) {
        let service = service ?? .keyturn(issuer: FakeService.issuer, clientID: FakeService.clientID, binding: .none)
        let first = Keyturn(
            service, storage: .custom(world.store), browser: FakeBrowser(service: world.service),
            transport: world.service, ambient: world.clock.ambient)
        try await first.authorize(redirectURI: World.redirectURI)
        let browser = ClosingBrowser()
        return (
            Keyturn(
                service, storage: .custom(world.store), browser: browser, transport: world.service,
                ambient: world.clock.ambient), browser
        )
    }

    @Test func `scenario 12: closing the settings is no error, closing an action is a cancel`() async throws {
        let world = try World()
        let (auth, browser) = try await signedIn(world)
        try await auth.settings.open()
        #expect(browser.shown.withLock { $0 } == [FakeService.issuer + "/settings"])
        await #expect(throws: AuthError(.cancelled, "")) {
            try await auth.settings.changePassword(redirectURI: World.redirectURI)
        }
        await #expect(throws: AuthError(.cancelled, "")) {
            try await auth.settings.deleteAccount(redirectURI: World.redirectURI)
        }
        #expect(try await auth.start().isSignedIn, "nothing was done")
        let sent = try #require(browser.shown.withLock { $0.last })
        #expect(sent.contains("x_settings_action=delete_account") && sent.contains("id_token_hint="))
    }

    @Test func `settings open in the language and the colours that the app asks for`() async throws {
        let world = try World()
        let (auth, browser) = try await signedIn(world)
        try await auth.settings.open(.sessions, uiLocales: ["de-AT", "en"], colorScheme: .dark)
        try await auth.settings.open(colorScheme: .light)
        #expect(
            browser.shown.withLock { $0 } == [
                FakeService.issuer + "/settings/sessions?ui_locales=de-AT%20en&x_color_scheme=dark",
                FakeService.issuer + "/settings?x_color_scheme=light",
            ])
    }

    @Test func `nobody is sent to settings that are not there, or to somebody else's`() async throws {
        let world = try World()
        let (auth, _) = try await signedIn(
            world, .openID(issuer: FakeService.issuer, clientID: FakeService.clientID))
        await #expect(throws: AuthError(.unsupported, "")) { try await auth.settings.open() }
        await #expect(throws: AuthError(.unsupported, "")) {
            try await auth.settings.changePassword(redirectURI: World.redirectURI)
        }
        let nobody = Keyturn(
            .keyturn(issuer: FakeService.issuer, clientID: FakeService.clientID), storage: .memory,
            transport: world.service, ambient: world.clock.ambient)
        await #expect(throws: AuthError(.signedOut, "")) { try await nobody.settings.open() }
    }
}
