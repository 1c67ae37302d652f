import Keyturn
import KeyturnTesting
import KeyturnVerify
import Testing

// docs/testing.md begins with this code; a style test compares the two.
@Test func `after an hour the app has a new token, and the backend takes it`() async throws {
    try await withTestServer { server in
        let auth = server.makeKeyturn(signingIn: "andy@example.com")
        try await auth.authorize(redirectURI: "http://127.0.0.1/callback")

        await server.clock.advance(by: .seconds(3_600))
        let token = try await auth.accessToken()

        let verifier = TokenVerifier(
            issuer: server.issuer, audience: server.issuer, keys: KeySet(issuer: server.issuer))
        let verified = try await verifier.verify(token, at: server.clock.now)
        #expect(verified.subject == TestUser.andy.subject)
    }
}
