import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("The management interface: how users get in")
struct ManagedUserAccessTests {
    private static let andy: JSONValue = .string(TestServer.username)

    @Test func `a user's sessions are listed, and each is ended alone`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        let tokens = try await server.tokens(TestClients.portal, in: browser)
        let path = "user/sessions?loginId=\(TestServer.username)"
        let listed = try await server.manage(path, nil, method: "GET")
        #expect(listed.status == 200 && listed.json["biometricKeys"] == [])
        let session = try #require(listed.json["sessions"]?.arrayValue?.first)
        let app = try #require(listed.json["apps"]?.arrayValue?.first)
        #expect(app["clientId"] == "portal" && app["sessionId"] == session["sessionId"])
        #expect(session["remoteAddress"] == "127.0.0.1")
        let grant: JSONValue = ["loginId": Self.andy, "grantId": app["grantId"] ?? .null]
        #expect(try await server.manage("user/sessions/end", grant).json["ended"] == true)
        #expect(try await server.manage("user/sessions/end", grant).json["ended"] == false)
        #expect(try await server.refresh(tokens.refreshToken, TestClients.portal).error == "invalid_grant")
        let other: JSONValue = ["loginId": Self.andy, "sessionId": session["sessionId"] ?? .null]
        #expect(try await server.manage("user/sessions/end", other).json["ended"] == true)
        #expect(try await browser.open("/settings").page == "login")
        for kind in [AuditEvent.Kind.grantEnded, .sessionEnded] {
            #expect(try await server.newestEvent(kind)?.actor?.hasPrefix("management:") == true)
        }
        #expect(try await server.manage("user/sessions/end", ["loginId": Self.andy]).status == 400)
        #expect(try await server.manage("user/sessions/end", ["loginId": "x", "sessionId": "y"]).status == 400)
        #expect(try await server.call("GET", "/v1/mgmt/\(path)", bearer: "test:wrong").status == 401)
        await server.stop()
    }

    @Test func `factors are removed, and a reset and an invitation are sent`() async throws {
        let server = try await TestServer.start()
        _ = try await server.giveAuthenticator()
        _ = try await server.services.methods.recoveryCodes.make(for: TestServer.subject)
        let body: JSONValue = ["loginId": Self.andy]
        #expect(try await server.manage("user/secondfactor/delete", body).status == 200)
        #expect(try await server.account(TestServer.username)?.hasAuthenticator == false)
        #expect(try await server.services.methods.recoveryCodes.count(of: TestServer.subject) == 0)
        #expect(
            try await server.newestEvent(.authenticatorRemoved)?.actor?.hasPrefix("management:") == true)
        let reset: JSONValue = ["loginId": Self.andy, "expire": true]
        #expect(try await server.manage("user/password/reset", reset).status == 200)
        #expect(try await server.messages(.passwordReset).map(\.to) == [TestServer.username])
        #expect(try await server.services.stores.passwords.state(of: TestServer.subject).mustReplace)
        #expect(try await server.manage("user/invite", body).status == 400, "not invited")
        _ = try await server.manage("user/create", ["loginId": "bea@example.com", "invite": true])
        #expect(try await server.manage("user/invite", ["loginId": "bea@example.com"]).status == 200)
        #expect(try await server.messages(.invitation).map(\.to) == ["bea@example.com", "bea@example.com"])
        await server.stop()
    }

    @Test func `two accounts of a user are merged`() async throws {
        let server = try await TestServer.start()
        try await server.addBea()
        let merged = try await server.manage(
            "user/merge", ["loginId": Self.andy, "otherLoginId": "bea@example.com"])
        #expect(merged.json["user"]?["userId"]?.stringValue == TestServer.subject.rawValue)
        #expect(try await server.account("bea@example.com")?.user.id == TestServer.subject)
        await server.stop()
    }
}
