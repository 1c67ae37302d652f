internal import Foundation
public import Keyturn
internal import ServerTesting
internal import Synchronization

/// A browser without a window and the user in front of it, for `Keyturn(…, browser:)`: goes through the server's pages
/// as a user does. Made by ``TestServer/makeBrowser(signingIn:)``.
///
/// The user types the password, or the code from the mailbox where there is no password, agrees to what a client asks
/// for, and continues to it where the browser was signed in before.
public final class TestBrowser: BrowserAgent {
    /// What the user does on the sign-in page.
    public enum Conduct: Hashable, Sendable {
        /// Signs in.
        case signsIn
        /// Cancels: the app gets `sign_in.cancelled`.
        case cancels
    }

    private struct State: Sendable {
        var conduct = Conduct.signsIn
        var pages: [String] = []
        var problem: String?
    }

    private let server: Server
    private let email: String
    private let browser: ScriptedBrowser
    private let state = Mutex(State())
    private static let pagesMax = 12

    /// What it needs of a server: the server itself would be kept from ending.
    private struct Server: Sendable {
        let mailbox: Mailbox
        let password: String?
    }

    init(_ server: TestServer, email: String) {
        self.server = Server(
            mailbox: server.mailbox, password: server.users.first { $0.email == email }?.password)
        self.email = email
        browser = server.inner.browser()
    }

    /// What the user does from now on.
    public var conduct: Conduct {
        get { state.withLock { $0.conduct } }
        set { state.withLock { $0.conduct = newValue } }
    }

    /// The pages that were shown, in order, by their `data-page`: `login`, `code`, `consent` and so on.
    public var pages: [String] { state.withLock { $0.pages } }

    /// Why the last sign-in did not come back to the app; `nil`: it did.
    public var problem: String? { state.withLock { $0.problem } }

    /// Takes any redirect URI: nothing listens.
    public func prepare(redirectURI: String) async throws(AuthError) -> any WebAuthenticationSession {
        Visit(redirectURI: redirectURI, browser: self)
    }

    /// Opens a page that leads nowhere, such as the settings, and closes it.
    ///
    /// - Throws: `transport.unavailable` if the server does not answer.
    public func show(_ url: String) async throws(AuthError) {
        do {
            note(try await browser.open(url))
        } catch {
            throw AuthError(.unavailable, "the server does not answer", cause: error)
        }
    }

    private struct Visit: WebAuthenticationSession {
        let redirectURI: String
        let browser: TestBrowser

        func open(_ url: String, state: String) async throws(AuthError) -> String {
            do {
                return try await browser.walk(url)
            } catch {
                let text = (error as? TestProblem)?.description ?? "the server does not answer"
                browser.state.withLock { $0.problem = text }
                throw AuthError(.cancelled, text, cause: error)
            }
        }

        func close() async {}
    }

    /// From the authorization request to the redirect that leaves the server.
    private func walk(_ url: String) async throws -> String {
        let earlier = state.withLock { state in
            state.problem = nil
            return state.pages.count
        }
        var screen = try await browser.open(url)
        for _ in 0..<Self.pagesMax {
            note(screen)
            if (300...399).contains(screen.status), let location = screen.header("location") { return location }
            screen = try await act(on: screen, after: Array(pages.dropFirst(earlier)))
        }
        throw TestProblem("the sign-in went through \(Self.pagesMax) pages and did not end")
    }

    /// What the user does on a page.
    ///
    /// - Parameter pages: the pages of this sign-in so far; no page is filled in twice.
    private func act(on screen: ScriptedBrowser.Screen, after pages: [String]) async throws -> ScriptedBrowser.Screen {
        let list = pages.joined(separator: ", ")
        guard pages.filter({ $0 == screen.page }).count <= 1 else {
            throw TestProblem("\(email) could not sign in: the server showed \(list), and says \(Self.alert(screen))")
        }
        switch screen.page {
        case "login":
            if conduct == .cancels { return try await browser.submit(screen, ["action": "deny"]) }
            if let password = server.password {
                return try await browser.submit(screen, ["username": email, "password": password])
            }
            return try await browser.submit(screen, ["username": email, "action": "code"])
        case "code":
            return try await browser.submit(screen, ["code": try await server.mailbox.code(to: email)])
        case "continue":
            return try await browser.submit(screen, ["action": conduct == .cancels ? "deny" : "continue"])
        case "consent":
            return try await browser.submit(screen, ["action": conduct == .cancels ? "deny" : "allow"])
        default:
            throw TestProblem(
                "the user does not know what to do on the page \"\(screen.page ?? "none")\" (status \(screen.status)), "
                    + "which says \(Self.alert(screen)); the server showed \(list)")
        }
    }

    private func note(_ screen: ScriptedBrowser.Screen) {
        guard let page = screen.page else { return }
        state.withLock { $0.pages.append(page) }
    }

    /// The text of the page's alert, or else of its heading.
    private static func alert(_ screen: ScriptedBrowser.Screen) -> String {
        for (start, end) in [("role=\"alert\"", "</p>"), ("<h1", "</h1>")] {
            guard let mark = screen.body.range(of: start), let tag = screen.body[mark.upperBound...].firstIndex(of: ">")
            else { continue }
            let text = screen.body[screen.body.index(after: tag)...]
            return "\"\(text[..<(text.range(of: end)?.lowerBound ?? text.endIndex)])\""
        }
        return "nothing"
    }
}
