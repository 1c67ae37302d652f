import Testing

@testable import keyturn

@Suite("Configuration: environment")
struct EnvironmentTests {
    @Test func `variables override keys of the file, and stand in for absent ones`() throws {
        let environment = [
            "KEYTURN_ISSUER": "https://id.example.com", "KEYTURN_LISTEN": "0.0.0.0:80",
            "KEYTURN_DATABASE": "sqlite::memory:",
            "KEYTURN_DEV": "true", "KEYTURN_PROJECT_ACCESS_TOKEN_SECONDS": "120", "KEYTURN_PROJECT_NAME": "true",
            "KEYTURN_PROJECT_PASSWORD_POLICY_MIN_LENGTH": "12", "KEYTURN_DELIVERY_SMTP_HOST": "mail.example.com",
            "KEYTURN_DELIVERY_SMTP_FROM": "a@example.com", "KEYTURN_DELIVERY_OUTBOX": "",
            "KEYTURN_SECRETS":
                "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=, AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        ]
        let text = "issuer: auto\nproject: { access_token_seconds: 60 }\ndelivery: { outbox: true }\nsecrets: [ x ]"
        let configuration = try Sample.accepted(text, environment: environment)
        #expect(configuration.issuer == .fixed("https://id.example.com"))
        #expect(configuration.listen.authority == "0.0.0.0:80")
        #expect(configuration.database == .memory)
        #expect(configuration.isDevelopment)
        #expect(configuration.project.accessTokenSeconds == 120)
        #expect(configuration.project.name == "true")
        #expect(configuration.project.passwordPolicy.minLength == 12)
        #expect(configuration.delivery.smtp?.host == "mail.example.com")
        #expect(configuration.delivery.outbox)
        #expect(configuration.secrets.count == 2)
    }

    @Test func `a mistake in a variable is reported under its name, before those of the file`() {
        let environment = ["KEYTURN_ISSUER": "nonsense", "KEYTURN_PROJECT_ACCESS_TOKEN_SECONDS": "soon"]
        #expect(
            Sample.mistakes("listen: x", environment: environment) == [
                "KEYTURN_ISSUER issuer", "KEYTURN_PROJECT_ACCESS_TOKEN_SECONDS project.access_token_seconds",
                "1 listen",
            ])
    }

    @Test func `slips and lists are warned of, variables of others are not`() {
        let environment = ["KEYTURN_ISUER": "x", "KEYTURN_CLIENTS": "x", "KEYTURN_VECTORS": "x", "PATH": "x"]
        #expect(Sample.warnings("", environment: environment) == ["KEYTURN_CLIENTS ", "KEYTURN_ISUER "])
        #expect(Sample.mistakes("", environment: environment) == [])
    }

    @Test func `every variable leads to a key that is known`() {
        for (name, path) in EnvironmentOverrides.variables {
            let problems = Sample.problems("", environment: [name: "\u{7}"])
            #expect(!problems.contains { $0.detail == "unknown key" }, "\(name)")
            #expect(
                problems.contains { $0.origin == .environment(name) && $0.path.hasPrefix(path.joined(separator: ".")) },
                "\(name)")
        }
    }

    @Test func `a file that is wrong where a variable would go is reported as it stands`() {
        #expect(Sample.mistakes("project: [a]", environment: ["KEYTURN_PROJECT_NAME": "x"]) == ["1 project"])
    }

    @Test func `settings that surprise are warned of`() {
        #expect(Sample.warnings("listen: 0.0.0.0:80") == ["1 listen"])
        #expect(Sample.warnings("issuer: auto\nlisten: 0.0.0.0:80") == ["1 issuer"])
        #expect(Sample.warnings("issuer: https://a.example\nlisten: 0.0.0.0:80") == [])
        #expect(Sample.warnings("issuer: https://a.example/path") == ["1 issuer"])
        #expect(Sample.warnings("trusted_proxies: [ 0.0.0.0/0 ]") == ["1 trusted_proxies[0]"])
        #expect(Sample.warnings("users: [ { sub: a, password: short } ]") == ["1 users[0].password"])
        #expect(Sample.warnings(Sample.client("redirect_uris: []")) == ["3 clients[0].redirect_uris"])
        #expect(
            Sample.warnings(Sample.client("grant_types: [ 'urn:example:new' ]", "id_token_encrypted_response_alg: dir"))
                == ["3 clients[0].grant_types[0]", "4 clients[0].id_token_encrypted_response_alg"])
    }

    @Test func `a protection that is not there yet is said to be missing`() {
        let keys = #"jwks: { keys: [ { kty: EC, crv: P-256, x: AA, y: AA } ] }"#
        let cases: [([String], [String])] = [
            (["require_pushed_authorization_requests: true"], []),
            (["subject_type: public"], []),
            (["profile: fapi2", "token_endpoint_auth_method: private_key_jwt", keys], []),
            (["grant_types: [ authorization_code, 'urn:ietf:params:oauth:grant-type:device_code' ]"], []),
        ]
        for (lines, expected) in cases {
            let redirects = #"redirect_uris: [ "http://127.0.0.1/cb" ]"#
            #expect(Set(Sample.warnings(Sample.client(lines + [redirects]))) == Set(expected), "\(lines)")
        }
    }
}
