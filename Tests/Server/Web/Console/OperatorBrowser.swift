import Authority
import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

/// An operator at a browser, signed in with a second factor.
extension TestServer {
    func operatorsBrowser(_ role: ConsoleRole) async throws -> ScriptedBrowser {
        _ = try await services.stores.consoleOperators.set(
            role, of: Self.subject, by: "test", keepingOwner: false, at: clock.now)
        let authenticator = try await giveAuthenticator()
        let browser = browser()
        let login = try await browser.open("/admin")
        let code = try await browser.submit(login, ["username": Self.username, "password": Self.password])
        let page = try await browser.submit(code, ["code": authenticator.code(at: clock.now).exposed()])
        try #require(page.page == "admin")
        return browser
    }

    /// The audit events of a kind.
    func events(_ kind: AuditEvent.Kind) async throws -> [AuditEvent] {
        var query = AuditQuery()
        query.limit = 1_000
        return try await services.auditEvents(query).filter { $0.kind == kind }
    }

    /// Whether the operator of ``operatorsBrowser(_:)`` did what one event of a kind tells of.
    func wasRecorded(_ kind: AuditEvent.Kind) async throws -> Bool {
        let events = try await events(kind)
        return events.count == 1 && events[0].actor == Self.subject.rawValue && events[0].address != nil
    }
}
