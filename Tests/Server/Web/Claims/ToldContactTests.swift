import Authority
import Foundation
import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

/// 93: an address that was never proved must not sign its holder in anywhere else.
@Suite("Clients: addresses and names that were not proved")
struct ToldContactTests {
    static let everything = TestClients.make("everything", method: "none", secret: nil, firstParty: true) {
        $0.idTokenClaims = ["email", "email_verified", "phone_number", "name", "preferred_username", "nickname"]
        $0.userinfoClaims = $0.idTokenClaims
    }
    static let lenient = TestClients.make("lenient", method: "none", secret: nil, firstParty: true) {
        $0.idTokenClaims = ["email", "email_verified", "phone_number"]
        $0.unverifiedContacts = true
    }

    /// A user of `login` whose claims somebody else could have written.
    private func made(
        _ login: String, _ claims: [String: JSONValue], at server: TestServer
    ) async throws -> UserID {
        let now = server.clock.now
        let user = User(id: .make(server.services.ambient), claims: claims, createdAt: now, updatedAt: now)
        let hash = try await server.services.passwords.hash(Secret(TestServer.password))
        let identifier = try #require(Identifier(loginID: login))
        try await server.services.stores.users.create(
            Account(user: user, identifiers: [identifier: .unverified], passwordHash: hash))
        return user.id
    }

    /// Everything that a client hears of the user who signs in by a name.
    private func heard(
        by client: Client, of login: String, _ server: TestServer
    ) async throws -> (idToken: [String: JSONValue], userInfo: [String: JSONValue]) {
        let (proof, browser) = (PKCE(ambient: .live), server.browser())
        var request = server.request(client, proof: proof)
        request.scope = "openid profile email phone"
        let screen = try await server.complete(
            try await server.authorize(request, in: browser), in: browser, username: login)
        let code = try #require(try TestServer.callback(screen)?.code)
        let tokens = try await server.redeem(code, client, proof: proof).json
        let idToken = try #require(tokens["id_token"]?.stringValue)
        let payload = try #require(Base64URL.decode(idToken.split(separator: ".")[1]))
        let info = try await server.send(
            "GET", "/oauth2/userinfo",
            headers: [("Authorization", "Bearer \(tokens["access_token"]?.stringValue ?? "")")], body: nil)
        return (
            try #require(JSONValue(parsing: payload).objectValue), try #require(info.json.objectValue)
        )
    }

    @Test func `93: another user's address reaches no client, by any of its ways`() async throws {
        let server = try await TestServer.start(clients: [Self.everything, Self.lenient])
        let victim: JSONValue = .string(TestServer.username)
        _ = try await made(
            "thief",
            [
                "email": victim, "email_verified": false, "phone_number": "+15550001111", "name": victim,
                "preferred_username": victim, "nickname": "\u{FF21}ndy <andy@example.com>",
            ], at: server)
        let (idToken, userInfo) = try await heard(by: Self.everything, of: "thief", server)
        for told in [idToken, userInfo] {
            for claim in [
                "email", "email_verified", "phone_number", "phone_number_verified", "name", "preferred_username",
                "nickname",
            ] { #expect(told[claim] == nil, "\(claim)") }
        }
        let asked = try await heard(by: Self.lenient, of: "thief", server)
        for told in [asked.idToken, asked.userInfo] {
            #expect(told["email"] == victim && told["email_verified"] == false)
            #expect(told["phone_number"] == "+15550001111")
        }
        #expect(asked.userInfo["phone_number_verified"] == false)
        #expect(asked.userInfo["preferred_username"] == nil, "a name is never such an address")
        await server.stop()
    }

    @Test func `an unset flag means not proved`() async throws {
        let server = try await TestServer.start(clients: [Self.everything, Self.lenient])
        _ = try await made("quiet", ["email": "quiet@example.com", "email_verified": "true"], at: server)
        #expect(try await heard(by: Self.everything, of: "quiet", server).userInfo["email"] == nil)
        let told = try await heard(by: Self.lenient, of: "quiet", server).userInfo
        #expect(told["email"] == "quiet@example.com" && told["email_verified"] == false)
        await server.stop()
    }

    @Test func `a proved address is told, and names that are the user's own`() async throws {
        let server = try await TestServer.start(clients: [Self.everything])
        let now = server.clock.now
        _ = try await server.services.stores.users.change(TestServer.subject, at: now) { account in
            account.user.claims["preferred_username"] = "andy@example.com"
            account.user.claims["nickname"] = "Andy"
        }
        let (idToken, userInfo) = try await heard(by: Self.everything, of: TestServer.username, server)
        for told in [idToken, userInfo] {
            #expect(told["email"]?.stringValue == TestServer.username && told["email_verified"] == true)
            #expect(told["name"] == "Andy Rhoads" && told["preferred_username"] == "andy@example.com")
            #expect(told["nickname"] == "Andy")
            #expect(told["phone_number"] == nil, "it was not proved")
        }
        await server.stop()
    }

    @Test(arguments: ["bea", "BEA", " bea ", "\u{FF42}ea", "bea@example.com", "+15550002222"])
    func `93: another account's login ID is no name of a user, in no spelling`(_ name: String) async throws {
        let server = try await TestServer.start(clients: [Self.everything])
        for login in ["bea", "bea@example.com", "+15550002222"] { _ = try await made(login, [:], at: server) }
        _ = try await made(
            "thief", ["preferred_username": .string(name), "nickname": .string(name)], at: server)
        let userInfo = try await heard(by: Self.everything, of: "thief", server).userInfo
        #expect(userInfo["preferred_username"] == nil && userInfo["nickname"] == nil)
        await server.stop()
    }

    @Test func `93: the methods' wire says nothing of what was not proved, unless the operator wants it`() async throws
    {
        let profile: JSONValue = [
            "loginId": "thief@evil.example", "password": "some-long-pass-word-1",
            "user": ["email": .string(TestServer.username), "phone": "+15550001111", "name": "andy@example.com"],
        ]
        for isTold in [false, true] {
            let server = try await TestServer.start { issuer in
                Project(
                    id: "test", name: "Test", issuer: issuer,
                    authority: AuthorityPolicy(unverifiedContacts: isTold))
            }
            let answer = try await server.call("password/signup", profile)
            let session = try #require(answer.json["refreshJwt"]?.stringValue)
            let me = try await server.call("GET", "/v1/auth/me", bearer: "test:\(session)").json
            for user in [answer.json["user"], me] {
                #expect(user?["email"]?.stringValue == (isTold ? TestServer.username : ""))
                #expect(user?["phone"]?.stringValue == (isTold ? "+15550001111" : ""))
                #expect(user?["verifiedEmail"] == false && user?["verifiedPhone"] == false)
                #expect(user?["name"] == "", "a name is never such an address")
                #expect(user?["loginIds"]?.stringArrayValue == ["thief@evil.example"])
            }
            // Operators see everything.
            let managed = try await server.manage("user?loginId=thief@evil.example", nil, method: "GET").json["user"]
            #expect(managed?["email"]?.stringValue == TestServer.username)
            await server.stop()
        }
    }
}
