import Model
import Testing

@testable import keyturn

@Suite("Configuration: the key service, and clients of Trifork Identity Manager")
struct KeyServiceConfigurationTests {
    @Test func `there is a key service where the file says so, and in development`() throws {
        for text in ["key_service: { enabled: true }", "dev: true", "dev: true\nkey_service: {}"] {
            #expect(try Sample.accepted(text).keyService == KeyServiceSettings(), "\(text)")
        }
        for text in ["", "dev: false", "key_service: {}", "key_service: { enabled: false }"] {
            #expect(try Sample.accepted(text).keyService == nil, "\(text)")
        }
        #expect(try Sample.accepted("dev: true\nkey_service: { enabled: false }").keyService == nil)
        #expect(Sample.warnings("key_service:\n  enabled: false\n  unused_days: 90") == ["2 key_service.enabled"])
        #expect(Sample.warnings("key_service:\n  unused_days: 90") == ["2 key_service.enabled"])
        let none = try Sample.accepted("key_service: { enabled: true, realms: [] }").keyService
        #expect(none?.knows(realm: "bank") == false && none?.knows(realm: "") == true)
        let variable = ["KEYTURN_KEY_SERVICE_UNUSED_DAYS": "30", "KEYTURN_KEY_SERVICE_ENABLED": "true"]
        #expect(try Sample.accepted("", environment: variable).keyService?.unusedDays == 30)
    }

    @Test func `bounds and names are checked`() {
        let cases = [
            ("unused_days: 29", "unused_days"), ("unused_days: 30", nil), ("unused_days: 3650", nil),
            ("unused_days: 3651", "unused_days"), ("unused_days: never", "unused_days"), ("enabled: 1", "enabled"),
            ("attempts: 5", "attempts"), ("realms: bank", "realms"), ("realms: [ bank ]", nil),
            ("realms: [ 'a/b' ]", "realms[0]"), ("realms: [ ok, '..' ]", "realms[1]"), ("realms: [ '' ]", "realms[0]"),
            ("realms: [ '\(String(repeating: "x", count: 64))' ]", nil),
            ("realms: [ '\(String(repeating: "x", count: 65))' ]", "realms[0]"),
        ]
        for (line, path) in cases {
            let expected = path.map { ["2 key_service.\($0)"] } ?? []
            #expect(Sample.mistakes("key_service:\n  \(line)") == expected, "\(line)")
        }
    }

    @Test func `the profile is for the operator's own apps without a secret that refresh`() throws {
        let app = [
            "profile: tim", "token_endpoint_auth_method: none", "first_party: true",
            "grant_types: [ authorization_code, refresh_token ]", #"redirect_uris: [ "com.example.app:/callback" ]"#,
            "application_type: native",
        ]
        #expect(Sample.problems(Sample.client(app)).isEmpty)
        #expect(try Sample.accepted(Sample.client(app)).clients.first?.client.profile == .tim)
        let changes: [(Int, String)] = [
            (1, "client_secret: open-sesame-open-sesame-open-sesame"), (2, "first_party: false"),
            (3, "grant_types: [ authorization_code ]"),
        ]
        for (line, text) in changes {
            var changed = app
            changed[line] = text
            #expect(Sample.mistakes(Sample.client(changed)) == ["3 clients[0].profile"], "\(text)")
        }
        let bound = Sample.mistakes(Sample.client(app + ["dpop_bound_access_tokens: true"]))
        #expect(bound == ["9 clients[0].dpop_bound_access_tokens"])
    }
}
