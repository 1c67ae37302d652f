import Authority
import Foundation
import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

/// Visits to the console, by operators of any role.
extension TestServer {
    static let operatorName = "olga@example.com"

    /// A browser of an operator who has just signed in with a second factor.
    ///
    /// - Parameter name: the operator, who is made if there is no such user.
    func console(as role: ConsoleRole, name: String = operatorName) async throws -> ScriptedBrowser {
        let account = try await made(name)
        _ = try await services.stores.consoleOperators.set(
            role, of: account.user.id, by: "test", keepingOwner: false, at: clock.now)
        let browser = browser()
        try await signIn(browser, to: account)
        return browser
    }

    /// Signs an operator in once more, now.
    func signIn(_ browser: ScriptedBrowser, to account: Account) async throws {
        let facts = AuthenticationFacts(time: clock.now, methods: ["pwd", "totp", "mfa"], contextClass: "test")
        guard let (_, cookie) = try await services.signIn.openSession(for: account.user, facts, replacing: nil) else {
            throw TestFailure("no session was opened")
        }
        browser.cookieJar["keyturn-session"] = cookie.exposed()
    }

    /// A user of this login ID.
    @discardableResult
    func made(
        _ name: String, claims: [String: JSONValue] = [:], attributes: [String: JSONValue] = [:],
        status: User.Status = .active
    ) async throws -> Account {
        if let account = try await account(name) { return account }
        let identifier = try #require(Identifier(loginID: name))
        let own: [String: JSONValue] = ["email": .string(name), "email_verified": true]
        let user = User(
            id: .make(services.ambient), status: status, claims: own.merging(claims) { $1 }, attributes: attributes,
            createdAt: clock.now, updatedAt: clock.now)
        let account = Account(
            user: user, identifiers: [identifier: status == .invited ? .unverified : .verified], passwordHash: nil)
        try await services.stores.users.create(account)
        return account
    }

    /// Sends a form of a page: the first one that goes to `target`.
    func act(
        _ screen: ScriptedBrowser.Screen, at target: String, in browser: ScriptedBrowser,
        _ fields: KeyValuePairs<String, String>
    ) async throws -> ScriptedBrowser.Screen {
        let mark: String = try #require(screen.mark(of: target), "no form goes to \(target)")
        var form = FormParameters(["csrf": mark])
        for (name, value) in fields { form.append(name, value) }
        return try await browser.post(target, form)
    }

    /// The newest event of a kind, which may wait to be written.
    func newestEvent(_ kind: AuditEvent.Kind) async throws -> AuditEvent? {
        var query = AuditQuery()
        query.kinds = [kind]
        query.limit = 1
        return try await services.auditEvents(query).first
    }
}

extension ScriptedBrowser.Screen {
    /// The mark in the first form that goes to `target`; `nil`: there is no such form.
    func mark(of target: String) -> String? {
        guard let start = body.range(of: "action=\"\(target)\""),
            let field = body[start.upperBound...].range(of: "name=\"csrf\" value=\"")
        else { return nil }
        return String(body[field.upperBound...].prefix { $0 != "\"" })
    }
}
