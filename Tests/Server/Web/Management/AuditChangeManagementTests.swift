import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

@Suite("The management interface: what was there before and after each change")
struct AuditChangeManagementTests {
    private static let secret = "never-to-be-told-4711"

    private struct Call {
        let path: String
        let body: JSONValue
        var method = "POST"
        /// The event, and what it must tell: `field: before > after`.
        let kind: String
        let told: [String]
    }

    private static let calls = [
        Call(
            path: "tenant/create", body: ["id": "t1", "name": "One", "customAttributes": ["plan": "a"]],
            kind: "tenant.created", told: ["attributes.plan: - > a", "enforce_sso: - > false", "name: - > One"]),
        Call(
            path: "tenant/update", body: ["id": "t1", "name": "Two", "selfProvisioningDomains": ["x.example"]],
            kind: "tenant.updated", told: ["name: One > Two", "self_provisioning_domains: - > x.example"]),
        Call(
            path: "permission/create", body: ["name": "read", "description": "Reads"], kind: "permission.created",
            told: ["description: - > Reads", "name: - > read"]),
        Call(
            path: "permission/update", body: ["name": "read", "newName": "see", "description": "Reads"],
            kind: "permission.updated", told: ["name: read > see"]),
        Call(
            path: "role/create", body: ["name": "admin", "permissionNames": ["see"]], kind: "role.created",
            told: ["default: - > false", "name: - > admin", "permissions: - > see"]),
        Call(
            path: "role/update", body: ["name": "admin", "newName": "boss", "permissionNames": []],
            kind: "role.updated", told: ["name: admin > boss", "permissions: see > -"]),
        Call(
            path: "user/create",
            body: [
                "loginId": "bea@example.com", "displayName": "Bea", "verifiedEmail": true, "password": .string(secret),
            ], kind: "user.created",
            told: [
                "email: - > bea@example.com", "email_verified: - > true", "login_ids: - > bea@example.com",
                "name: - > Bea", "password: - > set", "status: - > active", "verified_login_ids: - > bea@example.com",
            ]),
        Call(
            path: "user/patch", body: ["loginId": "bea@example.com", "displayName": "B"], method: "PATCH",
            kind: "user.updated", told: ["name: Bea > B"]),
        Call(
            path: "user/update/customAttribute",
            body: ["loginId": "bea@example.com", "attributeKey": "plan", "attributeValue": "gold"],
            kind: "user.attribute", told: ["attributes.plan: - > gold"]),
        Call(
            path: "user/update/role/add", body: ["loginId": "bea@example.com", "roleNames": ["boss"]],
            kind: "user.roles", told: ["roles: - > boss"]),
        Call(
            path: "user/update/tenant/add", body: ["loginId": "bea@example.com", "tenantId": "t1"],
            kind: "user.tenants", told: ["tenants: - > t1"]),
        Call(
            path: "user/update/status", body: ["loginId": "bea@example.com", "status": "disabled"],
            kind: "user.status", told: ["status: active > disabled"]),
        Call(
            path: "user/update/loginid", body: ["loginId": "bea@example.com", "newLoginId": "bea"],
            kind: "user.login_id",
            told: ["login_ids: bea@example.com > bea", "verified_login_ids: bea@example.com > bea"]),
        Call(
            path: "client/create",
            body: [
                "client_id": "shop", "redirect_uris": ["https://a.example/cb"], "grant_types": ["authorization_code"],
            ], kind: "client.registered",
            told: [
                "client_secret: - > set", "first_party: - > false", "grant_types: - > authorization_code",
                "profile: - > default", "redirect_uris: - > https://a.example/cb",
            ]),
        Call(
            path: "client/patch",
            body: ["client_id": "shop", "redirect_uris": ["https://a.example/cb", "https://b.example/cb"]],
            method: "PATCH", kind: "client.changed",
            told: ["redirect_uris: https://a.example/cb > https://a.example/cb, https://b.example/cb"]),
        Call(
            path: "client/rotate-secret", body: ["client_id": "shop"], kind: "client.secret_changed",
            told: ["client_secret: set > changed"]),
        Call(
            path: "connection/create",
            body: [
                "id": "made", "issuer": "https://login.example", "client_id": "c", "client_secret": .string(secret),
            ], kind: "connection.changed",
            told: ["client_id: - > c", "client_secret: - > set", "issuer: - > https://login.example"]),
        Call(
            path: "connection/patch", body: ["id": "made", "enabled": false, "client_secret": .string("\(secret)-2")],
            method: "PATCH", kind: "connection.changed",
            told: ["client_secret: set > changed", "enabled: true > false"]),
        Call(
            path: "connection/delete", body: ["id": "made"], kind: "connection.removed",
            told: ["client_secret: set > -", "name: made > -"]),
        Call(
            path: "accesskey/create", body: ["name": "robot", "roleNames": ["boss"]], kind: "access_key.created",
            told: ["active: - > true", "name: - > robot", "roles: - > boss"]),
        Call(
            path: "scim/token/create", body: ["tenantId": "t1", "name": "Entra"], kind: "scim.token_made",
            told: ["name: - > Entra"]),
        Call(
            path: "client/delete", body: ["client_id": "shop"], kind: "client.removed",
            told: ["client_secret: set > -", "grant_types: authorization_code > -"]),
        Call(
            path: "role/delete", body: ["name": "boss"], kind: "role.deleted",
            told: ["default: false > -", "name: boss > -"]),
        Call(
            path: "tenant/delete", body: ["id": "t1"], kind: "tenant.deleted",
            told: ["name: Two > -", "self_provisioning_domains: x.example > -"]),
    ]

