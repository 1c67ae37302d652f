import Authority
import Testing

@testable import keyturn

@Suite("Configuration: who may open an account, who needs a second factor, and what is loosened")
struct AuthorityConfigurationTests {
    @Test func `sign_up is open where absent, and one of four words`() throws {
        let cases: [(String, SignUpPolicy)] = [
            ("{}", .open), ("{ sign_up: open }", .open), ("{ sign_up: invited }", .invited), ("{ sign_up: off }", .off),
            ("{ sign_up: domains }", .domains([])),
            (
                "{ sign_up: domains, sign_up_domains: [ acme.example, b.example ] }",
                .domains(["acme.example", "b.example"])
            ),
        ]
        for (project, policy) in cases {
            #expect(try Sample.accepted("project: \(project)").project.authority.signUp == policy, "\(project)")
        }
        #expect(Sample.mistakes("project: { sign_up: closed }") == ["1 project.sign_up"])
        // YAML 1.1 took an unquoted off for false; here it is the word.
        #expect(Sample.problems("project: { sign_up: off }").isEmpty)
    }

    @Test func `domains are domains of addresses, in the form that is compared`() {
        for text in ["ACME.example", "@acme.example", "acme", "*.acme.example", "bücher.example", "a b.example", ""] {
            let mistakes = Sample.mistakes("project: { sign_up: domains, sign_up_domains: [ '\(text)' ] }")
            #expect(mistakes == ["1 project.sign_up_domains[0]"], "\(text)")
        }
        #expect(
            Sample.warnings("project: { sign_up: domains, sign_up_domains: [ gmail.com ] }")
                == ["1 project.sign_up_domains[0]"])
        #expect(
            Sample.warnings("project: { sign_up: invited, sign_up_domains: [ acme.example ] }")
                == ["1 project.sign_up_domains"])
    }

    @Test func `a second factor is required of all, of a role, of a tenant`() throws {
        let text = """
            project: { second_factor: required }
            tenants: [ { id: strict, second_factor: required }, { id: other, second_factor: optional }, { id: none } ]
            roles: [ { name: admin, second_factor: required }, { name: reader } ]
            """
        let policy = try Sample.accepted(text).project.authority
        #expect(policy.secondFactor == .required)
        #expect(policy.secondFactorTenants == ["strict"] && policy.secondFactorRoles == ["admin"])
        for text in [
            "project: { second_factor: always }", "tenants: [ { id: a, second_factor: true } ]",
            "roles: [ { name: a, second_factor: 2 } ]",
        ] {
            #expect(Sample.mistakes(text).count == 1, "\(text)")
        }
    }

    @Test func `what is loosened is off where absent, and said where it is on`() throws {
        let members: [(String, KeyPath<AuthorityPolicy, Bool>)] = [
            ("old_sessions_change_sign_in", \.oldSessionsChangeSignIn),
            ("password_beside_second_factor", \.passwordBesideSecondFactor),
            ("merge_into_existing", \.mergeIntoExisting), ("same_network_counts", \.sameNetworkCounts),
            ("unverified_contacts", \.unverifiedContacts),
        ]
        #expect(members.map(\.0) == AuthorityReader.methodKeys)
        for (key, member) in members {
            let on = "methods:\n  \(key): true"
            #expect(try Sample.accepted(on).project.authority[keyPath: member])
            #expect(Sample.warnings(on) == ["2 methods.\(key)"])
            #expect(try !Sample.accepted("methods: { \(key): false }").project.authority[keyPath: member])
            #expect(Sample.mistakes("methods: { \(key): 1 }") == ["1 methods.\(key)"])
            let variable = ["KEYTURN_METHODS_\(key.uppercased())": "true"]
            #expect(try Sample.accepted("", environment: variable).project.authority[keyPath: member])
        }
        #expect(Sample.mistakes("methods: { password: true }") == ["1 methods.password"])
        #expect(Sample.mistakes("methods: [ merge_into_existing ]") == ["1 methods"])
    }

    @Test func `variables set the words, and the list is the file's`() throws {
        let environment = ["KEYTURN_PROJECT_SIGN_UP": "invited", "KEYTURN_PROJECT_SECOND_FACTOR": "required"]
        let policy = try Sample.accepted("project: { sign_up: open }", environment: environment).project.authority
        #expect(policy.signUp == .invited && policy.secondFactor == .required)
        #expect(
            Sample.warnings("", environment: ["KEYTURN_PROJECT_SIGN_UP_DOMAINS": "a.example"])
                == ["KEYTURN_PROJECT_SIGN_UP_DOMAINS "])
    }

    @Test func `a journey that lets no new user in is no way to close sign-up`() {
        func file(_ policy: String, _ first: String) -> String {
            """
            project: { sign_up: \(policy) }
            journeys:
              - name: members
                default: true
                steps:
                  - \(first)
                  - { name: proof, prove: {} }
                  - { name: end, done: true }
            """
        }
        let closing = "{ name: who, identify: { sign_up: false } }"
        #expect(Sample.warnings(file("open", closing)) == ["2 journeys"])
        for policy in ["invited", "domains", "off"] { #expect(Sample.problems(file(policy, closing)).isEmpty) }
        #expect(Sample.problems(file("open", "{ name: who, identify: {} }")).isEmpty)
        let creating = "{ name: new, create: {} }"
        #expect(Sample.warnings(file("invited", creating)) == ["2 journeys"])
        #expect(Sample.problems(file("open", creating)).isEmpty)
    }
}
