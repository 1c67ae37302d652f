import KeyturnBase
import KeyturnVerify
import Testing

@Suite("A resource describes itself, RFC 9728")
struct ProtectedResourceTests {
    @Test(arguments: [
        ("https://api.example.com", "https://api.example.com/.well-known/oauth-protected-resource"),
        ("https://api.example.com/", "https://api.example.com/.well-known/oauth-protected-resource"),
        (
            "https://api.example.com:8443/v1/notes",
            "https://api.example.com:8443/.well-known/oauth-protected-resource/v1/notes"
        ),
        ("https://api.example.com?x=1", "https://api.example.com/.well-known/oauth-protected-resource?x=1"),
        ("https://api.example.com/v1?x=/y", "https://api.example.com/.well-known/oauth-protected-resource/v1?x=/y"),
    ])
    func `its document is between host and path`(_ resource: String, _ address: String) {
        #expect(ProtectedResource(resource: resource, authorizationServers: []).address == address)
    }

    @Test func `the document says whose tokens it takes, and how`() throws {
        let resource = ProtectedResource(
            resource: "https://api.example.com", authorizationServers: ["https://id.example.com"], scopes: ["read"])
        let json = try JSONValue(parsing: resource.document)
        #expect(json["resource"] == "https://api.example.com")
        #expect(json["authorization_servers"] == ["https://id.example.com"])
        #expect(json["scopes_supported"] == ["read"])
        #expect(json["bearer_methods_supported"] == ["header"])
        #expect(json["dpop_signing_alg_values_supported"] == ["ES256", "ES384", "ES512", "EdDSA", "PS256"])
        var plain = ProtectedResource(resource: "https://a", authorizationServers: [], takesDPoP: false)
        #expect(try JSONValue(parsing: plain.document)["dpop_signing_alg_values_supported"] == nil)
        plain.metadata.resourceName = "Notes"
        #expect(try JSONValue(parsing: plain.document)["resource_name"] == "Notes")
    }

    static let address = "https://api.example.com/.well-known/oauth-protected-resource"
    static let metadata = "resource_metadata=\"\(address)\""

    @Test func `every challenge names the document, whatever else it says`() {
        let step = AuthError(
            .tokenInsufficient, "",
            cause: BearerChallenge.insufficientUserAuthentication(
                FreshnessPolicy(maxAgeSeconds: 5, acrValues: ["phr"])))
        let cases: [(AuthError, String)] = [
            (AuthError(.tokenMissing, ""), ""), (AuthError(.tokenExpired, ""), "error=\"invalid_token\", "),
            (step, "error=\"insufficient_user_authentication\", acr_values=\"phr\", max_age=\"5\", "),
        ]
        for (error, words) in cases {
            let plain = BearerChallenge(answering: error, resourceMetadata: Self.address)
            #expect(plain.header == "Bearer " + words + Self.metadata)
            let named = BearerChallenge(answering: error, realm: "notes", resourceMetadata: Self.address)
            #expect(named.header == "Bearer realm=\"notes\", " + words + Self.metadata)
        }
        #expect(BearerChallenge(answering: AuthError(.unavailable, ""), resourceMetadata: Self.address).header == nil)
    }

    @Test func `71: a stronger sign-in is demanded in full in both schemes`() {
        let policy = FreshnessPolicy(maxAgeSeconds: 5, acrValues: ["phr", "mfa"])
        let error = AuthError(.tokenInsufficient, "", cause: BearerChallenge.insufficientUserAuthentication(policy))
        let words =
            "error=\"insufficient_user_authentication\", acr_values=\"phr mfa\", max_age=\"5\", " + Self.metadata
        let algorithms = ", " + DPoPResourceTests.algorithms
        for (authorization, headers) in [
            ("DPoP a", ["DPoP " + words + algorithms]),
            ("Bearer a", ["Bearer " + words, "DPoP " + Self.metadata + algorithms]),
        ] {
            let request = ResourceRequest(authorization: authorization, proofs: [], method: "GET", url: TestProver.url)
            let challenge = DPoPChallenge(answering: error, to: request, resourceMetadata: Self.address)
            #expect(challenge.status == 401)
            #expect(challenge.headers == headers)
        }
    }
}
