import Foundation
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("The management interface")
struct ManagementTests {
    private let bea: JSONValue = [
        "loginId": "bea@example.com", "displayName": "Bea", "customAttributes": ["plan": "gold"], "verifiedEmail": true,
    ]

    @Test func `a user is made, found, changed and removed, and each change names who did it`() async throws {
        let server = try await TestServer.start()
        let made = try await server.manage("user/create", bea)
        #expect(made.status == 200 && made.json["user"]?["email"] == "bea@example.com")
        let again = try await server.manage("user/create", bea)
        #expect(again.status == 400 && again.json["errorCode"]?.stringValue == "E062107")
        let patched = try await server.manage(
            "user/patch", ["loginId": "bea@example.com", "givenName": "B"], method: "PATCH")
        #expect(patched.json["user"]?["name"] == "Bea" && patched.json["user"]?["givenName"] == "B")
        let replaced = try await server.manage("user/update", ["loginId": "bea@example.com", "displayName": "C"])
        #expect(replaced.json["user"]?["name"] == "C" && replaced.json["user"]?["givenName"] == "")
        #expect(replaced.json["user"]?["customAttributes"] == [:])
        let found = try await server.manage("user?loginId=bea@example.com", nil, method: "GET")
        #expect(found.json["user"]?["userId"] == made.json["user"]?["userId"])
        let search = try await server.manage("/v2/mgmt/user/search", ["text": "bea", "limit": 10])
        #expect(search.json["users"]?.arrayValue?.count == 1)
        #expect(try await server.manage("user/delete", ["loginId": "bea@example.com"]).status == 200)
        let gone = try await server.manage("user/delete", ["loginId": "bea@example.com"])
        #expect(gone.json["errorCode"]?.stringValue == "E112102")
        let audits = try await server.manage("audit/search", ["actions": ["user.created", "user.deleted"]])
        let events = audits.json["audits"]?.arrayValue ?? []
        #expect(events.count == 2)
        #expect(events.allSatisfy { $0["data"]?["actor"]?.stringValue?.hasPrefix("management:") == true })
        await server.stop()
    }

