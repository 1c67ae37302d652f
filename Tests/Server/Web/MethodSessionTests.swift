import Foundation
import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

@Suite("Sessions of the methods")
struct MethodSessionTests {
    private func refresh(_ answer: EndpointAnswer) -> String? { answer.json["refreshJwt"]?.stringValue }

    private func claims(_ answer: EndpointAnswer, _ name: String = "sessionJwt") -> JSONValue {
        TestServer.claims(answer.json[name]?.stringValue.map { Secret($0) })
    }

    @Test func `a session says whose it is, what for, and no more than it should`() async throws {
        let server = try await TestServer.start()
        let session = try await server.session(options: LoginOptions(customClaims: ["k": "v", "sub": "evil"]))
        let claims = TestServer.claims(session.sessionJWT)
        #expect(claims["iss"]?.stringValue == "\(server.issuer)/test" && claims["aud"]?.stringValue == "test")
        #expect(claims["sub"]?.stringValue == TestServer.subject.rawValue && claims["drn"]?.stringValue == "DS")
        #expect(claims["nsec"] == ["k": "v", "sub": "evil"] && claims["k"] == nil)
        #expect(claims["amr"] == ["email"] && claims["su"] == nil && claims["tenants"] == nil)
        let longer = TestServer.claims(session.refreshJWT)
        #expect(longer["drn"]?.stringValue == "DSR" && longer["nsec"] == nil)
        let me = try await server.call("GET", "/v1/auth/me", bearer: "test:\(session.refreshJWT?.exposed() ?? "")")
        #expect(me.status == 200 && me.json["userId"]?.stringValue == TestServer.subject.rawValue)
        await server.stop()
    }

    @Test func `a refresh keeps claims and tenant, and repeats its answer to whoever lost it`() async throws {
        let server = try await TestServer.start()
        for id in ["t1", "t2"] {
            _ = try await server.manage("tenant/create", ["id": .string(id), "name": .string(id)])
        }
        for id in ["t1", "t2"] {
            let body: JSONValue = ["loginId": .string(TestServer.username), "tenantId": .string(id)]
            #expect(try await server.manage("user/update/tenant/add", body).status == 200)
        }
        let opened = try await server.session(options: LoginOptions(customClaims: ["k": 1]))
        #expect(TestServer.claims(opened.sessionJWT)["dct"] == nil, "nothing is selected among two")
        let first = opened.refreshJWT?.exposed()
        #expect(try await server.method("tenant/select", first, ["tenant": "t3"]).status == 400)
        let selected = try await server.method("tenant/select", first, ["tenant": "t2"])
        #expect(claims(selected)["dct"] == "t2")
        let second = try await server.method("refresh", refresh(selected))
        #expect(claims(second)["dct"] == "t2" && claims(second)["nsec"] == ["k": 1])
        #expect(second.json["firstSeen"] == false)
        let again = try await server.method("refresh", first)
        #expect(again.status == 200 && claims(again, "refreshJwt")["rt"] == claims(second, "refreshJwt")["rt"])
        server.clock.advance(61)
        let third = try await server.method("refresh", refresh(second))
        server.clock.advance(61)
        #expect(try await server.method("refresh", first).status == 401, "two behind: a copy")
        #expect(try await server.method("refresh", refresh(third)).status == 401, "and so the session is over")
        await server.stop()
    }

    @Test func `neither token passes as the other, nor as another project's, nor as a key`() async throws {
        let server = try await TestServer.start()
        let session = try await server.session()
        let (short, long) = (session.sessionJWT?.exposed() ?? "", session.refreshJWT?.exposed() ?? "")
        let access = try await server.tokens(TestClients.web)
        for token in [
            short, access.accessToken, access.idToken ?? "", access.refreshToken ?? "", "eyJ.e.e", long + "x",
        ] {
            #expect(try await server.method("refresh", token).status == 401)
            #expect(try await server.call("GET", "/v1/auth/me", bearer: "test:\(token)").status == 401)
        }
        for bearer in ["other:\(long)", "", ":\(long)", "test::\(long)", "test:\(long):a:b", long, "test:\(long) x"] {
            #expect(try await server.call("GET", "/v1/auth/me", bearer: bearer).status == 401)
        }
        #expect(try await server.call("GET", "/v1/auth/me", bearer: nil).status == 401)
        for key in [short, long, "wrong", "\(long):\(short)", "\(TestServer.managementKey)x"] {
            let answer = try await server.call("GET", "/v1/mgmt/user?loginId=x", bearer: "test:\(key)")
            #expect(answer.status == 401 && answer.json["errorCode"]?.stringValue == "E011003")
        }
        #expect(try await server.get("/oauth2/userinfo", token: short).status == 401)
        #expect(try await server.get("/oauth2/userinfo", token: long).status == 401)
        let inner = TestServer.claims(session.refreshJWT)["rt"]?.stringValue
        #expect(try await server.refresh(inner, TestClients.web).error == "invalid_grant")
        #expect(try await server.method("refresh", long).status == 200)
        await server.stop()
    }

