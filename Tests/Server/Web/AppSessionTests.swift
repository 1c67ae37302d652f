import Foundation
import Identity
import KeyturnBase
import KeyturnWire
import Model
import OAuth
import ServerTesting
import Testing

/// An app that signed in by an authorization, and calls the methods with that session.
private struct App {
    let server: TestServer
    let prover: Prover
    let refreshToken: String

    init(_ server: TestServer, _ client: Client = TestClients.tool) async throws {
        self.server = server
        prover = Prover(server)
        refreshToken = try #require(try await prover.tokens(client).refreshToken)
    }

    func get(_ path: String, token: String? = nil, proof: String?? = .none) async throws -> EndpointAnswer {
        try await call(path, method: "GET", token: token, proof: proof)
    }

    func call(
        _ path: String, _ body: JSONValue = [:], method: String = "POST", token: String? = nil,
        proof: String?? = .none
    ) async throws -> EndpointAnswer {
        let proof = try proof ?? prover.proof(method: method, path: "/v1/auth/\(path)")
        return try await server.send(
            method, "/v1/auth/\(path)",
            headers: [("Authorization", "Bearer test:\(token ?? refreshToken)"), ("Content-Type", "application/json")]
                + (proof.map { [("DPoP", $0)] } ?? []),
            body: method == "GET" ? "" : String(decoding: body.serialized, as: UTF8.self))
    }

    /// What its session says about the sign-in after a renewal.
    func facts() async throws -> JSONValue {
        let form = FormParameters(["grant_type": "refresh_token", "refresh_token": refreshToken, "client_id": "tool"])
        let answer = try await server.send(
            "POST", "/oauth2/token",
            headers: [
                ("Content-Type", "application/x-www-form-urlencoded"), ("DPoP", try prover.proof()),
            ], body: form.encoded)
        guard answer.status == 200 else { throw TestFailure("\(answer.status) \(answer.body)") }
        return TestServer.claims(answer.json["id_token"]?.stringValue.map { Secret($0) })
    }
}

@Suite("An app's session at the methods")
struct AppSessionTests {
    @Test func `a session of an authorization opens the calls that want one, and is not spent`() async throws {
        let server = try await TestServer.start()
        let app = try await App(server)
        for _ in 0..<3 {
            let me = try await app.get("me")
            #expect(me.status == 200 && me.json["userId"]?.stringValue == TestServer.subject.rawValue)
        }
        #expect(try await app.get("me/history").status == 200)
        #expect(try await app.call("me/tenants", ["dct": true]).status == 200)
        let begun = try await app.call("totp/update", ["loginId": .string(TestServer.username)])
        #expect(begun.status == 200 && begun.json["key"]?.stringValue?.isEmpty == false)
        #expect(try await app.facts()["sub"]?.stringValue == TestServer.subject.rawValue)
        await server.stop()
    }

