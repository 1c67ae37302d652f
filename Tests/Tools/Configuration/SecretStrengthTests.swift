import Testing

@testable import keyturn

@Suite("Configuration: secrets that can be guessed")
struct SecretStrengthTests {
    private struct Case: Sendable {
        let place: String
        /// Makes a file with this secret.
        let text: @Sendable (String) -> String
    }

    private static let cases = [
        Case(place: "3 clients[0].client_secret") { Sample.client("client_secret: \($0)", redirect) },
        Case(place: "1 project.management_keys[0]") { "project: { management_keys: [ \($0) ] }" },
        Case(place: "1 registration.initial_access_token") {
            "registration: { enabled: true, initial_access_token: \($0) }"
        },
    ]
    private static let redirect = "redirect_uris: [ https://app.example.com/callback ]"
    private static let good = String(repeating: "x", count: 32)

    @Test func `a secret of a few letters is refused, a short one warned of, and each says how to make a good one`() {
        for each in Self.cases {
            #expect(Sample.mistakes(each.text("x")) == [each.place])
            #expect(Sample.mistakes(each.text("12345")) == [each.place])
            #expect(Sample.problems(each.text("x")).first?.remedy.contains("openssl rand -base64 32") == true)
            #expect(Sample.mistakes(each.text("secret")).isEmpty)
            #expect(Sample.warnings(each.text("secret")) == [each.place])
            #expect(Sample.warnings(each.text(String(Self.good.dropLast()))) == [each.place])
            #expect(Sample.problems(each.text(Self.good)).isEmpty)
        }
    }

    @Test func `the secret key of a site is judged likewise`() {
        func site(_ key: String) -> String {
            "passkeys: [ { rp_id: a.example, origins: [ 'https://a.example' ], publishable_key: pubkey_a, secret_key: \(key) } ]"
        }
        #expect(Sample.mistakes(site("secret_x")) == ["1 passkeys[0].secret_key"])
        #expect(Sample.mistakes(site("secret_12345")) == ["1 passkeys[0].secret_key"])
        #expect(Sample.warnings(site("secret_secret")) == ["1 passkeys[0].secret_key"])
        #expect(Sample.problems(site("secret_00112233445566778899aabbccddeeff")).isEmpty)
    }

    @Test func `a site has two secret keys at most, both good ones and not the same one`() {
        let (old, new) = ("secret_00112233445566778899aabbccddeeff", "secret_ffeeddccbbaa99887766554433221100")
        func site(_ keys: String) -> String {
            "passkeys: [ { rp_id: a.example, origins: [ 'https://a.example' ], publishable_key: pubkey_a, \(keys) } ]"
        }
        #expect(Sample.problems(site("secret_keys: [ \(old) ]")).isEmpty)
        #expect(Sample.problems(site("secret_keys: [ \(old), \(new) ]")).isEmpty)
        let cases = [
            ("secret_keys: []", "secret_keys"), ("secret_keys: [ \(old), \(new), \(new)0 ]", "secret_keys"),
            ("secret_keys: \(old)", "secret_keys"), ("secret_keys: [ \(old), \(old) ]", "secret_keys[1]"),
            ("secret_keys: [ \(old), secret_x ]", "secret_keys[1]"),
            ("secret_keys: [ pubkey_a, \(new) ]", "secret_keys[0]"),
            ("secret_key: \(old), secret_keys: [ \(new) ]", "secret_key"),
        ]
        for (keys, place) in cases {
            #expect(Sample.mistakes(site(keys)) == ["1 passkeys[0].\(place)"], "\(keys)")
        }
        #expect(Sample.warnings(site("secret_keys: [ \(old), secret_secret ]")) == ["1 passkeys[0].secret_keys[1]"])
    }

    @Test func `no two sites share a secret key, neither the old one nor the new one`() {
        let (old, new) = ("secret_00112233445566778899aabbccddeeff", "secret_ffeeddccbbaa99887766554433221100")
        func site(_ name: String, _ keys: String) -> String {
            "{ rp_id: \(name).example, origins: [ 'https://\(name).example' ], publishable_key: pubkey_\(name), \(keys) }"
        }
        let first = site("a", "secret_keys: [ \(old), \(new) ]")
        for second in [old, new] {
            let file = "passkeys: [ \(first), \(site("b", "secret_key: \(second)")) ]"
            #expect(Sample.mistakes(file) == ["1 passkeys"])
        }
    }

    @Test func `no complaint repeats the secret, and in development any secret will do`() {
        for each in Self.cases {
            let secret = "hunter2"
            #expect(!ProblemReport(file: "f", problems: Sample.problems(each.text(secret))).text.contains(secret))
            #expect(Sample.problems("dev: true\n" + each.text("x")).isEmpty)
        }
    }

    @Test func `the issuer is no resource that tokens can be asked for, or that a client may introspect`() {
        let issuer = "issuer: https://id.example.com\n"
        #expect(
            Sample.mistakes(issuer + "project: { resources: [ 'https://api.example.com', 'https://id.example.com' ] }")
                == ["2 project.resources[1]"])
        #expect(
            Sample.mistakes(issuer + Sample.client(Self.redirect, "resources: [ 'https://id.example.com/' ]"))
                == ["5 clients[0].resources[0]"])
        #expect(Sample.problems(issuer + "project: { resources: [ 'https://id.example.com/api' ] }").isEmpty)
        #expect(
            Sample.mistakes("listen: 127.0.0.1:18230\nproject: { resources: [ 'http://127.0.0.1:18230' ] }")
                == ["2 project.resources[0]"], "the address that it names itself after")
    }
}
