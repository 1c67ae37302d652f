import Identity
import KeyturnBase
import Model
import ServerTesting
import Testing

@Suite("Provisioning by SCIM: what was there before and after")
struct ProvisioningAuditTests {
    private func told(_ server: TestServer, _ kind: AuditEvent.Kind) async throws -> [AuditChange] {
        _ = try await server.services.auditLog.flush()
        var query = AuditQuery()
        query.kinds = [kind]
        return try await server.services.stores.audit.search(query).first?.changes?.list ?? []
    }

    @Test func `changes of users tell attributes, and no password`() async throws {
        let server = try await TestServer.start()
        let directory = try await Directory.of("t1", at: server)
        let id = try await directory.user("kim", ["title": "Sailor", "password": "never-told", "active": true])
        let made = try await told(server, .provisionedUserCreated)
        #expect(made.contains(AuditChange(field: "title", before: nil, after: "Sailor")))
        #expect(!"\(made)".contains("never-told"))
        _ = try await directory.patch("/Users/\(id)", ["op": "replace", "path": "title", "value": "Captain"])
        #expect(
            try await told(server, .provisionedUserChanged) == [
                AuditChange(field: "title", before: "Sailor", after: "Captain")
            ])
        _ = try await directory.patch("/Users/\(id)", ["op": "replace", "path": "active", "value": false])
        #expect(
            try await told(server, .provisionedUserDeactivated) == [
                AuditChange(field: "active", before: "true", after: "false")
            ])
        await server.stop()
    }

    @Test func `changes of groups tell names and members`() async throws {
        let server = try await TestServer.start()
        let directory = try await Directory.of("t1", at: server)
        let kim = try await directory.user("kim")
        let group = try await directory.group("Crew", members: [kim])
        #expect(
            try await told(server, .provisionedGroupCreated) == [
                AuditChange(field: "displayName", before: nil, after: "Crew"),
                AuditChange(field: "members_added", before: nil, after: kim),
            ])
        _ = try await directory.patch(
            "/Groups/\(group)", ["op": "replace", "path": "displayName", "value": "Band"],
            ["op": "remove", "path": .string("members[value eq \"\(kim)\"]")])
        #expect(
            try await told(server, .provisionedGroupChanged) == [
                AuditChange(field: "displayName", before: "Crew", after: "Band"),
                AuditChange(field: "members_removed", before: nil, after: kim),
            ])
        await server.stop()
    }
}
