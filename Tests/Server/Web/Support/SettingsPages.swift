import Foundation
import Identity
import KeyturnBase
import KeyturnWire
import Model
import OAuth
import ServerTesting
import SignIn
import Testing

/// What the tests of the settings ask the server.
extension TestServer {
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