    @Test func `an authenticator comes along with its user, counts at once, and its key is never repeated`()
        async throws
    {
        let server = try await TestServer.start()
        let key = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
        let wrong = ["JBSWY3DP", "not base32!", String(repeating: "A", count: 600)]
        var users: [JSONValue] = [
            ["loginId": "bea@example.com", "verifiedEmail": true, "status": "enabled", "seed": .string(key)]
        ]
        for (number, seed) in wrong.enumerated() {
            users.append(["loginId": .string("user\(number)@example.com"), "seed": .string(seed)])
        }
        let made = try await server.manage("user/create/batch", ["users": .array(users)])
        #expect(made.status == 200)
        #expect(made.json["createdUsers"]?.arrayValue?.map { $0["TOTP"] } == [true])
        #expect(made.json["failedUsers"]?.arrayValue?.count == wrong.count)
        #expect(!made.body.contains(key) && wrong.allSatisfy { !made.body.contains($0) })
        let authenticator = TOTPCode(try #require(TOTPSecret(typed: Secret(key))))
        func verify() async throws -> EndpointAnswer {
            let code = authenticator.code(at: server.clock.now).exposed()
            return try await server.call("totp/verify", ["loginId": "bea@example.com", "code": .string(code)])
        }
        #expect(try await verify().status == 200)
        #expect(try await verify().errorCode == "E061102", "a step counts once")
        await server.stop()
    }

    @Test func `roles and tenants end up in the token, also after they change`() async throws {
        let server = try await TestServer.start()
        for name in ["read", "write"] { _ = try await server.manage("permission/create", ["name": .string(name)]) }
        #expect(try await server.manage("role/create", ["name": "x", "permissionNames": ["nothing"]]).status == 400)
        _ = try await server.manage("role/create", ["name": "editor", "permissionNames": ["read", "write"]])
        _ = try await server.manage("tenant/create", ["id": "t1", "name": "One", "customAttributes": ["a": 1]])
        let name = JSONValue.string(TestServer.username)
        _ = try await server.manage("user/update/tenant/add", ["loginId": name, "tenantId": "t1"])
        _ = try await server.manage(
            "user/update/role/set", ["loginId": name, "tenantId": "t1", "roleNames": ["editor"]])
        _ = try await server.manage("/v2/mgmt/user/update/role/add", ["loginId": name, "roleNames": ["editor"]])
        let session = try await server.session()
        let claims = TestServer.claims(session.sessionJWT)
        #expect(claims["dct"] == "t1" && claims["roles"] == ["editor"] && claims["permissions"] == ["read", "write"])
        #expect(claims["tenants"] == ["t1": ["permissions": ["read", "write"], "roles": ["editor"]]])
        let tenants = try await server.method("me/tenants", session.refreshJWT?.exposed(), ["dct": true])
        #expect(tenants.json["tenants"]?.arrayValue?.first?["customAttributes"] == ["a": 1])
        _ = try await server.manage(
            "role/update", ["name": "editor", "newName": "author", "permissionNames": ["read"]])
        let renewed = try await server.method("refresh", session.refreshJWT?.exposed())
        let later = TestServer.claims(renewed.json["sessionJwt"]?.stringValue.map { Secret($0) })
        #expect(later["roles"] == ["author"] && later["permissions"] == ["read"])
        _ = try await server.manage("tenant/delete", ["id": "t1"])
        let user = try await server.manage("user?loginId=\(TestServer.username)", nil, method: "GET")
        #expect(user.json["user"]?["userTenants"] == [])
        await server.stop()
    }

    @Test func `an access key is for the networks that it names, and a text that is none is refused`() async throws {
        let server = try await TestServer.start()
        func make(_ networks: [JSONValue]) async throws -> (status: Int, secret: String) {
            let made = try await server.manage(
                "accesskey/create", ["name": "ci", "expireTime": 0, "permittedIps": .array(networks)])
            return (made.status, made.json["cleartext"]?.stringValue ?? "")
        }
        for network: JSONValue in ["192.0.2.1/24", "127.1", "example.com", "10.0.0.0/33", "10.0.0.0%lo/8"] {
            #expect(try await make(["10.0.0.0/8", network]).status == 400, "\(network)")
        }
        let near = try await make(["192.0.2.0/24", "127.0.0.0/8"]).secret
        #expect(try await server.method("accesskey/exchange", near).status == 200)
        let far = try await make(["192.0.2.0/24"]).secret
        #expect(try await server.method("accesskey/exchange", far).status == 401)
        await server.stop()
    }

    @Test func `an access key is shown once, exchanged while it is good, and refused in one way`() async throws {
        let server = try await TestServer.start()
        let expiry = JSONValue.integer(server.clock.now.rawValue + 100)
        let made = try await server.manage(
            "accesskey/create", ["name": "ci", "expireTime": expiry, "customClaims": ["env": "ci", "sub": "x"]])
        let secret = try #require(made.json["cleartext"]?.stringValue)
        let id = try #require(made.json["key"]?["id"]?.stringValue)
        let body: JSONValue = ["loginOptions": ["customClaims": ["k": 1]]]
        let exchanged = try await server.method("accesskey/exchange", secret, body)
        let claims = TestServer.claims(exchanged.json["sessionJwt"]?.stringValue.map { Secret($0) })
        #expect(claims["sub"]?.stringValue == id && claims["env"] == "ci" && claims["nsec"] == ["k": 1])
        #expect(claims["exp"] == expiry, "never longer than the key")
        #expect(try await server.method("accesskey/exchange", nil).json["errorCode"] == "E062802")
        func refused(_ secret: String) async throws -> Bool {
            let answer = try await server.method("accesskey/exchange", secret)
            return answer.status == 401 && answer.json["errorCode"] == "E062803"
        }
        #expect(try await refused(TestServer.managementKey))
        _ = try await server.manage("accesskey/deactivate", ["id": .string(id)])
        #expect(try await refused(secret))
        _ = try await server.manage("accesskey/activate", ["id": .string(id)])
        let rotated = try await server.manage("accesskey/rotate", ["id": .string(id)])
        #expect(try await refused(secret))
        let new = try #require(rotated.json["cleartext"]?.stringValue)
        #expect(try await server.method("accesskey/exchange", new).status == 200)
        server.clock.advance(100)
        #expect(try await refused(new))
        #expect(try await server.call("GET", "/v1/mgmt/user?loginId=x", bearer: "test:\(new)").status == 401)
        await server.stop()
    }

    @Test func `who acts as another says so, needs a permission, and can stop`() async throws {
        let server = try await TestServer.start()
        _ = try await server.manage("user/create", bea)
        let body: JSONValue = [
            "impersonatorId": .string(TestServer.username), "loginId": "bea@example.com", "validateConsent": false,
        ]
        #expect(try await server.manage("impersonate", body).status == 400)
        _ = try await server.manage("permission/create", ["name": .string(DescopeSessions.impersonation)])
        let rights: JSONValue = ["name": "support", "permissionNames": [.string(DescopeSessions.impersonation)]]
        _ = try await server.manage("role/create", rights)
        _ = try await server.manage(
            "user/update/role/set", ["loginId": .string(TestServer.username), "roleNames": ["support"]])
        let acting = try await server.manage("impersonate", body)
        let jwt = try #require(acting.json["jwt"]?.stringValue)
        let session = try await server.method("refresh", jwt)
        let claims = TestServer.claims(session.json["sessionJwt"]?.stringValue.map { Secret($0) })
        #expect(claims["act"] == ["sub": .string(TestServer.subject.rawValue)])
        #expect(session.json["user"]?["email"] == "bea@example.com")
        let renewed = session.json["refreshJwt"] ?? .null
        let back = try await server.manage("stop/impersonation", ["jwt": renewed])
        let own = TestServer.claims(back.json["jwt"]?.stringValue.map { Secret($0) })
        #expect(own["sub"]?.stringValue == TestServer.subject.rawValue && own["act"] == nil)
        #expect(try await server.method("refresh", renewed.stringValue).status == 401)
        await server.stop()
    }

    @Test func `management adds claims at the top, but never the token's own`() async throws {
        let server = try await TestServer.start()
        let opened = try await server.session()
        let body: JSONValue = [
            "jwt": .string(opened.refreshJWT?.exposed() ?? ""),
            "customClaims": ["plan": "gold", "sub": "evil", "su": true],
        ]
        let updated = try await server.manage("jwt/update", body)
        let renewed = try await server.method("refresh", updated.json["jwt"]?.stringValue)
        let claims = TestServer.claims(renewed.json["sessionJwt"]?.stringValue.map { Secret($0) })
        #expect(claims["plan"] == "gold" && claims["su"] == nil)
        #expect(claims["sub"]?.stringValue == TestServer.subject.rawValue)
        let foreign = try await server.session(of: TestServer.username)
        _ = try await server.manage("user/create", bea)
        let mixed: JSONValue = [
            "loginId": "bea@example.com", "stepup": true, "jwt": .string(foreign.refreshJWT?.exposed() ?? ""),
        ]
        #expect(try await server.manage("auth/signin", mixed).status == 400, "another user's session")
        await server.stop()
    }
}
