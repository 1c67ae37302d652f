import Authority
import Foundation
import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

@testable import Web

@Suite("The console: operators, tenants, roles, connections and the audit log")
struct ConsoleAccessTests {
    private static let hostile = "\"><script>alert(1)</script>'&{{csrf}}"

    @Test func `an owner gives a role and takes it away, and the last owner stays`() async throws {
        let server = try await TestServer.start()
        let operators = try await server.operatorVisit(.owner)
        let other = try await server.manage(
            "user/create", ["loginId": "vera@example.com", "email": "vera@example.com", "verifiedEmail": true])
        let id = UserID(rawValue: try #require(other.json["user"]?["userId"]?.stringValue))
        let path = "/admin/operators"
        _ = try await operators.post(path, ["action": "grant", "user": "vera@example.com", "role": "support"])
        #expect(try await server.services.stores.consoleOperators.role(of: id) == .support)
        let last = try await operators.post(
            path, ["action": "remove", "user": TestServer.subject.rawValue])
        #expect(last.status == 422 && last.body.contains("last owner"))
        _ = try await operators.post(path, ["action": "remove", "user": id.rawValue])
        #expect(try await server.services.stores.consoleOperators.role(of: id) == nil)
        let unknown = try await operators.post(
            path, ["action": "grant", "user": Self.hostile, "role": "owner"])
        #expect(unknown.status == 422 && !unknown.body.contains("<script>alert"))
        let granted = try #require(
            try await server.services.auditEvents(AuditQuery()).first { $0.kind == .operatorGranted })
        #expect(granted.actor == TestServer.subject.rawValue && granted.address == "127.0.0.1")
        #expect(granted.userID == id && granted.reason == "support")
        await server.stop()
    }