    @Test func `attack 72: step-up raises this very session, and renews to the new facts`() async throws {
        let server = try await TestServer.start()
        let app = try await App(server)
        #expect(try await app.facts()["amr"] == ["pwd"])
        let ask: JSONValue = [
            "loginId": .string(TestServer.username), "loginOptions": ["mfa": true, "customClaims": ["k": 1]],
        ]
        #expect(try await app.call("otp/signin/email", ask).status == 200)
        let code = try #require(try await server.message(to: TestServer.username).code)
        let answer = try await app.call(
            "otp/verify/email", ["loginId": .string(TestServer.username), "code": .string(code)])
        #expect(answer.status == 200 && answer.json["user"]?["userId"]?.stringValue == TestServer.subject.rawValue)
        #expect(answer.json["refreshJwt"]?.stringValue?.isEmpty != false, "an unbound copy of the session")
        let facts = try await app.facts()
        #expect(facts["amr"]?.stringArrayValue?.contains("mfa") == true)
        #expect(
            try await server.services.stores.grants.grants(of: TestServer.subject, limit: 9, at: server.clock.now)
                .count == 1)
        await server.stop()
    }

    @Test(arguments: ["otp", "magiclink"])
    func `a code or a link that comes without the session raises nothing`(_ method: String) async throws {
        let server = try await TestServer.start()
        let app = try await App(server)
        let name = JSONValue.string(TestServer.username)
        for shows in [false, true] {
            let ask: JSONValue = ["loginId": name, "loginOptions": ["mfa": true]]
            #expect(try await app.call("\(method)/signin/email", ask).status == 200)
            let message = try await server.message(to: TestServer.username)
            let answer: JSONValue
            let path: String
            if method == "otp" {
                (path, answer) = ("otp/verify/email", ["loginId": name, "code": .string(try #require(message.code))])
            } else {
                let link = try #require(message.links.first.flatMap { URLComponents(string: $0) })
                let token = try #require(link.queryItems?.first { $0.name == "t" }?.value)
                (path, answer) = ("magiclink/verify", ["token": .string(token)])
            }
            let status = try await shows ? app.call(path, answer).status : server.call(path, answer).status
            #expect(status == (shows ? 200 : 400))
            #expect(try await (app.facts()["amr"]?.stringArrayValue ?? []).contains("mfa") == shows)
        }
        await server.stop()
    }

    @Test func `another user's proof raises nothing`() async throws {
        let server = try await TestServer.start()
        let app = try await App(server)
        _ = try await server.signUpByCode("eve@example.com")
        let ask: JSONValue = ["loginId": "eve@example.com", "loginOptions": ["stepup": true]]
        _ = try await app.call("otp/signin/email", ask)
        if let code = try? await server.message(to: "eve@example.com").code {
            let answer = try await app.call("otp/verify/email", ["loginId": "eve@example.com", "code": .string(code)])
            #expect(answer.status == 400)
        }
        #expect(try await app.facts()["amr"] == ["pwd"])
        await server.stop()
    }

    @Test func `a new password keeps this session and ends the others`() async throws {
        let server = try await TestServer.start()
        let app = try await App(server)
        let other = try await server.session().refreshJWT?.exposed()
        let body: JSONValue = ["loginId": .string(TestServer.username), "newPassword": "a quite different one 7"]
        #expect(try await app.call("password/update", body).status == 200)
        #expect(try await server.method("refresh", other).status == 401)
        #expect(try await app.get("me").status == 200)
        #expect(try await app.call("logoutall").status == 200)
        #expect(try await app.get("me").status == 401)
        await #expect(throws: TestFailure.self) { try await app.facts() }
        await server.stop()
    }

    @Test func `revoking the other sessions keeps the one that was stepped up`() async throws {
        let server = try await TestServer.start()
        let app = try await App(server)
        let other = try await server.session().refreshJWT?.exposed()
        let body: JSONValue = [
            "loginId": .string(TestServer.username), "password": .string(TestServer.password),
            "loginOptions": ["stepup": true, "revokeOtherSessions": true],
        ]
        #expect(try await app.call("password/signin", body).status == 200)
        #expect(try await server.method("refresh", other).status == 401)
        #expect(try await app.get("me").status == 200)
        await server.stop()
    }

    @Test func `attack 50: without a proof of its key, for this request and once, the token opens nothing`()
        async throws
    {
        let server = try await TestServer.start()
        let app = try await App(server)
        let once = try app.prover.proof(method: "GET", path: "/v1/auth/me")
        #expect(try await app.get("me", proof: once).status == 200)
        let bad: [String?] = [
            nil, once, "rubbish", try app.prover.proof(method: "POST", path: "/v1/auth/me"),
            try app.prover.proof(method: "GET", path: "/v1/auth/me/history"),
            try Prover(server).proof(method: "GET", path: "/v1/auth/me"),
            try app.prover.proof(method: "GET", path: "/v1/auth/me", secondsOff: -10_000),
        ]
        for proof in bad {
            let answer = try await app.get("me", proof: .some(proof))
            #expect(answer.status == 401 && answer.errorCode == "invalid_dpop_proof", "\(proof ?? "none")")
            #expect(answer.headers["dpop-nonce"]?.isEmpty == false)
        }
        let nonce = try await app.get("me", proof: nil).headers["dpop-nonce"]
        let proof = try app.prover.proof(method: "GET", path: "/v1/auth/me", nonce: nonce)
        #expect(try await app.get("me", proof: proof).status == 200)
        await server.stop()
    }

    @Test func `only the operator's own public clients with bound tokens`() async throws {
        let stranger = TestClients.make("stranger", method: "none", secret: nil, firstParty: false, native: true)
        let server = try await TestServer.start()
        try await server.services.stores.clients.put(stranger, at: server.clock.now)
        try await server.services.clients.reload()
        let app = try await App(server)
        let confidential = try #require(try await app.prover.tokens(TestClients.portal).refreshToken)
        let unbound = try #require(try await server.tokens(TestClients.tool).refreshToken)
        let foreign = try #require(try await app.prover.tokens(stranger).refreshToken)
        for token in [confidential, unbound, foreign] {
            let answer = try await app.get("me", token: token)
            #expect(answer.status == 401 && answer.errorCode == "E011003")
            #expect(try await app.call("logoutall", token: token).status == 401)
        }
        for token in ["rubbish", app.refreshToken + "x", String(app.refreshToken.dropLast())] {
            #expect(try await app.get("me", token: token).status == 401)
        }
        #expect(try await app.call("refresh").status == 401, "it renews at the token endpoint alone")
        #expect(try await app.call("tenant/select", ["tenant": "t1"]).status == 400)
        let jwt: JSONValue = ["jwt": .string(app.refreshToken), "customClaims": ["a": 1]]
        #expect(try await server.manage("jwt/update", jwt).status == 400)
        await server.stop()
    }
}
