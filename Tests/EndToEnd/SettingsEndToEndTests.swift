import Identity
import Keyturn
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("End to end: a person changes their account for an app that waits")
struct SettingsEndToEndTests {
    private let callback = "http://127.0.0.1:49152/callback"

    /// Somebody who does what the settings page asks for, after signing in where that is asked.
    private struct Decisive: BrowserAgent {
        let browser: ScriptedBrowser
        let fields: [(String, String)]

        func prepare(redirectURI: String) async throws(AuthError) -> any WebAuthenticationSession {
            Session(redirectURI: redirectURI, person: self)
        }

        struct Session: WebAuthenticationSession {
            let redirectURI: String
            let person: Decisive

            func open(_ url: String, state: String) async throws(AuthError) -> String {
                do {
                    var screen = try await person.browser.open(url)
                    if screen.page == "login" {
                        screen = try await person.browser.submit(
                            screen, ["username": TestServer.username, "password": TestServer.password])
                    }
                    if screen.page?.hasPrefix("settings") == true {
                        var form = FormParameters()
                        for field in screen.hiddenFields { form.append(field.name, field.value) }
                        for (name, value) in person.fields { form.append(name, value) }
                        screen = try await person.browser.post(screen.formAction ?? screen.url, form)
                    }
                    guard let location = screen.header("location") else { throw TestFailure("\(screen.page ?? "")") }
                    return location
                } catch {
                    throw AuthError(.cancelled, "the browser did not come back: \(error)")
                }
            }

            func close() async {}
        }
    }

    private func app(_ server: TestServer, _ fields: [(String, String)]) async throws -> Keyturn {
        let auth = Keyturn(
            .keyturn(issuer: server.issuer, clientID: "tool"), storage: .memory,
            browser: Decisive(browser: server.browser(), fields: fields), transport: DatedTransport(server.clock),
            ambient: server.clock.ambient)
        try await auth.start()
        try await auth.authorize(redirectURI: callback)
        return auth
    }

    @Test func `a password is changed, and the session goes on`() async throws {
        let server = try await TestServer.start()
        let auth = try await app(
            server, [("current_password", TestServer.password), ("password", "a-longer-and-better-one")])
        try await auth.settings.changePassword(redirectURI: callback)
        let signedIn = try await server.services.signIn.check(
            loginID: TestServer.username, password: Secret("a-longer-and-better-one"), from: nil)
        guard case .recognised = signedIn else { throw TestFailure("the new password is not good: \(signedIn)") }
        #expect(await auth.state.isSignedIn)
        await server.stop()
    }

    @Test func `an account is deleted, and nobody is signed in any more`() async throws {
        let server = try await TestServer.start()
        let auth = try await app(server, [("action", "delete"), ("confirm", "true")])
        try await auth.settings.deleteAccount(redirectURI: callback)
        #expect(await auth.state == .signedOut)
        #expect(try await server.services.stores.users.account(TestServer.subject) == nil)
        await server.stop()
    }

    /// Somebody who adds an address, reads the mail that arrives there, and types its code.
    private func verify(
        _ address: String, _ url: String, _ server: TestServer, _ browser: ScriptedBrowser
    ) async throws -> String {
        var screen = try await browser.open(url)
        if screen.page == "login" {
            screen = try await browser.submit(
                screen, ["username": TestServer.username, "password": TestServer.password])
        }
        screen = try await server.send(screen, in: browser, ["action": "add", "identifier": address])
        let message = try await server.services.messages.newest(limit: 10).map(\.message).last { $0.to == address }
        let code = try #require(message?.code)
        screen = try await server.send(screen, in: browser, ["code": code])
        return try #require(screen.header("location"), "\(screen.page ?? "")")
    }

    @Test func `an address is verified in two halves, and UserInfo knows it`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        let auth = Keyturn(
            .keyturn(issuer: server.issuer, clientID: "tool"), storage: .memory,
            browser: PersonAtBrowser(browser: browser), transport: DatedTransport(server.clock),
            ambient: server.clock.ambient)
        try await auth.authorize(redirectURI: callback)
        let url = try await auth.settings.startVerifyingEmail(redirectURI: callback, uiLocales: ["de"])
        let back = try await verify("ann@example.org", url, server, browser)
        await #expect(throws: AuthError(.callbackMismatch, "")) {
            try await auth.settings.finishChangingPassword(callbackURL: back)
        }
        try await auth.settings.finishVerifyingEmail(callbackURL: back)
        let account = try await server.services.stores.users.account(TestServer.subject)
        let address = try #require(Identifier(loginID: "ann@example.org"))
        #expect(account?.identifiers[address] == .verified)
        #expect(await auth.state.isSignedIn)
        await server.stop()
    }
}
