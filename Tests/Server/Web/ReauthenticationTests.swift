import Foundation
import Identity
import KeyturnBase
import KeyturnJose
import KeyturnWire
import Model
import OAuth
import ServerTesting
import Testing

@Suite("Reauthentication, OpenID Connect Core §3.1.2.1")
struct ReauthenticationTests {
    private static func may(_ idToken: String?) throws -> Bool? {
        let claims = try JSONValue(parsing: try UnverifiedJWS(try #require(idToken)).unverifiedPayload)
        return claims[UserClaims.canReauthenticate]?.boolValue
    }

    /// Somebody who is signed in, and came by a way that is gone: no password, no proved address, nothing.
    private func stranded(_ server: TestServer, _ client: Client = TestClients.tool) async throws -> String? {
        let now = server.clock.now
        let carl = UserID(rawValue: "33333333-3333-4333-8333-333333333333")
        let name = try #require(Identifier(loginID: "carl"))
        try await server.services.stores.users.create(
            Account(
                user: User(id: carl, createdAt: now, updatedAt: now), identifiers: [name: .unverified],
                passwordHash: nil))
        let grant = Grant(
            id: .make(.live), clientID: client.id, userID: carl, sessionID: nil,
            scope: Scope(names: ["openid"]), resources: [], authentication: .password(at: now), nonce: nil,
            claimsRequest: nil, createdAt: now, idleExpiresAt: now + 3_600, absoluteExpiresAt: now + 3_600)
        #expect(try await server.services.stores.grants.open(grant, epoch: 0, endingOthers: false, at: now))
        let token = RefreshTokenCodec(server.secrets).encode(RefreshToken(grantID: grant.id, counter: 0))
        return try await server.refresh(token, client).json["id_token"]?.stringValue
    }

    private static let claims = "{\"id_token\":{\"\(UserClaims.canReauthenticate)\":null}}"

    @Test func `ID tokens of those who did not ask say nothing of it`() async throws {
        let server = try await TestServer.start()
        for claims in [nil, "{\"userinfo\":{\"\(UserClaims.canReauthenticate)\":null}}"] {
            let tokens = try await server.tokens(TestClients.tool) { $0.claims = claims }
            #expect(try Self.may(tokens.idToken) == nil)
            let renewed = try await server.refresh(tokens.refreshToken, TestClients.tool)
            #expect(try Self.may(renewed.json["id_token"]?.stringValue) == nil)
        }
        await server.stop()
    }

    @Test func `every ID token of those who asked says whether its owner has anything to prove it with again`()
        async throws
    {
        let base = TestClients.make("authgear", method: "none", secret: nil, firstParty: true, native: true)
        let asking = Client(
            id: base.id, metadata: base.metadata, secretDigests: [], isFirstParty: true, profile: .authgear)
        let server = try await TestServer.start(clients: [asking])
        let tokens = try await server.tokens(TestClients.tool) { $0.claims = Self.claims }
        #expect(try Self.may(tokens.idToken) == true)
        let renewed = try await server.refresh(tokens.refreshToken, TestClients.tool)
        #expect(try Self.may(renewed.json["id_token"]?.stringValue) == true)
        #expect(try Self.may(try await stranded(server, asking)) == false)
        await server.stop()
    }

    @Test func `whoever has nothing to prove it with is not sent to a page without a way on`() async throws {
        let server = try await TestServer.start()
        var request = server.request(TestClients.tool, proof: PKCE(ambient: .live))
        request.idTokenHint = try await stranded(server)
        request.maxAge = "0"
        let screen = try await server.authorize(request, in: server.browser())
        let response = try #require(try TestServer.callback(screen))
        guard case .refused(let problem) = response.outcome else { throw TestFailure("not refused") }
        #expect(problem.code == .unmetAuthenticationRequirements)
        await server.stop()
    }

    @Test func `a recent sign-in asks for nothing but to continue, an older one is asked for again, to the second`()
        async throws
    {
        let server = try await TestServer.start()
        let browser = server.browser()
        let tokens = try await server.tokens(TestClients.tool, in: browser)
        var request = server.request(TestClients.tool, proof: PKCE(ambient: .live))
        request.idTokenHint = tokens.idToken
        request.maxAge = "300"
        server.clock.advance(300)
        let recent = try await server.authorize(request, in: browser)
        #expect(recent.page == "continue")
        #expect(try TestServer.callback(try await browser.submit(recent, ["action": "continue"])) != nil)
        server.clock.advance(1)
        #expect(try await server.authorize(request, in: browser).page == "login")
        request.prompt = "none"
        let refused = try #require(try TestServer.callback(try await server.authorize(request, in: browser)))
        guard case .refused(let problem) = refused.outcome else { throw TestFailure("not refused") }
        #expect(problem.code == .loginRequired)
        await server.stop()
    }

    @Test func `somebody else does not reauthenticate for the person that the hint names`() async throws {
        let server = try await TestServer.start()
        try await server.addBea()
        let tokens = try await server.tokens(TestClients.tool)
        let browser = server.browser()
        var request = server.request(TestClients.tool, proof: PKCE(ambient: .live))
        request.idTokenHint = tokens.idToken
        request.maxAge = "0"
        let login = try await server.authorize(request, in: browser)
        let screen = try await browser.submit(
            login, ["username": "bea@example.com", "password": TestServer.password])
        #expect(try TestServer.callback(screen) == nil && screen.page == "other-account")
        let again = try await browser.submit(screen, ["action": "other"])
        #expect(again.page == "login")
        let right = try await browser.submit(
            again, ["username": TestServer.username, "password": TestServer.password])
        #expect(try TestServer.callback(right) != nil)
        await server.stop()
    }
}
