import KeyturnBase
import Model
import Testing

@testable import keyturn

@Suite("Configuration: connections to identity providers")
struct ConnectionConfigurationTests {
    private static func entry(_ members: String) -> String { "connections:\n  - { \(members) }" }

    @Test func `a preset and a provider of one's own are taken`() throws {
        let google = try #require(
            try Sample.accepted(Self.entry("id: google, preset: google, client_id: c, client_secret: s")).connections
                .first)
        guard case .openID(let settings) = google.settings else { throw TestProblem() }
        #expect(google.name == "Google" && google.tenantID == nil && google.isEnabled && google.createsUsers)
        #expect(settings.preset == "google" && settings.clientID == "c" && settings.clientSecret == "s")
        let members = [
            "id: acme, name: Acme, tenant: t, issuer: 'https://login.acme.example', client_id: c",
            "domains: [ACME.example], roles: { staff: reader }, trust_email: true, create_users: false",
            "mapping: { groups: memberOf }, prompt: [login], strong_contexts: [mfa], contact: it@acme.example",
        ]
        let own = try #require(
            try Sample.accepted(Self.entry(members.joined(separator: ", "))).connections.first)
        #expect(own.tenantID == "t" && own.domains == ["acme.example"] && own.roles == ["staff": "reader"])
        #expect(!own.createsUsers && own.strongContexts == ["mfa"] && own.contact == "it@acme.example")
        #expect(try Sample.accepted("").connections.isEmpty)
    }

    @Test func `tenants and roles that the file does not have are reported`() throws {
        let entry = Self.entry(
            "id: a, tenant: acme, domains: [acme.example], preset: google, client_id: c, roles: { staff: reader }")
        let found = Sample.problems(entry)
        #expect(found.filter { $0.severity == .mistake }.isEmpty)
        let warned = Set(found.filter { $0.severity == .warning }.map(\.path))
        #expect(warned.isSuperset(of: ["connections[0].tenant", "connections[0].roles.staff"]))
        let known =
            entry
            + "\ntenants:\n  - { id: acme, require_sso: true, sso_exclusions: [u1] }\nroles:\n  - { name: reader }"
        #expect(Sample.problems(known).allSatisfy { !$0.path.hasPrefix("connections") })
        let tenant = try #require(try Sample.accepted(known).tenants.first)
        #expect(tenant.requiresSingleSignOn == true && tenant.singleSignOnExclusions == ["u1"])
    }

    static let mistakes: [(String, String)] = [
        ("preset: google, client_id: c", "id"),
        ("id: 'A B', preset: google, client_id: c", "id"),
        ("id: a, client_id: c", "issuer"),
        ("id: a, preset: goggle, client_id: c", "preset"),
        ("id: a, preset: google", "client_id"),
        ("id: a, issuer: 'http://login.example', client_id: c", "issuer"),
        ("id: a, preset: apple, client_id: c", "parameters.team_id"),
        ("id: a, preset: google, client_id: c, domains: [a.example]", "domains"),
        ("id: a, tenant: t, preset: google, client_id: c, domains: ['@a.example']", "domains[0]"),
        ("id: a, tenant: t, preset: google, client_id: c, domains: [gmail.com]", "domains[0]"),
        ("id: a, preset: google, client_id: c, mapping: { email_verified: x }", "mapping.email_verified"),
        ("id: a, preset: google, client_id: c, mapping: { roles: x }", "mapping.roles"),
        ("id: a, preset: google, client_id: c, prompt: [none]", "prompt"),
        ("id: a, preset: google, client_id: c, contact: nowhere", "contact"),
        ("id: a, preset: google, client_id: c, secret: x", "secret"),
    ]

    @Test(arguments: mistakes)
    func `F-32, F-43: what is wrong with a connection is reported where it stands`(_ members: String, _ path: String) {
        let found = Sample.problems(Self.entry(members)).filter { $0.severity == .mistake }.map(\.path)
        #expect(found.contains("connections[0].\(path)"), "\(found)")
    }

    @Test func `two connections have two names`() {
        let text = """
            connections:
              - { id: a, preset: google, client_id: c }
              - { id: a, preset: github, client_id: c }
            """
        #expect(!Sample.mistakes(text).isEmpty)
    }

    @Test func `the check says what to enter at the provider`() throws {
        let configuration = try Sample.accepted(
            "issuer: https://id.example.com\n" + Self.entry("id: google, preset: google, client_id: c"))
        let text = ConnectionSummary.text(configuration)
        #expect(text.contains("Redirect URI: https://id.example.com/federation/google/callback"))
        #expect(text.contains("Scopes: openid email profile") && !text.contains("client_secret"))
    }

    private struct TestProblem: Error {}
}
