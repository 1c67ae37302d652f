import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

/// Ways through the pages of a lost second factor.
extension TestServer {
    /// As far as the second factor, by the password.
    func secondFactorPage(
        _ browser: ScriptedBrowser, proof: PKCE? = nil, password: String = TestServer.password,
        _ change: (inout AuthorizationRequest) -> Void = { _ in }
    ) async throws -> ScriptedBrowser.Screen {
        try await browser.submit(
            try await loginPage(browser, proof: proof, change),
            ["username": TestServer.username, "password": password])
    }

    /// Both proofs: a code beside the password.
    func proveLoss(_ browser: ScriptedBrowser, _ page: ScriptedBrowser.Screen) async throws -> ScriptedBrowser.Screen {
        let lost = try await browser.submit(page, ["action": "lost"])
        let sent = try await browser.submit(lost, ["address": "0"])
        return try await browser.submit(sent, ["code": try await message(to: TestServer.username).code])
    }

    /// Begins a recovery, in a browser of its own.
    @discardableResult
    func beginRecovery() async throws -> ScriptedBrowser.Screen {
        let browser = browser()
        return try await proveLoss(browser, try await secondFactorPage(browser))
    }

    /// The recovery of the person, as it is now.
    func recovery() async throws -> Recovery? {
        try await services.recovery.recovery(of: TestServer.subject)
    }

    /// The link that cancels the recovery that began last, on this server.
    func cancelLink() async throws -> String {
        let told = try await messages(.recoveryBegun)
        return path(try #require(told.last?.links.first))
    }

    /// A link of a message without the address of the issuer, which need not be where the server listens.
    func path(_ link: String) -> String { String(link.trimmingPrefix(issuer)) }

    func messages(_ kind: MessageKind) async throws -> [OutgoingMessage] {
        try await services.messages.newest(limit: 200).map(\.message).filter { $0.kind == kind }
    }

    /// Why recoveries ended, in order.
    func recoveryEnds() async throws -> [String?] {
        var query = AuditQuery()
        query.limit = 1_000
        query.order = .oldestFirst
        return try await services.auditEvents(query).filter { $0.kind == .recoveryCancelled }.map(\.reason)
    }
}