    @Test func `the management interface does the same with operators and tokens of directories`() async throws {
        let server = try await TestServer.start()
        let name: JSONValue = "vera@example.com"
        _ = try await server.manage("user/create", ["loginId": name, "email": name, "verifiedEmail": true])
        #expect(try await server.manage("operator/update", ["loginId": name, "role": "owner"]).status == 200)
        let all = try await server.manage("operator/all", nil, method: "GET")
        #expect(all.json["operators"]?.arrayValue?.first?["role"] == "owner")
        #expect(try await server.manage("operator/update", ["loginId": name, "role": "king"]).status == 400)
        #expect(
            try await server.manage("operator/update", ["loginId": name, "role": ""]).status == 400, "the last owner")
        _ = try await server.manage("tenant/create", ["id": "t9", "name": "Nine"])
        let made = try await server.manage("scim/token/create", ["tenantId": "t9", "name": "Entra", "days": 90])
        #expect(made.json["cleartext"]?.stringValue?.hasPrefix("ktscim_") == true)
        let id = try #require(made.json["token"]?["id"])
        #expect(try await server.manage("scim/token/revoke", ["tenantId": "t9", "id": id]).status == 200)
        #expect(try await server.manage("scim/token/search", ["tenantId": "t9"]).json["tokens"] == [])
        #expect(try await server.manage("scim/token/create", ["tenantId": "t9", "days": 0]).status == 400)
        await server.stop()
    }

    @Test func `tenants, their tokens and roles are made, changed and removed`() async throws {
        let server = try await TestServer.start()
        let operators = try await server.operatorVisit(.operator)
        _ = try await operators.post(
            "/admin/tenants", ["action": "create", "id": "harbour", "name": Self.hostile])
        let page = try await server.console("/admin/tenants/tenant?id=harbour", operators.cookie)
        #expect(page.status == 200 && !page.body.contains("<script>alert"))
        let path = "/admin/tenants/tenant"
        _ = try await operators.post(
            path, ["action": "save", "id": "harbour", "name": "Harbour", "domains": "a.example, b.example"])
        let tenant = try #require(server.services.directory.tenant("harbour"))
        #expect(tenant.name == "Harbour" && tenant.selfProvisioningDomains == ["a.example", "b.example"])
        let shown = try await operators.post(path, ["action": "token", "id": "harbour", "name": "Entra"])
        #expect(shown.body.contains("ktscim_"))
        let token = try #require(try await server.services.stores.provisioningTokens.tokens(of: "harbour").first)
        _ = try await operators.post(path, ["action": "revoke", "id": "harbour", "token": token.id])
        #expect(try await server.services.stores.provisioningTokens.tokens(of: "harbour").isEmpty)
        _ = try await operators.post(
            "/admin/roles", ["action": "create-role", "name": "clerk", "permissions": "a.read\nb.write"])
        let role = try #require(server.services.directory.role(named: "clerk", exactlyIn: nil))
        #expect(role.permissions == ["a.read", "b.write"])
        _ = try await operators.post("/admin/roles", ["action": "remove-permission", "name": "a.read"])
        #expect(server.services.directory.role(role.id)?.permissions == ["b.write"])
        _ = try await operators.post("/admin/roles", ["action": "remove-role", "role": role.id])
        #expect(server.services.directory.role(role.id) == nil)
        let kept = try await operators.post(path, ["action": "remove", "id": "harbour", "typed": "harbor"])
        #expect(kept.status == 303 && server.services.directory.tenant("harbour") != nil, "typed wrongly")
        _ = try await operators.post(path, ["action": "remove", "id": "harbour", "typed": "harbour"])
        #expect(server.services.directory.tenant("harbour") == nil)
        await server.stop()
    }

    @Test func `a connection is added, changed, switched off and removed, and its secret is never shown`() async throws
    {
        let server = try await TestServer.start()
        let operators = try await server.operatorVisit(.owner)
        let document = """
            {"id": "acme", "type": "openid", "name": "Acme", "issuer": "https://login.acme.example",
             "client_id": "keyturn", "client_secret": "a-secret-of-acme"}
            """
        let broken = try await operators.post("/admin/connections", ["document": "{"])
        #expect(broken.status == 422)
        let refused = try await operators.post("/admin/connections", ["document": "{\"id\": \"acme\"}"])
        #expect(refused.status == 422)
        _ = try await operators.post("/admin/connections", ["document": document])
        let path = "/admin/connections/connection"
        let page = try await server.console("\(path)?id=acme", operators.cookie)
        #expect(page.status == 200 && !page.body.contains("a-secret-of-acme"))
        _ = try await operators.post(path, ["action": "save", "id": "acme", "document": "{\"name\": \"Acme Ltd\"}"])
        _ = try await operators.post(path, ["action": "disable", "id": "acme"])
        let changed = try #require(server.services.connections.connection("acme"))
        #expect(changed.name == "Acme Ltd" && !changed.isEnabled)
        _ = try await operators.post(path, ["action": "remove", "id": "acme", "typed": "acme"])
        #expect(server.services.connections.connection("acme") == nil)
        await server.stop()
    }

    @Test func `the log is filtered, walked through by its numbers, and written to a file`() async throws {
        let server = try await TestServer.start()
        let cookie = try await server.operatorCookie(.viewer)
        for number in 0..<120 {
            server.services.auditLog.record(
                AuditEvent(.signInFailed, at: server.clock.ambient.now(), address: "192.0.2.\(number)"))
        }
        let first = try await server.console("/admin/audit?action=sign_in.failed", cookie)
        #expect(first.body.contains("192.0.2.119<") && !first.body.contains("192.0.2.69<"))
        let older = try #require(first.body.firstMatch(of: #/href="([^"]+)">Older</#).map { String($0.1) })
        let second = try await server.console(older.replacing("&amp;", with: "&"), cookie)
        #expect(second.body.contains("192.0.2.69<") && !second.body.contains("192.0.2.119<"))
        let none = try await server.console("/admin/audit?user=%22%3E%3Cscript%3Ealert(1)%3C/script%3E", cookie)
        #expect(none.status == 200 && !none.body.contains("<script>alert"))
        let file = try await server.console("/admin/audit/export?action=sign_in.failed", cookie)
        let lines = file.body.split(separator: "\n")
        #expect(lines.count == 120 && lines.allSatisfy { $0.contains("\"action\":\"sign_in.failed\"") })
        let exported = try await server.services.auditEvents(AuditQuery()).first { $0.kind == .auditExported }
        #expect(exported?.actor == TestServer.subject.rawValue && exported?.reason == "120")
        await server.stop()
    }
}
