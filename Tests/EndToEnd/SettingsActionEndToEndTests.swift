import Identity
import Keyturn
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("End to end: settings actions in two halves")
struct SettingsActionEndToEndTests {
    private let callback = "http://127.0.0.1:49152/callback"

    private func app(_ server: TestServer) async throws -> Keyturn {
        let auth = Keyturn(
            .keyturn(issuer: server.issuer, clientID: "tool", projectID: server.services.project.id),
            storage: .memory, browser: PersonAtBrowser(browser: server.browser()),
            transport: DatedTransport(server.clock), ambient: server.clock.ambient)
        try await auth.authorize(redirectURI: callback)
        return auth
    }

    /// Opens the page, and sends its form.
    private func answer(
        _ url: String, _ server: TestServer, _ fields: KeyValuePairs<String, String?>
    ) async throws -> String {
        let browser = server.browser()
        let screen = try await browser.open(url)
        guard screen.formAction != nil else { return try #require(screen.header("location")) }
        return try #require(try await server.send(screen, in: browser, fields).header("location"))
    }

    @Test func `a user name is added, and the second half counts once`() async throws {
        let server = try await TestServer.start(methodSettings: MethodSettings(offersUsernames: true))
        let auth = try await app(server)
        let url = try await auth.settings.start(
            .addUsername, redirectURI: callback, uiLocales: ["de"], colorScheme: .dark)
        #expect(url.contains("ui_locales=de") && url.contains("x_color_scheme=dark"))
        let back = try await answer(url, server, ["action": "add", "identifier": "andy-one"])
        let foreign = await #expect(throws: AuthError.self) {
            try await auth.settings.finish(.addEmail, callbackURL: back)
        }
        #expect(foreign?.code == .callbackMismatch)
        try await auth.settings.finish(.addUsername, callbackURL: back)
        let again = await #expect(throws: AuthError.self) {
            try await auth.settings.finish(.addUsername, callbackURL: back)
        }
        #expect(again?.code == .callbackMismatch)
        #expect(
            try await server.services.stores.users.account(
                Identifier(kind: .username, storedValue: "andy-one"))?.user.id == TestServer.subject)
        await server.stop()
    }

    @Test func `giving up is a cancel, and what is not offered is unsupported`() async throws {
        let server = try await TestServer.start()
        let auth = try await app(server)
        let url = try await auth.settings.start(.setUpAuthenticator, redirectURI: callback)
        let back = try await answer(url, server, ["action": "deny"])
        let cancelled = await #expect(throws: AuthError.self) {
            try await auth.settings.finish(.setUpAuthenticator, callbackURL: back)
        }
        #expect(cancelled?.code == .cancelled)
        let other = try await auth.settings.start(.linkProvider("acme"), redirectURI: callback)
        let refused = try await answer(other, server, [:])
        let unsupported = await #expect(throws: AuthError.self) {
            try await auth.settings.finish(.linkProvider("acme"), callbackURL: refused)
        }
        #expect(unsupported?.code == .unsupported)
        await server.stop()
    }
}
