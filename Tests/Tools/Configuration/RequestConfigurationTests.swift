import KeyturnBase
import KeyturnWire
import Model
import Testing

@testable import keyturn

@Suite("Configuration: strict clients, details, and clients that register themselves")
struct RequestConfigurationTests {
    private static let keys = #"jwks: { keys: [ { kty: EC, crv: P-256, x: AA, y: AA } ] }"#
    private static let strict = [
        "profile: fapi2", "token_endpoint_auth_method: private_key_jwt", keys,
        #"redirect_uris: [ "https://app.example/cb" ]"#,
    ]

    @Test func `what fapi2 switches on cannot be switched off beside it`() {
        let cases: [(String, [String])] = [
            ("id_token_signed_response_alg: ES256", []),
            ("id_token_signed_response_alg: RS256", ["7 clients[0].id_token_signed_response_alg"]),
            ("request_object_signing_alg: EdDSA", []),
            ("request_object_signing_alg: RS256", ["7 clients[0].request_object_signing_alg"]),
            ("token_endpoint_auth_signing_alg: ES512", ["7 clients[0].token_endpoint_auth_signing_alg"]),
            ("dpop_bound_access_tokens: false", ["7 clients[0].dpop_bound_access_tokens"]),
            ("dpop_bound_access_tokens: true", []),
            ("strict_assertions: false", ["7 clients[0].strict_assertions"]),
            ("strict_assertions: true", []),
            ("require_pushed_authorization_requests: false", ["7 clients[0].require_pushed_authorization_requests"]),
        ]
        for (line, expected) in cases {
            #expect(Sample.mistakes(Sample.client(Self.strict + [line])) == expected, "\(line)")
        }
        for algorithms in ["RS256", "RS256, ES256"] {
            let rsaFirst = "project: { signing_algorithms: [\(algorithms)] }\n" + Sample.client(Self.strict)
            #expect(Sample.mistakes(rsaFirst) == ["4 clients[0].profile"], "33: access tokens as well")
        }
        let rsaLast = "project: { signing_algorithms: [ES256, RS256] }\n" + Sample.client(Self.strict)
        #expect(Sample.mistakes(rsaLast).isEmpty)
    }

    @Test func `a private address for logout notices is a warning, unless the client may have one`() {
        let redirect = #"redirect_uris: [ "https://app.example/cb" ]"#
        let uri = "backchannel_logout_uri: https://10.0.0.7/logout"
        let outside = "issuer: https://id.example\n"
        let plain = Sample.client(redirect, uri)
        #expect(Sample.warnings(outside + plain) == ["5 clients[0].backchannel_logout_uri"])
        #expect(Sample.warnings("issuer: https://10.0.0.1\n" + plain) == [], "the server is inside itself")
        let allowed = Sample.client(redirect, uri, "backchannel_logout_private_address: true")
        #expect(Sample.warnings(outside + allowed) == [])
        let known = Sample.client(redirect, "backchannel_logout_uri: https://rp.example/logout")
        #expect(Sample.warnings(outside + known) == [])
    }

