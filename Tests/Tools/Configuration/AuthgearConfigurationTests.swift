import KeyturnWire
import Model
import Testing

@testable import keyturn

@Suite("Configuration: apps of vendors")
struct AuthgearConfigurationTests {
    private static let app = [
        "profile: authgear", "token_endpoint_auth_method: none", "first_party: true",
        "grant_types: [ authorization_code, refresh_token ]", "redirect_uris: [ com.example.app://host/path ]",
        "scope: openid offline_access https://authgear.com/scopes/full-access",
    ]

    @Test func `the profile is for the operator's own apps without a secret, with the scopes that they ask for`() throws
    {
        #expect(Sample.problems(Sample.client(Self.app)).isEmpty)
        let client = try #require(try Sample.accepted(Sample.client(Self.app)).clients.first?.client)
        #expect(client.profile == .authgear && client.scope?.names == ClientProfile.authgearScopes)
        let changes: [(Int, String, String)] = [
            (1, "client_secret: open-sesame-open-sesame-open-sesame", "3 clients[0].profile"),
            (2, "first_party: false", "3 clients[0].profile"),
            (3, "grant_types: [ authorization_code ]", "3 clients[0].profile"),
            (5, "scope: openid offline_access", "8 clients[0].scope"),
            (5, "client_name: App", "3 clients[0].profile"),
        ]
        for (line, text, place) in changes {
            var changed = Self.app
            changed[line] = text
            #expect(Sample.mistakes(Sample.client(changed)) == [place], "\(text)")
        }
        let bound = Sample.mistakes(Sample.client(Self.app + ["dpop_bound_access_tokens: true"]))
        #expect(bound == ["9 clients[0].dpop_bound_access_tokens"])
    }

    @Test func `assertions may be good for ten seconds to an hour, and matter to clients that hand them in`() throws {
        let service = [
            "client_secret: open-sesame-open-sesame-open-sesame", "assertion_seconds: 60",
            "grant_types: [ \"urn:ietf:params:oauth:grant-type:jwt-bearer\" ]",
            "jwks_uri: https://service.example.com/keys",
        ]
        #expect(Sample.problems(Sample.client(service)).isEmpty)
        #expect(try Sample.accepted(Sample.client(service)).clients.first?.client.assertionSeconds == 60)
        for seconds in ["9", "3601", "soon"] {
            var changed = service
            changed[1] = "assertion_seconds: \(seconds)"
            #expect(Sample.mistakes(Sample.client(changed)) == ["4 clients[0].assertion_seconds"], "\(seconds)")
        }
        let idle = ["client_secret: open-sesame-open-sesame-open-sesame", "assertion_seconds: 60", "grant_types: []"]
        #expect(Sample.warnings(Sample.client(idle)) == ["4 clients[0].assertion_seconds"])
    }
}
