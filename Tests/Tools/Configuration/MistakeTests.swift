import Testing

@testable import keyturn

@Suite("Configuration: mistakes")
struct MistakeTests {
    /// A text with one mistake, and where that must be reported.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let text: String
        let place: String

        init(_ name: String, _ text: String, _ place: String) {
            (self.name, self.text, self.place) = (name, text, place)
        }

        var testDescription: String { name }
    }

    @Test("`a mistake of the server's own keys is reported in its place`", arguments: server)
    func ofServer(example: Case) {
        #expect(Sample.mistakes(example.text) == [example.place])
    }

    @Test("`a mistake of a client is reported in its place`", arguments: clients)
    func ofClients(example: Case) {
        #expect(Sample.mistakes(example.text) == [example.place])
    }

    @Test("`a mistake of users, tenants or roles is reported in its place`", arguments: people)
    func ofPeople(example: Case) {
        #expect(Sample.mistakes(example.text) == [example.place])
    }

    @Test func `all mistakes are reported at once, in the order of the file`() {
        let text = """
            isuer: auto
            listen: 8080
            project:
              access_token_seconds: 5
              name: [a]
            clients:
              - client_id: a
                redirect_uri: "https://a.example/cb"
                redirect_uris: [ "https://a.example/#x", "javascript:alert(1)" ]
              - client_id: a
                response_types: [token]
                may_impersonate: [ "tenant:none" ]
            """
        #expect(
            Sample.mistakes(text) == [
                "1 isuer", "2 listen", "4 project.access_token_seconds", "5 project.name", "8 clients[0].redirect_uri",
                "9 clients[0].redirect_uris[0]", "9 clients[0].redirect_uris[1]", "10 clients[1].client_id",
                "11 clients[1].response_types[0]", "12 clients[1].may_impersonate[0]",
            ])
    }

    @Test func `very many mistakes are cut off`() {
        let text = (0..<1000).map { "wrong\($0): 1" }.joined(separator: "\n")
        #expect(Sample.problems(text).count == ConfigurationLimits.problemsMax)
    }

    @Test func `lifetimes may be very short in development, and are bounded otherwise`() throws {
        let text = "project: { access_token_seconds: 1, refresh_token_idle_seconds: 2 }"
        #expect(
            Sample.mistakes(text) == ["1 project.access_token_seconds", "1 project.refresh_token_idle_seconds"])
        #expect(try Sample.accepted("dev: true\n" + text).project.accessTokenSeconds == 1)
        #expect(try Sample.accepted("project: { access_token_seconds: 30 }").project.accessTokenSeconds == 30)
        #expect(try Sample.accepted("project: { access_token_seconds: 86400 }").project.accessTokenSeconds == 86_400)
        let short = try Sample.accepted("project: { refresh_token_absolute_seconds: 3600 }").project
        #expect(short.refreshTokenIdleSeconds == 3600)
    }

    @Test func `a mistake is noticed behind any number of warnings`() {
        let grants = (0..<1000).map { "x\($0)" }.joined(separator: ", ")
        let text = Sample.client("grant_types: [ \(grants) ]") + "\nusers: 1"
        #expect(Sample.mistakes(text) == ["4 users"])
    }

    @Test func `no secret is ever repeated`() {
        let text = """
            database: postgres://user:hunter2@db.example.com/name
            secrets: [ hunter2 ]
            delivery: { smtp: { host: a.example, from: a@b.example, password: hunter2 } }
            clients: [ { client_id: a, client_secret: "hunter2é", token_endpoint_auth_method: none } ]
            users: [ { sub: a, password: hunter2 } ]
            project: { management_keys: [ hunter2, hunter2 ] }
            """
        let report = ProblemReport(file: "keyturn.yaml", problems: Sample.problems(text))
        #expect(report.problems.count >= 6)
        #expect(!report.text.contains("hunter2"))
        #expect(!report.json.contains("hunter2"))
    }

    private static let server = [
        Case("unknown key", "listen: 127.0.0.1:1\nissue: auto", "2 issue"),
        Case("a list where text belongs", "issuer: [auto]", "1 issuer"),
        Case("text where keys belong", "project: demo", "1 project"),
        Case("a truth value where text belongs", "project:\n  name: true", "2 project.name"),
        Case("a word where a truth value belongs", "dev: yes", "1 dev"),
        Case("a quoted truth value", "dev: \"true\"", "1 dev"),
        Case("a quoted number", "project: { access_token_seconds: \"600\" }", "1 project.access_token_seconds"),
        Case("a unit", "project: { access_token_seconds: 10m }", "1 project.access_token_seconds"),
        Case("a fraction", "project: { access_token_seconds: 60.5 }", "1 project.access_token_seconds"),
        Case("below the bound", "project: { access_token_seconds: 29 }", "1 project.access_token_seconds"),
        Case("above the bound", "project: { access_token_seconds: 86401 }", "1 project.access_token_seconds"),
        Case(
            "idle longer than absolute",
            "project:\n  refresh_token_absolute_seconds: 60\n  refresh_token_idle_seconds: 61",
            "3 project.refresh_token_idle_seconds"),
        Case("no such list", "project: { breached_passwords: /nowhere/pwned.txt }", "1 project.breached_passwords"),
        Case("policy bound", "project: { password_policy: { min_length: 3 } }", "1 project.password_policy.min_length"),
        Case(
            "weeks", "project: { password_policy: { expiration_weeks: 0 } }",
            "1 project.password_policy.expiration_weeks"),
        Case("earlier", "project: { password_policy: { reuse_amount: 25 } }", "1 project.password_policy.reuse_amount"),
        Case("lock", "project: { password_policy: { lock_attempts: 2 } }", "1 project.password_policy.lock_attempts"),
        Case(
            "lock for ever", "project: { password_policy: { lock_attempts: 5, lock_seconds: 86401 } }",
            "1 project.password_policy.lock_seconds"),
        Case(
            "lock that nothing closes", "project: { password_policy: { lock_seconds: 60 } }",
            "1 project.password_policy.lock_seconds"),
        Case("no delay", "project: { recovery: { delay_hours: 0 } }", "1 project.recovery.delay_hours"),
        Case("a delay for ever", "project: { recovery: { delay_hours: 721 } }", "1 project.recovery.delay_hours"),
        Case(
            "a purge for ever", "project: { anonymous_users: { purge_after_days: 3651 } }",
            "1 project.anonymous_users.purge_after_days"),
        Case("a purge at once", "project: { anonymous_users: { days: 3 } }", "1 project.anonymous_users.days"),
        Case("a word for anonymous users", "project: { anonymous_users: true }", "1 project.anonymous_users"),
        Case("a list of user names", "project: { usernames: [ a ] }", "1 project.usernames"),
        Case("an approval for ever", "project: { approval: { seconds: 601 } }", "1 project.approval.seconds"),
        Case("a word for recovery", "project: { recovery: off }", "1 project.recovery"),
        Case("approved wildcard", "project: { approved_domains: [ '*.a.example' ] }", "1 project.approved_domains[0]"),
        Case(
            "approved address", "project: { approved_domains: [ 'https://a.example' ] }",
            "1 project.approved_domains[0]"),
        Case("approved port", "project: { approved_domains: [ 'a.example:443' ] }", "1 project.approved_domains[0]"),
        Case("approved capitals", "project: { approved_domains: [ A.example ] }", "1 project.approved_domains[0]"),
        Case("approved world", "project: { approved_domains: [ .com ] }", "1 project.approved_domains[0]"),
        Case("approved web", "project: { approved_domains: [ 'https:' ] }", "1 project.approved_domains[0]"),
        Case("approved script", "project: { approved_domains: [ 'javascript:' ] }", "1 project.approved_domains[0]"),
        Case("link to nowhere", "project: { link_redirect_url: /in }", "1 project.link_redirect_url"),
        Case(
            "link with a token", "project: { link_redirect_url: 'https://a.example/?t=1' }",
            "1 project.link_redirect_url"),
        Case("link in the clear", "project: { link_redirect_url: 'http://a.example/' }", "1 project.link_redirect_url"),
        Case("no algorithm", "project: { signing_algorithms: [] }", "1 project.signing_algorithms"),
        Case("algorithm none", "project: { signing_algorithms: [none] }", "1 project.signing_algorithms[0]"),
        Case("algorithm HS256", "project: { signing_algorithms: [ES256, HS256] }", "1 project.signing_algorithms[1]"),
        Case("algorithm twice", "project: { signing_algorithms: [ES256, ES256] }", "1 project.signing_algorithms[1]"),
        Case("resource", "project: { resources: [ \"api\" ] }", "1 project.resources[0]"),
        Case("issuer relative", "issuer: id.example.com", "1 issuer"),
        Case("issuer http", "issuer: http://id.example.com", "1 issuer"),
        Case("issuer query", "issuer: https://id.example.com?x", "1 issuer"),
        Case("issuer fragment", "issuer: \"https://id.example.com#x\"", "1 issuer"),
        Case("issuer user", "issuer: https://u@id.example.com", "1 issuer"),
        Case("issuer slash", "issuer: https://id.example.com/", "1 issuer"),
        Case("issuer without host", "issuer: https:///path", "1 issuer"),
        Case("listen without port", "listen: localhost", "1 listen"),
        Case("listen port", "listen: 127.0.0.1:65536", "1 listen"),
        Case("listen IPv6 without brackets", "listen: \"::1:80\"", "1 listen"),
        Case("database kind", "database: mysql://h/d", "1 database"),
        Case("PostgreSQL without secrets", "database: postgres://u:p@h/d", "1 database"),
        Case("database without path", "database: \"sqlite:\"", "1 database"),
        Case("secret too short", "secrets: [ AAAA ]", "1 secrets[0]"),
        Case("no secrets", "secrets: []", "1 secrets"),
        Case("proxy", "trusted_proxies: [ proxy.example.com ]", "1 trusted_proxies[0]"),
        Case("proxy host bits", "trusted_proxies: [ 10.0.0.1/8 ]", "1 trusted_proxies[0]"),
        Case("proxy prefix", "trusted_proxies: [ 10.0.0.0/33 ]", "1 trusted_proxies[0]"),
        Case("smtp without host", "delivery: { smtp: { from: a@b.example } }", "1 delivery.smtp.host"),
        Case("smtp port", "delivery: { smtp: { host: h, from: a@b.example, port: 0 } }", "1 delivery.smtp.port"),
        Case("smtp tls", "delivery: { smtp: { host: h, from: a@b.example, tls: ssl } }", "1 delivery.smtp.tls"),
        Case("smtp from", "delivery: { smtp: { host: h, from: nobody } }", "1 delivery.smtp.from"),
        Case(
            "smtp half a login", "delivery: { smtp: { host: h, from: a@b.example, username: u } }",
            "1 delivery.smtp.password"),
        Case(
            "smtp password without tls",
            "delivery: { smtp: { host: 127.0.0.1, from: a@b.example, tls: none, username: u, password: p } }",
            "1 delivery.smtp.tls"),
        Case("no templates", "delivery: { templates: /nowhere/templates }", "1 delivery.templates"),
        Case("webhook without url", "delivery: { sms_webhook: { secret: s } }", "1 delivery.sms_webhook.url"),
        Case("webhook http", "delivery: { sms_webhook: { url: http://a.example/ } }", "1 delivery.sms_webhook.url"),
        Case("passkeys domain", "passkeys: [ { rp_id: \"https://a.example\", origins: [] } ]", "1 passkeys[0].rp_id"),
        Case(
            "passkeys publishable key",
            "passkeys: [ { rp_id: a.example, origins: [ \"https://a.example\" ], publishable_key: demo } ]",
            "1 passkeys[0].publishable_key"),
        Case(
            "passkeys secret key",
            "passkeys: [ { rp_id: a.example, origins: [ \"https://a.example\" ], secret_key: pubkey_demo } ]",
            "1 passkeys[0].secret_key"),
        Case(
            "passkeys app", "passkeys: [ { rp_id: a.example, origins: [ \"https://a.example\" ], apple_apps: [ x ] } ]",
            "1 passkeys[0].apple_apps[0]"),
        Case("passkeys without origins", "passkeys: [ { rp_id: a.example, origins: [] } ]", "1 passkeys[0].origins"),
        Case(
            "passkeys trusted by nobody",
            "passkeys: [ { rp_id: a.example, origins: [ \"https://a.example\" ], attestation: trusted } ]",
            "1 passkeys[0].attestation"),
        Case(
            "passkeys metadata without roots",
            "passkeys: [ { rp_id: a.example, origins: [ \"https://a.example\" ], metadata: b.jwt } ]",
            "1 passkeys[0].metadata"),
        Case(
            "passkeys origin with the scheme's own port",
            "passkeys: [ { rp_id: a.example, origins: [ \"https://a.example:443\" ] } ]", "1 passkeys[0].origins"),
        Case(
            "passkeys origin", "passkeys: [ { rp_id: a.example, origins: [ \"https://b.example\" ] } ]",
            "1 passkeys[0].origins[0]"),
        Case(
            "passkeys origin with a path", "passkeys: [ { rp_id: a.example, origins: [ \"https://a.example/\" ] } ]",
            "1 passkeys[0].origins[0]"),
    ]

    private static let people = [
        Case("nobody", "users:\n  - name: x", "2 users[0].login_ids"),
        Case(
            "login ID twice", "users:\n  - login_ids: [ A@b.example ]\n  - login_ids: [ a@b.example ]",
            "3 users[1].login_ids[0]"),
        Case(
            "login ID in two spellings",
            "users:\n  - login_ids: [ a@exämple.com ]\n  - login_ids: [ a@xn--exmple-cua.com ]",
            "3 users[1].login_ids[0]"),
        Case(
            "login ID that looks like another one", #"users: [ { login_ids: [ "ad\u200Bminz" ] } ]"#,
            "1 users[0].login_ids[0]"),
        Case("login ID of two alphabets", #"users: [ { login_ids: [ "\u0430dmin" ] } ]"#, "1 users[0].login_ids[0]"),
        Case("sub twice", "users: [ { sub: a },\n  { sub: a } ]", "2 users[1].sub"),
        Case("sub with a space", "users: [ { sub: a b } ]", "1 users[0].sub"),
        Case("claim's type", "users: [ { sub: a, email_verified: 1 } ]", "1 users[0].email_verified"),
        Case("e-mail", "users: [ { sub: a, email: b } ]", "1 users[0].email"),
        Case("address member", "users: [ { sub: a, address: { city: x } } ]", "1 users[0].address.city"),
        Case("custom claim in the wrong place", "users: [ { sub: a, department: x } ]", "1 users[0].department"),
        Case(
            "standard claim in the wrong place", "users: [ { sub: a, claims: { name: x } } ]",
            "1 users[0].claims.name"),
        Case("reserved claim", "users: [ { sub: a, claims: { iss: x } } ]", "1 users[0].claims.iss"),
        Case("no such tenant", "users: [ { sub: a, tenants: [ { id: t } ] } ]", "1 users[0].tenants[0].id"),
        Case(
            "no such role", "tenants: [ { id: t } ]\nusers: [ { sub: a, tenants: [ { id: t, roles: [ r ] } ] } ]",
            "2 users[0].tenants[0].roles[0]"),
        Case("tenant twice", "tenants:\n  - { id: t }\n  - { id: t }", "3 tenants[1].id"),
        Case("role twice", "roles:\n  - { name: r }\n  - { name: r }", "3 roles[1].name"),
        Case("tenant without id", "tenants:\n  - { name: t }", "2 tenants[0].id"),
        Case("line break in a password", "users:\n  - sub: a\n    password: |\n      hunter2\n", "3 users[0].password"),
    ]
}