    @Test func `ping mode needs an address, and push mode is refused`() {
        let grants = "grant_types: [ 'urn:openid:params:grant-type:ciba' ]"
        let base = ["client_secret: sesame-open-sesame-open-sesame-open", grants]
        func mistakes(_ lines: String...) -> [String] {
            Sample.mistakes(Sample.client(base + lines))
        }
        let endpoint = "backchannel_client_notification_endpoint: https://pager.example/decided"
        #expect(mistakes("backchannel_token_delivery_mode: ping", endpoint).isEmpty)
        #expect(mistakes("backchannel_token_delivery_mode: poll").isEmpty)
        #expect(mistakes("backchannel_token_delivery_mode: ping") == ["5 clients[0].backchannel_token_delivery_mode"])
        #expect(
            mistakes("backchannel_token_delivery_mode: push", endpoint)
                == ["5 clients[0].backchannel_token_delivery_mode"])
        #expect(
            mistakes(
                "backchannel_token_delivery_mode: ping",
                "backchannel_client_notification_endpoint: http://pager.example/decided")
                == ["6 clients[0].backchannel_client_notification_endpoint"])
    }

    @Test func `36: a client that signs every request needs keys for it`() {
        let redirect = #"redirect_uris: [ "https://app.example/cb" ]"#
        let signing = "require_signed_request_object: true"
        #expect(
            Sample.mistakes(Sample.client(redirect, signing)) == ["4 clients[0].require_signed_request_object"])
        #expect(Sample.mistakes(Sample.client(redirect, signing, Self.keys)).isEmpty)
    }

    @Test func `62: a key that no signature would be believed of is a mistake`() {
        func mistakes(bytes: Int, exponent: String = "AQAB") -> [String] {
            let modulus = Base64URL.encode([UInt8](repeating: 0xB5, count: bytes))
            return Sample.mistakes(
                Sample.client("jwks: { keys: [ { kty: RSA, n: \(modulus), e: \(exponent) } ] }"))
        }
        #expect(mistakes(bytes: 128) == ["3 clients[0].jwks.keys[0].n"])
        #expect(mistakes(bytes: 255) == ["3 clients[0].jwks.keys[0].n"])
        #expect(mistakes(bytes: 256).isEmpty)
        #expect(mistakes(bytes: 256, exponent: "AQ") == ["3 clients[0].jwks.keys[0].n"])
    }

    @Test func `a client's ID tokens are signed as its profile allows`() throws {
        let client = try #require(try Sample.accepted(Sample.client(Self.strict)).clients.first?.client)
        #expect(client.profile == .fapi2 && client.idTokenAlgorithm == "ES256")
        let plain = try #require(
            try Sample.accepted(Sample.client(#"redirect_uris: [ "https://app.example/cb" ]"#)).clients.first?.client)
        #expect(plain.profile == .standard && plain.idTokenAlgorithm == "RS256")
    }

    @Test func `types of details are the project's, and a client's are among them`() throws {
        let project = "project: { authorization_details_types: [ payment ] }\n"
        let redirect = #"redirect_uris: [ "https://app.example/cb" ]"#
        let known = project + Sample.client(redirect, "authorization_details_types: [ payment ]")
        #expect(Sample.problems(known).isEmpty)
        let configuration = try Sample.accepted(known)
        #expect(
            configuration.project.project(issuer: "https://id.example", id: "P").authorizationDetailTypes == ["payment"]
        )
        #expect(configuration.clients.first?.metadata.authorizationDetailsTypes == ["payment"])
        let unknown = project + Sample.client(redirect, "authorization_details_types: [ account ]")
        #expect(Sample.warnings(unknown) == ["5 clients[0].authorization_details_types"])
    }

    @Test func `nobody registers unless it says enabled, and registration is open only where that is written out`()
        throws
    {
        #expect(try Sample.accepted("dev: false").registration == nil)
        #expect(try Sample.accepted("registration: { enabled: false }").registration == nil)
        #expect(Sample.warnings("registration:\n  clients_max: 5") == ["2 registration.enabled"])
        #expect(Sample.mistakes("registration:\n  enabled: true") == ["2 registration.enabled"])
        #expect(Sample.mistakes("registration:\n  enabled: true\n  scope: openid") == ["2 registration.enabled"])
        #expect(Sample.warnings("registration:\n  enabled: true\ndev: true") == ["2 registration.enabled"])
        #expect(Sample.warnings("registration:\n  enabled: true\n  clients_max: 5") == ["2 registration.enabled"])
        #expect(try Sample.accepted("registration: { enabled: true, clients_max: 5 }").registration?.clientsMax == 5)
        let text =
            "registration: { enabled: true, initial_access_token: open-sesame-open-sesame-open-sesame, scope: openid email, clients_max: 5 }"
        #expect(Sample.problems(text).isEmpty)
        let settings = try #require(try Sample.accepted(text).registration?.settings)
        #expect(settings.initialAccessTokens == [SecretDigest(of: Secret("open-sesame-open-sesame-open-sesame"))])
        #expect(settings.scope == Scope("openid email") && settings.clientsMax == 5)
        for (line, path) in [
            ("clients_max: 0", "clients_max"), ("scope: 'a\"b'", "scope"), ("enabled: 1", "enabled"),
            ("initial_access_token: 'ä'", "initial_access_token"), ("first_party: true", "first_party"),
        ] {
            let mistakes = Sample.mistakes("registration:\n  \(line)")
            #expect(mistakes == ["2 registration.\(path)"], "\(line)")
        }
    }
}
