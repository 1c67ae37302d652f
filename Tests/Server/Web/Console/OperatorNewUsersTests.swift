import Authority
import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

@Suite("Operators: whom a provider may make a user")
struct OperatorNewUsersTests {
    private static let path = "/admin/connections/connection"

    /// The permissions of a role, whether it is a default, and whether the operator may.
    static let roles: [([String], Bool, Bool)] = [
        (["users.impersonate"], true, false), (["Impersonate"], true, false), ([], true, true),
        (["users.impersonate"], false, true),
    ]

    @Test(arguments: roles)
    func `an operator lets new users in only where none of them acts as others`(
        _ permissions: [String], _ isDefault: Bool, _ isAllowed: Bool
    ) async throws {
        let server = try await OperatorEscalationTests.start()
        let services = server.services
        try await services.stores.roles.create(
            Role(
                id: "R9", tenantID: "harbour", name: "greeter", description: "", permissions: permissions,
                isDefault: isDefault, createdAt: server.clock.now))
        try await services.directory.reload()
        let visit = try await server.operatorVisit(.operator)
        func save(_ creates: Bool) async throws -> EndpointAnswer {
            try await visit.post(
                Self.path, ["action": "save", "id": "acme", "document": #"{"create_users": \#(creates)}"#])
        }
        #expect(try await save(true).status == 303, "as it is")
        #expect(try await save(false).status == 303, "it takes power away")
        let saved = try await save(true)
        #expect(saved.status == (isAllowed ? 303 : 403), "\(saved.status)")
        #expect(isAllowed || saved.body.contains("create_users"), "the page names it")
        #expect(services.connections.connection("acme")?.createsUsers == isAllowed)
        await server.stop()
    }
}
