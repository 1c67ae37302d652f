import Account
import Authority
import Identity
import KeyturnBase
import KeyturnWire
import Model
import SignIn
import StoreValues

/// The console, by a stolen session of an operator that is less than ten minutes old.
enum ConsoleModels {
    private typealias Console = ConsoleActs
    private static let alias = "oscar-alias@acme.example"

    static func `operator`(_ settings: AuthoritySettings = AuthoritySettings()) -> AuthorityModel {
        var settings = settings
        // An operator may do what he likes with users who have no role: that is what he is for.
        settings.protected = [.olga]
        return AuthorityModel(
            name: "console: an operator's stolen session", settings: settings,
            start: { server in
                var story = Story(server)
                try await story.tellOfOperators()
                return try await story.ended()
            },
            acts: roles + users + connections + [
                TimeActs.pause("twenty minutes", seconds: 1_200),
                WireActs.signInByPassword(.oscar, as: Person.olga.address, with: .oscar),
                WireActs.sendCode(.oscar, .signIn, to: alias),
                PageActs.setPassword(.oscar, knowing: .oscar),
                Console.give(.olga, .support, to: .vera),
            ], depth: (3, 5),
            // The attacker's provider is never let speak.
            idle: [
                "oscar: signs in at evil as oscar-1, \(Person.olga.address)",
                "oscar: signs in at tenants as oscar-1, \(Person.olga.address)", "oscar: signs in at honest as olga-1",
            ])
    }

    private static let roles = [
        Console.give(.oscar, .owner, to: .oscar), Console.give(.oscar, .owner, to: .vera),
        Console.give(.oscar, nil, to: .olga),
    ]

    private static let users = [
        Console.setPassword(.oscar, of: .olga), Console.setPassword(.oscar, of: .vera),
        Console.changeAddress(.oscar, of: .olga, to: Person.oscar.address),
        Console.changeAddress(.oscar, of: .olga, to: alias), Console.changeAddress(.oscar, of: .vera, to: alias),
        Console.addLoginID(.oscar, alias, to: .olga), Console.addLoginID(.oscar, alias, to: .vera),
        Console.verifyAddress(.oscar, of: .olga, alias), Console.verifyAddress(.oscar, of: .vera, Person.olga.address),
        Console.removeFactor(.oscar, of: .olga), Console.removeFactor(.oscar, of: .vera),
        Console.setStatus(.oscar, .disabled, of: .olga), Console.setStatus(.oscar, .disabled, of: .vera),
        Console.delete(.oscar, .olga), Console.delete(.oscar, .vera),
        Console.merge(.oscar, .vera, into: .olga), Console.merge(.oscar, .olga, into: .vera),
        Console.merge(.oscar, .olga, into: .oscar), Console.impersonate(.oscar, .olga),
        Console.impersonate(.oscar, .vera), Console.giveRole(.oscar, "impersonator", to: .oscar),
    ]

    private static let honest = "https://honest.example"
    private static let connections = [
        ProviderActs.add(
            .oscar, "evil", evil(["trust_email": true, "strong_contexts": ["mfa"]]), as: "of the project, trusted"),
        ProviderActs.add(.oscar, "tenants", evil(["tenant": "acme", "domains": ["acme.example"]]), as: "of a tenant"),
        ProviderActs.change(.oscar, "honest", ["endpoints": endpoints], as: "endpoints"),
        ProviderActs.change(.oscar, "honest", ["issuer": .string(ProviderActs.evil)], as: "issuer"),
        ProviderActs.change(.oscar, "honest", ["trust_email": true], as: "trust_email"),
        ProviderActs.change(.oscar, "honest", ["enabled": false], as: "off"),
        ProviderActs.signIn(
            .oscar, at: "evil", saying: .init(subject: "oscar-1", email: Person.olga.address, methods: ["mfa"]),
            isEvil: true),
        ProviderActs.signIn(
            .oscar, at: "tenants", saying: .init(subject: "oscar-1", email: Person.olga.address), isEvil: true,
            tenant: "acme"),
        ProviderActs.signIn(.oscar, at: "honest", saying: .init(subject: "olga-1"), isEvil: true),
        ProviderActs.signIn(
            .oscar, at: "honest", saying: .init(subject: "oscar-2", email: Person.olga.address, isEmailVerified: true)),
    ]

    private static let endpoints: JSONValue = [
        "authorization_endpoint": "https://honest.example/authorize", "token_endpoint": "https://honest.example/token",
        "jwks_uri": .string(ProviderActs.evil + "/keys"),
    ]

    private static func evil(_ members: [String: JSONValue]) -> [String: JSONValue] {
        ["issuer": .string(ProviderActs.evil), "client_id": "keyturn", "client_secret": "s"]
            .merging(members) { _, other in other }
    }
}

extension Story {
    /// An owner who signs in at a provider, an operator with an authenticator, and a user.
    mutating func tellOfOperators() async throws {
        set { state in
            state.stores.tenants["acme"] = Tenant(id: "acme", name: "Acme", createdAt: state.now)
            state.stores.roles["r1"] = Role(
                id: "r1", tenantID: nil, name: "impersonator", permissions: ["Impersonate"], createdAt: state.now)
        }
        try await tell(
            machine("adds the connection honest") { scene, actor in
                _ = try await scene.editor.add(
                    ["id": "honest", "issuer": "https://honest.example", "client_id": "keyturn"], by: actor)
            })
        for person in [Person.vera, .olga, .oscar] {
            try await tell(
                WireActs.sendCode(person, .signUpOrIn, to: person.address),
                WireActs.enterCode(person, of: person, as: person.address, in: nil))
        }
        try await tell(
            WireActs.updatePassword(.vera), WireActs.updatePassword(.oscar),
            WireActs.sendCode(.olga, .signIn, to: Person.olga.address),
            PageActs.signIn(.olga, byCodeIn: .olga),
            ProviderActs.link(.olga, at: "honest", .init(subject: "olga-1")),
            WireActs.setUpAuthenticator(.oscar), role(.owner, of: .olga), role(.operator, of: .oscar),
            TimeActs.pause("a day", seconds: 86_400),
            PageActs.signIn(.oscar, as: Person.oscar.address, with: .oscar))
        // The attacker has the operator's browser, and nothing else of his.
        set { $0.holdings[.oscar]?.sessions = [] }
    }

    private func role(_ role: ConsoleRole, of person: Person) -> AuthorityAct {
        machine("gives \(person.rawValue) the role \(role.rawValue)") { scene, actor in
            try await scene.services.managedOperators.set(
                role, of: scene.account(of: person), named: person.address, by: actor)
        }
    }

    /// A command on the machine.
    func machine(_ name: String, _ run: @escaping @Sendable (inout Scene, Actor) async throws -> Void) -> AuthorityAct {
        AuthorityAct(name: "the machine \(name)", person: .nina, traits: .init(opensAccounts: true)) { scene in
            try await run(&scene, Actor("system", .machine(.command)))
        }
    }
}
