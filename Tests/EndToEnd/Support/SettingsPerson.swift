import Identity
import Keyturn
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

/// A user in front of the server's pages, with an authenticator app and a device that keeps passkeys. Each opening is in a
/// browser that knows no user.
actor SettingsPerson: BrowserAgent {
    /// What the user does on one page.
    typealias Step =
        @Sendable (_ page: ScriptedBrowser.Screen, _ device: inout PasskeyDevice) async throws ->
        ScriptedBrowser.Screen

    private let server: TestServer
    private var device: PasskeyDevice
    private var hasPasskey = false
    private var authenticator: TOTPCode?
    private var steps: [Step] = []
    /// The page on which the user cancels, by its number; `nil`: on none.
    private var cancelsAt: Int?

    init(_ server: TestServer) {
        self.server = server
        device = PasskeyDevice(server)
    }

    /// Gives the user an authenticator app.
    func takeAuthenticator() async throws { authenticator = try await server.giveAuthenticator() }

    /// Gives the user a passkey.
    func takePasskey() async throws {
        var device = device
        try await server.givePasskey(on: &device)
        self.device = device
        hasPasskey = true
    }

    func plan(_ steps: [Step], cancelsAt number: Int? = nil) { (self.steps, cancelsAt) = (steps, number) }

    nonisolated func prepare(redirectURI: String) async throws(AuthError) -> any WebAuthenticationSession {
        Session(redirectURI: redirectURI, person: self)
    }

    struct Session: WebAuthenticationSession {
        let redirectURI: String
        let person: SettingsPerson

        func open(_ url: String, state: String) async throws(AuthError) -> String {
            do {
                return try await person.walk(url)
            } catch {
                throw AuthError(.protocolViolation, "the browser did not come back: \(error)")
            }
        }

        func close() async {}
    }

    /// Signs in where that is asked, and does what is planned.
    ///
    /// - Returns: where the browser was sent in the end.
    func walk(_ url: String) async throws -> String {
        var device = device.elsewhere(server)
        let opened = try await device.browser.open(String(url.trimmingPrefix(server.issuer)))
        var screen = try await signIn(opened, &device)
        for (number, step) in (opened.page == "login" ? [] : steps).enumerated() {
            if number == cancelsAt {
                screen = try await server.send(screen, in: device.browser, ["action": "deny"])
                break
            }
            screen = try await step(screen, &device)
        }
        self.device = device
        return try #require(screen.header("location"), "it ended on page \(screen.page ?? screen.url)")
    }

    private func signIn(_ page: ScriptedBrowser.Screen, _ device: inout PasskeyDevice) async throws
        -> ScriptedBrowser.Screen
    {
        guard page.page == "login" else { return page }
        guard !hasPasskey else { return try await device.press(page) }
        let screen = try await server.complete(page, in: device.browser)
        guard screen.page == "code", let authenticator else { return screen }
        return try await device.browser.submit(screen, ["code": authenticator.code(at: server.clock.now).exposed()])
    }
}
