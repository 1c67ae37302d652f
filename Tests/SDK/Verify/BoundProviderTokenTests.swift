import KeyturnBase
import KeyturnVerify
import Testing

@Suite("Bound tokens of other people's providers, RFC 8705 and RFC 9449")
struct BoundProviderTokenTests {
    static let certificate: JSONValue = ["x5t#S256": "bwcK0esc3ACC3DB2Y5_lESsXE8o9ltc05O89jdN-dg2"]

    @Test(arguments: ProviderToken.all)
    func `65: a token that is bound to a certificate is refused by that name`(_ token: ProviderToken) async throws {
        let both: JSONValue = ["x5t#S256": "a", "jkt": "abc"]
        for binding in [Self.certificate, both] {
            let text = UnverifiedToken(token.access(["cnf": binding]))
            for thumbprint in [nil, "abc"] {
                let verifier = try token.verifier()
                let error = await #expect(throws: AuthError(.tokenKind, "")) {
                    try await verifier.verify(text, proofKeyThumbprint: thumbprint, at: TestIssuer.now)
                }
                #expect(error?.detail.contains("x5t#S256") == true && error?.detail.contains("RFC 8705") == true)
            }
        }
    }

    @Test func `65: the strict default refuses it by that name, too`() async throws {
        let text = TokenVerifierTests.issuer.token(TestIssuer.accessClaims(["cnf": Self.certificate]))
        let error = await #expect(throws: AuthError(.tokenKind, "")) { try await TokenVerifierTests.verify(text) }
        #expect(error?.detail.contains("x5t#S256") == true)
    }

    @Test func `65: Keycloak's DPoP token needs the proof of its key`() async throws {
        let token = ProviderToken.keycloakDPoP
        let text = UnverifiedToken(token.access(["cnf": ["jkt": "abc"]]))
        let verifier = try token.verifier()
        #expect(try await verifier.verify(text, proofKeyThumbprint: "abc", at: TestIssuer.now).clientID == "app")
        for thumbprint in [nil, "abd"] {
            await #expect(throws: AuthError(.tokenKind, "")) {
                try await verifier.verify(text, proofKeyThumbprint: thumbprint, at: TestIssuer.now)
            }
        }
    }
}