    @Test func `attack 51: whoever is disabled, deleted or has a new password has no session`() async throws {
        let server = try await TestServer.start()
        let name = JSONValue.string(TestServer.username)
        var session = try await server.session().refreshJWT?.exposed()
        try await server.services.stores.passwords.set("$x", of: TestServer.subject, at: server.clock.now)
        #expect(try await server.method("refresh", session).status == 401)
        session = try await server.session().refreshJWT?.exposed()
        _ = try await server.manage("user/update/status", ["loginId": name, "status": "expired"])
        #expect(try await server.method("refresh", session).status == 401)
        await #expect(throws: MethodProblem.self) { try await server.session() }
        _ = try await server.manage("user/update/status", ["loginId": name, "status": "enabled"])
        session = try await server.session().refreshJWT?.exposed()
        _ = try await server.manage("user/delete", ["loginId": name])
        #expect(try await server.method("refresh", session).status == 401)
        await server.stop()
    }

    @Test func `attack 72: step-up makes a new session, and the old one ends when the new one is used`() async throws {
        let server = try await TestServer.start()
        let old = try await server.session().refreshJWT?.exposed()
        let new = try await server.session(by: .totp, options: LoginOptions(stepup: true), presented: old)
        let claims = TestServer.claims(new.sessionJWT)
        #expect(claims["su"] == true && claims["amr"] == ["email", "totp", "mfa"])
        #expect(TestServer.claims(new.refreshJWT)["su"] == nil)
        #expect(claims["gid"] != TestServer.claims(Secret(old ?? ""))["gid"])
        let renewed = try await server.method("refresh", new.refreshJWT?.exposed())
        #expect(self.claims(renewed)["su"] == nil && self.claims(renewed)["amr"] == ["email", "totp", "mfa"])
        #expect(try await server.method("refresh", old).status == 401)
        await #expect(throws: MethodProblem.self) {
            try await server.session(by: .totp, options: LoginOptions(stepup: true))
        }
        await server.stop()
    }

    @Test(arguments: [(Int64(900), true), (901, false)])
    func `a second factor counts within fifteen minutes of the first`(_ seconds: Int64, _ counts: Bool) async throws {
        let server = try await TestServer.start()
        let first = try await server.session().refreshJWT?.exposed()
        server.clock.advance(seconds)
        let second = try? await server.session(by: .totp, options: LoginOptions(mfa: true), presented: first)
        #expect((second != nil) == counts)
        let late = try await server.session(by: .totp, options: LoginOptions(stepup: true), presented: first)
        let words = TestServer.claims(late.sessionJWT)["amr"]?.stringArrayValue ?? []
        #expect(words.contains("mfa") == counts)
        await server.stop()
    }

    @Test func `logging out ends one session or all, and revoking others leaves the new one`() async throws {
        let server = try await TestServer.start()
        let one = try await server.session().refreshJWT?.exposed()
        let two = try await server.session().refreshJWT?.exposed()
        #expect(try await server.method("logout", one).status == 200)
        #expect(try await server.method("refresh", one).status == 401)
        #expect(try await server.method("refresh", two).status == 200)
        let three = try await server.session(options: LoginOptions(revokeOtherSessions: true)).refreshJWT?.exposed()
        #expect(try await server.method("refresh", two).status == 401)
        #expect(try await server.method("refresh", three).status == 200)
        #expect(try await server.method("logoutall", three).status == 200)
        #expect(try await server.method("refresh", three).status == 401)
        await server.stop()
    }

    @Test func `a refresh costs one guarded statement and the user's row`() async throws {
        let counter = ServerStatements()
        let server = try await TestServer.start(onStatement: { counter.add($0) })
        let session = try await server.session().refreshJWT?.exposed()
        _ = counter.take()
        #expect(try await server.method("refresh", session).status == 200)
        #expect(counter.take().count == 2)
        #expect(try await server.call("GET", "/v1/auth/me", bearer: "test:\(session ?? "")").status == 200)
        #expect(counter.take().count == 1)
        #expect(try await server.method("refresh", "eyJhbGciOiJub25lIn0.eyJ9.x").status == 401)
        #expect(counter.take().isEmpty)
        await server.stop()
    }

    @Test func `bodies are bounded, and every refusal has one form`() async throws {
        let server = try await TestServer.start()
        let deep = String(repeating: "[", count: 40) + String(repeating: "]", count: 40)
        let big = "{\"a\":\"\(String(repeating: "x", count: Limits.methodBodyBytesMax))\"}"
        for (body, status) in [("{", 400), (deep, 400), ("1", 400), (big, 413), (#"{"a":1,"a":2}"#, 400)] {
            let headers = [("Authorization", "Bearer test"), ("Content-Type", "application/json")]
            let answer = try await server.send("POST", "/v1/auth/refresh", headers: headers, body: body)
            #expect(answer.status == status && answer.json["errorCode"]?.stringValue?.hasPrefix("E0") == true)
        }
        let foreign = try await server.method("refresh", nil, ["externalToken": "eyJ.a.b"])
        #expect(foreign.status == 400 && foreign.json["errorCode"]?.stringValue == "E011003")
        let keys = try await server.call("GET", "/v2/keys/test", bearer: "test").json["keys"]?.arrayValue ?? []
        #expect(keys.count == 2 && keys.allSatisfy { $0["kid"] != nil && $0["alg"] != nil && $0["use"] == "sig" })
        await server.stop()
    }
}
