import Foundation
import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("Token endpoint under attack")
struct TokenAttackTests {
    private func code(_ response: AuthorizationResponse) throws -> String {
        guard case .code(let code) = response.outcome else { throw TestFailure("refused: \(response.outcome)") }
        return code
    }

    @Test func `attack 11: a verifier for a code without a challenge is refused`() async throws {
        let server = try await TestServer.start()
        let code = try code(try await server.signIn(TestClients.web, proof: nil))
        let answer = try await server.redeem(code, TestClients.web, proof: PKCE(ambient: .live))
        #expect(answer.status == 400 && answer.error == "invalid_grant")
        #expect(try await server.redeem(code, TestClients.web, proof: nil).status == 200, "it was not consumed")
        await server.stop()
    }

    @Test func `attack 12: the verifier must be there, well-formed and right`() async throws {
        let server = try await TestServer.start()
        let proof = PKCE(ambient: .live)
        let code = try code(try await server.signIn(TestClients.tool, proof: proof))
        #expect(try await server.redeem(code, TestClients.tool, proof: nil).error == "invalid_grant")
        #expect(
            try await server.redeem(code, TestClients.tool, proof: PKCE(ambient: .live)).error == "invalid_grant")
        var short = TokenRequest.authorizationCode(
            code: Secret(code), redirectURI: "http://127.0.0.1/callback", codeVerifier: Secret("short")
        ).parameters
        short.append("client_id", "tool")
        #expect(try await server.post("/oauth2/token", short).error == "invalid_grant")
        #expect(try await server.redeem(code, TestClients.tool, proof: proof).status == 200)
        await server.stop()
    }

    @Test func `attack 25: a code is good once, and its second use ends everything`() async throws {
        let server = try await TestServer.start()
        let proof = PKCE(ambient: .live)
        let code = try code(try await server.signIn(TestClients.web, proof: proof))
        let first = try await server.redeem(code, TestClients.web, proof: proof)
        let access = try #require(first.json["access_token"]?.stringValue)
        #expect(try await server.get("/oauth2/userinfo", token: access).status == 200)
        #expect(try await server.redeem(code, TestClients.web, proof: proof).error == "invalid_grant")
        #expect(try await server.get("/oauth2/userinfo", token: access).status == 401)
        let refreshed = try await server.refresh(first.json["refresh_token"]?.stringValue, TestClients.web)
        #expect(refreshed.error == "invalid_grant")
        await server.stop()
    }

    @Test func `attack 26: of fifty parallel redemptions one succeeds`() async throws {
        let server = try await TestServer.start()
        let proof = PKCE(ambient: .live)
        let code = try code(try await server.signIn(TestClients.web, proof: proof))
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<50 {
                group.addTask { try await server.redeem(code, TestClients.web, proof: proof).status }
            }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(statuses.count { $0 == 200 } == 1)
        #expect(statuses.count { $0 == 400 } == 49)
        await server.stop()
    }

    @Test func `attack 27: another client or another redirect is refused and consumes nothing`() async throws {
        let server = try await TestServer.start()
        let proof = PKCE(ambient: .live)
        let code = try code(try await server.signIn(TestClients.web, proof: proof))
        #expect(try await server.redeem(code, TestClients.other, proof: proof).error == "invalid_grant")
        let elsewhere = try await server.redeem(code, TestClients.web, proof: proof, redirectURI: "https://evil.test/")
        #expect(elsewhere.error == "invalid_grant")
        #expect(try await server.redeem(code, TestClients.web, proof: proof).status == 200)
        await server.stop()
    }

    @Test func `attack 27: only a client that authenticates may leave the redirect out`() async throws {
        let server = try await TestServer.start()
        let proof = PKCE(ambient: .live)
        for (client, status) in [(TestClients.web, 200), (TestClients.tool, 400)] {
            let code = try code(try await server.signIn(client, proof: proof))
            let request = TokenRequest.authorizationCode(
                code: Secret(code), redirectURI: nil, codeVerifier: proof.codeVerifier)
            #expect(try await server.post("/oauth2/token", request.parameters, as: client).status == status)
        }
        // Without a verifier, only where the client is registered to send its secret as Box's clients do.
        for (client, status) in [(TestClients.web, 400), (TestClients.portal, 200)] {
            let code = try code(try await server.signIn(client, proof: nil))
            let request = TokenRequest.authorizationCode(code: Secret(code), redirectURI: nil, codeVerifier: nil)
            #expect(try await server.post("/oauth2/token", request.parameters, as: client).status == status)
        }
        await server.stop()
    }

    @Test(arguments: [(Int64(59), 200), (60, 400), (61, 400)])
    func `attack 28: a code lives for a minute`(_ seconds: Int64, _ status: Int) async throws {
        let server = try await TestServer.start()
        let proof = PKCE(ambient: .live)
        let code = try code(try await server.signIn(TestClients.web, proof: proof))
        server.clock.advance(seconds)
        #expect(try await server.redeem(code, TestClients.web, proof: proof).status == status)
        await server.stop()
    }

    @Test func `attacks 39 to 41: one way of authentication, the registered one`() async throws {
        let server = try await TestServer.start()
        let grant: KeyValuePairs<String, String?> = ["grant_type": "client_credentials"]
        let basic = (
            "Authorization", BasicCredentials(clientID: "web", clientSecret: Secret(TestClients.webSecret)).header
        )
        var both = FormParameters(grant)
        both.append("client_id", "web")
        both.append("client_secret", TestClients.webSecret)
        #expect(try await server.post("/oauth2/token", both, headers: [basic]).error == "invalid_client")
        #expect(try await server.post("/oauth2/token", both).error == "invalid_client", "web is registered for basic")
        var publicly = FormParameters(grant)
        publicly.append("client_id", "web")
        #expect(try await server.post("/oauth2/token", publicly).error == "invalid_client", "no public fallback")
        let wrong = ("Authorization", BasicCredentials(clientID: "web", clientSecret: Secret("wrong")).header)
        let unknown = ("Authorization", BasicCredentials(clientID: "nobody", clientSecret: Secret("wrong")).header)
        let wrongAnswer = try await server.post("/oauth2/token", FormParameters(grant), headers: [wrong])
        let unknownAnswer = try await server.post("/oauth2/token", FormParameters(grant), headers: [unknown])
        #expect(wrongAnswer.status == 401 && wrongAnswer.headers["www-authenticate"] != nil)
        #expect(wrongAnswer.body == unknownAnswer.body && wrongAnswer.status == unknownAnswer.status)
        // RFC 6749 §5.2: who did not use the Authorization header is not challenged to.
        for path in ["/oauth2/token", "/oauth2/revoke", "/oauth2/introspect"] {
            for form in [both, publicly, FormParameters(["client_id": "nobody", "token": "x"]), FormParameters(grant)] {
                let answer = try await server.post(path, form)
                #expect(answer.status == 400 && answer.error == "invalid_client", "\(path): \(answer.body)")
                #expect(answer.headers["www-authenticate"] == nil)
            }
        }
        #expect(try await server.post("/oauth2/token", FormParameters(grant), headers: [basic]).status == 200)
        await server.stop()
    }

    @Test func `attack 48: a refresh cannot ask for more`() async throws {
        let server = try await TestServer.start()
        let tokens = try await server.tokens(TestClients.web) { $0.scope = "openid email offline_access" }
        let more = try await server.refresh(tokens.refreshToken, TestClients.web, scope: "openid profile")
        #expect(more.status == 400 && more.error == "invalid_scope")
        await server.stop()
    }

    @Test func `attack 49: unused it ends after its idle time, used after its absolute time`() async throws {
        let server = try await TestServer.start { issuer in
            Project(id: "t", name: "T", issuer: issuer, idleSeconds: 1_000, absoluteSeconds: 2_500)
        }
        let idle = try await server.tokens(TestClients.web).refreshToken
        var used = try await server.tokens(TestClients.web).refreshToken
        server.clock.advance(999)
        used = try await server.refresh(used, TestClients.web).json["refresh_token"]?.stringValue
        server.clock.advance(1)
        #expect(try await server.refresh(idle, TestClients.web).error == "invalid_grant")
        server.clock.advance(990)
        used = try await server.refresh(used, TestClients.web).json["refresh_token"]?.stringValue
        #expect(used != nil)
        server.clock.advance(510)
        #expect(try await server.refresh(used, TestClients.web).error == "invalid_grant")
        await server.stop()
    }

    @Test func `attack 50: a refresh token is its client's alone`() async throws {
        let server = try await TestServer.start()
        let token = try await server.tokens(TestClients.web).refreshToken
        #expect(try await server.refresh(token, TestClients.other).error == "invalid_grant")
        #expect(try await server.refresh(token, TestClients.web).status == 200, "the owner is not signed out by it")
        await server.stop()
    }

    @Test func `attack 51: a changed password or a disabled user ends everything at once`() async throws {
        let server = try await TestServer.start()
        let store = server.services.stores.users
        let before = try await server.tokens(TestClients.web)
        try await server.services.stores.passwords.set(
            "$argon2id$none", of: TestServer.subject, at: server.clock.now)
        #expect(try await server.refresh(before.refreshToken, TestClients.web).error == "invalid_grant")
        #expect(try await server.get("/oauth2/userinfo", token: before.accessToken).status == 401)
        let hash = try await server.services.passwords.hash(Secret(TestServer.password))
        try await server.services.stores.passwords.set(hash, of: TestServer.subject, at: server.clock.now)
        let after = try await server.tokens(TestClients.web)
        var account = try #require(try await store.account(TestServer.subject))
        account.user.status = .disabled
        try await store.update(account, at: server.clock.now)
        #expect(try await server.refresh(after.refreshToken, TestClients.web).error == "invalid_grant")
        #expect(try await server.get("/oauth2/userinfo", token: after.accessToken).status == 401)
        await server.stop()
    }

    @Test func `attacks 52 to 58 and 60: at userinfo only our own access tokens are good`() async throws {
        let server = try await TestServer.start()
        let tokens = try await server.tokens(TestClients.web)
        let good = tokens.accessToken
        let parts = good.split(separator: ".").map(String.init)
        let none = Base64URL.encode(Array(#"{"alg":"none","typ":"at+jwt"}"#.utf8))
        let forged = Base64URL.encode(Array(#"{"alg":"HS256","typ":"at+jwt"}"#.utf8))
        let bad = [
            "\(none).\(parts[1]).", "\(none).\(parts[1]).\(parts[2])", "\(forged).\(parts[1]).\(parts[2])",
            "\(parts[0]).\(parts[1])", "\(good)=", "\(good).", " \(good)x", String(good.dropLast()),
            tokens.idToken ?? "", tokens.refreshToken ?? "", String(repeating: "a", count: 20_000), "..", "",
        ]
        for token in bad { #expect(try await server.get("/oauth2/userinfo", token: token).status == 401) }
        #expect(try await server.get("/oauth2/userinfo", token: good).status == 200)
        await server.stop()
    }

    @Test func `attack 115: what is too much is refused quickly`() async throws {
        let server = try await TestServer.start()
        let big = FormParameters(["grant_type": String(repeating: "a", count: 100_000)])
        #expect(try await server.post("/oauth2/token", big, as: TestClients.web).status == 413)
        var many = FormParameters()
        for index in 0..<200 { many.append("p\(index)", "x") }
        #expect(try await server.post("/oauth2/token", many, as: TestClients.web).status == 400)
        let deep = String(repeating: "{\"a\":", count: 200) + "1" + String(repeating: "}", count: 200)
        var request = server.request(TestClients.web, proof: nil)
        request.claims = deep
        let refused = try TestServer.callback(try await server.authorize(request, in: server.browser()))
        guard case .refused = refused?.outcome else { throw TestFailure("deep claims were taken") }
        let json = [("Content-Type", "application/json")]
        #expect(try await server.send("POST", "/oauth2/token", headers: json, body: "{}").status == 415)
        #expect(try await server.get("/oauth2/authorize?x=\(String(repeating: "a", count: 17_000))").status == 414)
        await server.stop()
    }
}
