import Identity
import Keyturn
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Synchronization
import Testing

@Suite("End to end: pages of the settings open in the app's session")
struct AppSessionEndToEndTests {
    private let callback = "http://127.0.0.1:49152/callback"

    /// A sheet with an empty browser each time, whose user never signs in. It fills in the form of the page, or closes.
    private final class EmptySheet: BrowserAgent {
        let server: TestServer
        let fields: [(String, String)]
        let pages = Mutex<[String]>([])

        init(_ server: TestServer, _ fields: [(String, String)] = []) {
            self.server = server
            self.fields = fields
        }

        func prepare(redirectURI: String) async throws(AuthError) -> any WebAuthenticationSession {
            Session(redirectURI: redirectURI, sheet: self)
        }

        struct Session: WebAuthenticationSession {
            let redirectURI: String
            let sheet: EmptySheet

            func open(_ url: String, state: String) async throws(AuthError) -> String {
                do {
                    let browser = sheet.server.browser()
                    let screen = try await browser.open(url)
                    sheet.pages.withLock { $0.append(screen.page ?? screen.url) }
                    guard !sheet.fields.isEmpty, screen.page != "login" else { throw TestFailure("closed") }
                    var form = FormParameters()
                    for field in screen.hiddenFields { form.append(field.name, field.value) }
                    for (name, value) in sheet.fields { form.append(name, value) }
                    let done = try await browser.post(screen.formAction ?? screen.url, form)
                    return try #require(done.header("location"), "\(done.page ?? "")")
                } catch {
                    throw AuthError(.cancelled, "\(error)")
                }
            }

            func close() async {}
        }
    }

    private func app(_ server: TestServer, _ browser: any BrowserAgent, _ store: MemoryStore) -> Keyturn {
        Keyturn(
            .keyturn(issuer: server.issuer, clientID: "tool", projectID: server.services.project.id),
            storage: .custom(store), browser: browser, transport: DatedTransport(server.clock),
            ambient: server.clock.ambient)
    }

    @Test func `after a sign-in in a sheet that kept nothing`() async throws {
        let server = try await TestServer.start()
        let store = MemoryStore()
        try await app(server, PersonAtBrowser(browser: server.browser()), store).authorize(redirectURI: callback)
        let sheet = EmptySheet(server)
        let auth = app(server, sheet, store)
        try await auth.settings.open()
        try await auth.settings.open(.sessions)
        #expect(sheet.pages.withLock { $0 } == ["settings", "settings-sessions"])
        let change = EmptySheet(
            server,
            [
                ("current_password", TestServer.password), ("password", "a-longer-and-better-one"),
                ("end_others", "true"),
            ])
        let changing = app(server, change, store)
        try await changing.settings.changePassword(redirectURI: callback)
        #expect(change.pages.withLock { $0 } == ["settings-password"])
        server.clock.advance(3_600)
        _ = try await changing.accessToken()
        await server.stop()
    }

    @Test func `after a sign-in by a method, whose session has no ID token`() async throws {
        let server = try await TestServer.start()
        let sheet = EmptySheet(server, [("action", "delete"), ("confirm", "true")])
        let auth = app(server, sheet, MemoryStore())
        _ = try await auth.password.signIn(loginId: TestServer.username, password: TestServer.password)
        try await auth.settings.deleteAccount(redirectURI: callback)
        #expect(sheet.pages.withLock { $0 } == ["settings-delete"])
        #expect(await auth.state == .signedOut)
        #expect(try await server.services.stores.users.account(TestServer.subject) == nil)
        await server.stop()
    }

    @Test func `a client that is not the operator's own has the user sign in there`() async throws {
        let client = TestClients.make("guest", method: "none", secret: nil, native: true)
        let server = try await TestServer.start(clients: [client])
        let store = MemoryStore()
        func guest(_ browser: any BrowserAgent) -> Keyturn {
            Keyturn(
                .keyturn(issuer: server.issuer, clientID: "guest"), storage: .custom(store), browser: browser,
                transport: DatedTransport(server.clock), ambient: server.clock.ambient)
        }
        try await guest(PersonAtBrowser(browser: server.browser())).authorize(redirectURI: callback)
        let sheet = EmptySheet(server)
        try await guest(sheet).settings.open()
        #expect(sheet.pages.withLock { $0 } == ["login"])
        await server.stop()
    }
}
