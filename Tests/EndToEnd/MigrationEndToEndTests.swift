import Keyturn
import KeyturnBase
import KeyturnVerify
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("End to end: moving from another service, with nobody signed out")
struct MigrationEndToEndTests {
    @Test func `an app brings its old session along, once, and goes on with ours`() async throws {
        let old = try await TestServer.start()
        let source = MigrationSource(
            issuer: old.issuer, audience: "web", subject: .sub, keys: TestServer.keys(at: old.issuer + "/oauth2/jwks"))
        let server = try await TestServer.start(migration: [source])
        let token = try #require(try await old.tokens(TestClients.web).idToken)
        let auth = server.app()
        #expect(try await auth.start() == .signedOut)
        let response = try await auth.migrateSession(externalToken: token)
        #expect(!response.isFirstAuthentication && response.user.userId == TestServer.subject.rawValue)
        #expect(await auth.state == .signedIn(.fresh))
        let verified = try await server.sessionTokens.verify(try await auth.accessToken(), at: server.clock.now)
        #expect(verified.subject == TestServer.subject.rawValue && verified.amr == ["fed"])
        server.clock.advance(601)
        #expect(try await auth.accessToken() != response.sessionToken.jwt, "it renews itself")

        let thief = server.app()
        let again = await #expect(throws: AuthError.self) { try await thief.migrateSession(externalToken: token) }
        #expect(again?.methodCode == MethodProblem.invalidRequest.code)
        await old.stop()
        await server.stop()
    }

    @Test func `a token for another app of the old service is refused, and so is one while its keys cannot be had`()
        async throws
    {
        let old = try await TestServer.start()
        let keys = TestServer.keys(at: old.issuer + "/oauth2/jwks")
        let server = try await TestServer.start(
            migration: [MigrationSource(issuer: old.issuer, audience: "portal", subject: .sub, keys: keys)])
        let auth = server.app()
        let token = try #require(try await old.tokens(TestClients.web).idToken)
        let refused = await #expect(throws: AuthError.self) { try await auth.migrateSession(externalToken: token) }
        #expect(refused?.methodCode == MethodProblem.invalidRequest.code)
        let nowhere = try await TestServer.start(
            migration: [
                MigrationSource(
                    issuer: old.issuer, audience: "web", subject: .sub,
                    keys: TestServer.keys(at: old.issuer + "/nothing"))
            ])
        await #expect(throws: AuthError(.unavailable, "")) {
            try await nowhere.app().migrateSession(externalToken: token)
        }
        for server in [old, server, nowhere] { await server.stop() }
    }
}
