package import Keyturn
package import KeyturnBase

/// A person in front of a browser: types a name and a password, agrees, and is sent back to the app.
package struct PersonAtBrowser: BrowserAgent {
    /// What the person does on the sign-in page.
    package enum Conduct: Sendable {
        case signsIn
        case mistypesFirst
        case givesUp
        /// Types nothing, and goes on where a press is enough.
        case typesNothing
    }

    let browser: ScriptedBrowser
    package var conduct: Conduct
    var username: String
    var password: String
    /// What the person types where a second factor is asked for: the authenticator is lost.
    package var recoveryCode: String?

    package init(
        browser: ScriptedBrowser, conduct: Conduct = .signsIn, username: String = TestServer.username,
        password: String = TestServer.password, recoveryCode: String? = nil
    ) {
        self.browser = browser
        self.conduct = conduct
        self.username = username
        self.password = password
        self.recoveryCode = recoveryCode
    }

    package func prepare(redirectURI: String) async throws(AuthError) -> any WebAuthenticationSession {
        Session(redirectURI: redirectURI, person: self)
    }

    struct Session: WebAuthenticationSession {
        let redirectURI: String
        let person: PersonAtBrowser

        func open(_ url: String, state: String) async throws(AuthError) -> String {
            do {
                return try await person.walk(url)
            } catch let error as AuthError {
                throw error
            } catch {
                throw AuthError(.cancelled, "the browser did not come back: \(error)")
            }
        }

        func close() async {}
    }

    private func walk(_ url: String) async throws -> String {
        var screen = try await browser.open(url)
        if screen.page == "login" {
            switch conduct {
            case .typesNothing:
                throw TestFailure("the page asked who it is")
            case .givesUp:
                screen = try await browser.submit(screen, ["action": "deny"])
            case .mistypesFirst:
                screen = try await browser.submit(screen, ["username": username, "password": "a slip"])
                guard screen.page == "login", screen.body.contains("role=\"alert\"") else {
                    throw TestFailure("the page did not say that the password was wrong")
                }
                fallthrough
            case .signsIn:
                screen = try await browser.submit(screen, ["username": username, "password": password])
            }
        }
        // The app asks for another person, who is not here.
        if screen.page == "other-account" { screen = try await browser.submit(screen, ["action": "give-up"]) }
        if screen.page == "code", let recoveryCode {
            let ways = try await browser.submit(screen, ["action": "other"])
            let paper = try await browser.submit(ways, ["method": "recovery"])
            screen = try await browser.submit(paper, ["code": recoveryCode])
        }
        if screen.page == "logout" {
            screen = try await browser.submit(screen, ["action": conduct == .givesUp ? "deny" : "logout"])
        }
        if screen.page == "consent" { screen = try await browser.submit(screen, ["action": "allow"]) }
        if screen.page == "continue" {
            screen = try await browser.submit(screen, ["action": conduct == .givesUp ? "deny" : "continue"])
        }
        guard let location = screen.header("location") else {
            throw TestFailure("the sign-in ended on page \(screen.page ?? "none"), status \(screen.status)")
        }
        return location
    }
}