    @Test func `each change tells what was there before and after, and no secret`() async throws {
        let server = try await TestServer.start()
        var said: [String] = []
        for call in Self.calls {
            let answer = try await server.manage(call.path, call.body, method: call.method)
            #expect(answer.status == 200, "\(call.path): \(answer.body)")
            let found = try await server.manage("audit/search", ["actions": [.string(call.kind)], "limit": 1])
            let event = try #require(found.json["audits"]?.arrayValue?.first, "\(call.kind)")
            let told = (event["data"]?["changes"]?.arrayValue ?? []).map { change in
                let (before, after) = (change["before"]?.stringValue ?? "-", change["after"]?.stringValue ?? "-")
                return "\(change["field"]?.stringValue ?? ""): \(before) > \(after)"
            }
            for line in call.told { #expect(told.contains(line), "\(call.path): \(told)") }
            let isWhole = ![
                "connection/create", "connection/delete", "client/delete", "tenant/delete", "client/create",
            ]
            .contains(call.path)
            if isWhole { #expect(told == call.told, "\(call.path)") }
            said.append(found.body)
        }
        let all = said.joined()
        #expect(!all.contains(Self.secret) && !all.contains("$argon2") && !all.contains("ktscim_"))
        await server.stop()
    }

    @Test func `a deleted user's values are gone, and the events stay`() async throws {
        let server = try await TestServer.start()
        _ = try await server.manage("user/create", ["loginId": "bea@example.com", "displayName": "Bea Beispiel"])
        let before = try await server.manage("audit/search", [:])
        #expect(before.body.contains("Bea Beispiel"))
        _ = try await server.manage(
            "user/patch", ["loginId": "bea@example.com", "displayName": "Bea B"], method: "PATCH")
        #expect(try await server.manage("user/delete", ["loginId": "bea@example.com"]).status == 200)
        let after = try await server.manage("audit/search", [:])
        #expect(!after.body.contains("Bea B") && !after.body.contains("bea@example.com"))
        let actions = after.json["audits"]?.arrayValue?.compactMap { $0["action"]?.stringValue }
        #expect(actions?.prefix(3) == ["user.deleted", "user.updated", "user.created"])
        await server.stop()
    }
}
