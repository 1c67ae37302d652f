import Foundation
import KeyturnBase
import KeyturnWire
import ServerTesting
import SignIn
import Testing

@Suite("Sessions in which somebody acts as another")
struct ImpersonationTests {
    @Test func `they change nothing about how the other signs in, and end none of their sessions`() async throws {
        let server = try await TestServer.start()
        _ = try await server.manage("user/create", ["loginId": "support@example.com"])
        _ = try await server.manage("permission/create", ["name": .string(DescopeSessions.impersonation)])
        _ = try await server.manage(
            "role/create", ["name": "support", "permissionNames": [.string(DescopeSessions.impersonation)]])
        _ = try await server.manage(
            "user/update/role/set", ["loginId": "support@example.com", "roleNames": ["support"]])
        let own = try await server.session()
        let name = JSONValue.string(TestServer.username)
        let acting = try await server.manage("impersonate", ["impersonatorId": "support@example.com", "loginId": name])
        let jwt = try #require(acting.json["jwt"]?.stringValue)
        #expect(try await server.call("me", [:], refresh: jwt).status == 405, "a GET")
        let calls: [(String, JSONValue)] = [
            ("password/update", ["loginId": name, "newPassword": "support-knows-this-1"]),
            ("totp/update", ["loginId": name]),
            ("otp/update/email", ["loginId": name, "email": "support@example.com"]),
            ("magiclink/update/email", ["loginId": name, "email": "support@example.com"]),
            ("enchantedlink/update/email", ["loginId": name, "email": "support@example.com"]),
            ("otp/update/phone/sms", ["loginId": name, "phone": "+15557654321"]),
            ("otp/signin/email", ["loginId": name, "loginOptions": ["stepup": true]]),
            (
                "password/signin",
                [
                    "loginId": name, "password": .string(TestServer.password), "loginOptions": ["mfa": true],
                ]
            ),
        ]
        for (path, body) in calls {
            let answer = try await server.call(path, body, refresh: jwt)
            // Another user's sign-in is refused to this session; a step-up is refused to the token.
            let status = path.contains("/update") ? 403 : 400
            #expect(answer.status == status && answer.errorCode == "E011003", "\(path)")
        }
        #expect(try await server.call("logoutall", [:], refresh: jwt).status == 200)
        #expect(try await server.call("refresh", [:], refresh: own.refreshJWT?.exposed()).status == 200)
        #expect(try await server.call("refresh", [:], refresh: jwt).status == 401, "but their own")
        await server.stop()
    }
}
