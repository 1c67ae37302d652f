import KeyturnBase
import Testing

@testable import keyturn

@Suite("Configuration: sessions of other services")
struct MigrationConfigurationTests {
    private static let key =
        "{ kty: EC, crv: P-256, alg: ES256, kid: a, x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU', y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0' }"

    private static func entry(_ members: String) -> String {
        "project:\n  session_migration:\n    - { \(members) }"
    }

    @Test func `an issuer is taken with its keys, written down or published`() throws {
        let published = try Sample.accepted(
            Self.entry(
                "issuer: 'https://old.example/', audience: app, subject: email, jwks_uri: 'https://old.example/keys'"))
        let source = try #require(published.project.sessionMigration.first)
        #expect(source.issuer == "https://old.example/" && source.audience == "app" && source.subject == .email)
        #expect(source.keysURI == "https://old.example/keys" && source.keys == nil)
        let written = try Sample.accepted(
            Self.entry("issuer: P2abc, audience: P2abc, subject: sub, jwks: { keys: [ \(Self.key) ] }"))
        let other = try #require(written.project.sessionMigration.first)
        #expect(other.issuer == "P2abc" && other.subject == .sub && other.keysURI == nil)
        #expect(other.keys != nil)
        #expect(try Sample.accepted("").project.sessionMigration.isEmpty)
    }

    static let mistakes: [(String, [String])] = [
        ("audience: a, subject: sub, jwks_uri: 'https://o.example/k'", ["issuer"]),
        ("issuer: o, subject: sub, jwks_uri: 'https://o.example/k'", ["audience"]),
        ("issuer: o, audience: a, jwks_uri: 'https://o.example/k'", ["subject"]),
        ("issuer: o, audience: a, subject: name, jwks_uri: 'https://o.example/k'", ["subject"]),
        ("issuer: o, audience: a, subject: sub", ["jwks_uri"]),
        ("issuer: o, audience: a, subject: sub, jwks_uri: 'http://o.example/k'", ["jwks_uri"]),
        ("issuer: o, audience: a, subject: sub, jwks_uri: keys", ["jwks_uri"]),
        (
            "issuer: o, audience: a, subject: sub, jwks: { keys: [ \(key) ] }, jwks_uri: 'https://o.example/k'",
            ["jwks_uri"]
        ),
        ("issuer: o, audience: a, subject: sub, jwks: {}", ["jwks.keys"]),
        ("issuer: o, audience: a, subject: sub, jwks: { keys: [ { kty: oct, k: AAAA } ] }", ["jwks.keys[0].k"]),
        ("issuer: o, audience: a, subject: sub, jwks: { keys: [] }", ["jwks"]),
        ("issuer: \"o\\u0007\", audience: a, subject: sub, jwks_uri: 'https://o.example/k'", ["issuer"]),
        ("issuer: o, audience: a, subject: sub, jwks_uri: 'https://o.example/k', secret: x", ["secret"]),
    ]

    @Test(arguments: mistakes)
    func `what is wrong with an issuer is reported where it stands`(_ members: String, _ paths: [String]) {
        let found = Sample.problems(Self.entry(members)).filter { $0.severity == .mistake }.map(\.path)
        let expected = paths.map { "project.session_migration[0].\($0)" }
        #expect(Set(expected).isSubset(of: Set(found)), "\(found)")
    }

    @Test(arguments: ["https://id.example.com", "https://id.example.com/P1"])
    func `a server does not trade its own tokens`(_ issuer: String) {
        let entry = Self.entry("issuer: '\(issuer)', audience: a, subject: sub, jwks_uri: 'https://id.example.com/k'")
        #expect(
            Sample.mistakes("issuer: https://id.example.com\n" + entry) == ["4 project.session_migration[0].issuer"])
        #expect(Sample.mistakes("issuer: https://other.example.com\n" + entry).isEmpty)
    }

    @Test func `an issuer stands once`() {
        let one = "{ issuer: o, audience: a, subject: sub, jwks_uri: 'https://o.example/k' }"
        #expect(
            Sample.mistakes("project: { session_migration: [ \(one), \(one) ] }")
                == ["1 project.session_migration[1].issuer"])
    }
}
