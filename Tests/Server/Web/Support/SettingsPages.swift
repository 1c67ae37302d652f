import Foundation
import Identity
import KeyturnBase
import KeyturnWire
import Model
import OAuth
import ServerTesting
import SignIn
import Testing

/// Visits to the settings, as a person makes them.
extension TestServer {
    /// Opens a page, and signs in where that is asked.
    func visit(
        _ path: String, in browser: ScriptedBrowser, as username: String = TestServer.username,
        password: String = TestServer.password
    ) async throws -> ScriptedBrowser.Screen {
        let screen = try await browser.open(path)
        guard screen.page == "login" else { return screen }
        return try await browser.submit(screen, ["username": username, "password": password])
    }

    /// Sends one of the forms of a page: its own mark, and these fields.
    func send(_ screen: ScriptedBrowser.Screen, in browser: ScriptedBrowser, _ fields: KeyValuePairs<String, String?>)
        async throws -> ScriptedBrowser.Screen
    {
        var form = FormParameters()
        for name in ["csrf", "transaction"] {
            if let field = screen.hiddenFields.first(where: { $0.name == name }) { form.append(name, field.value) }
        }
        for (name, value) in fields { form.append(name, value) }
        return try await browser.post(screen.formAction ?? screen.url, form)
    }

    /// The kinds of audit events so far.
    func audited() async throws -> Set<String> {
        var query = AuditQuery()
        query.limit = 1_000
        return Set(try await services.auditEvents(query).map(\.kind.rawValue))
    }

    /// The logout notices that wait for relying parties.
    func logoutNotices() async throws -> [LogoutNotice] {
        try await services.logoutNotices.store.waiting(limit: 100)
    }

    /// Somebody else, with the same password.
    func addBea() async throws {
        let hash = try await services.passwords.hash(Secret(Self.password))
        let bea = try #require(Identifier(loginID: "bea@example.com"))
        let user = User(
            id: UserID(rawValue: "22222222-2222-4222-8222-222222222222"),
            claims: ["email": "bea@example.com", "email_verified": true], createdAt: clock.now, updatedAt: clock.now)
        try await services.stores.users.create(Account(user: user, identifiers: [bea: .verified], passwordHash: hash))
    }
}

extension ScriptedBrowser.Screen {
    /// Whether the page says that something is wrong.
    var hasProblem: Bool { body.contains("role=\"alert\"") }
    /// Whether it says that something was done.
    var hasNotice: Bool { body.contains("role=\"status\"") }

    /// Values of a form's hidden field, in the order of the page.
    func hidden(_ name: String) -> [String] { hiddenFields.filter { $0.name == name }.map(\.value) }
}
