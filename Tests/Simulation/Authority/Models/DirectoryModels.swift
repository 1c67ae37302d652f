import Account
import Authority
import Identity
import KeyturnBase
import KeyturnWire
import Model
import SignIn

@testable import StoreValues

/// Tenants' directories and providers.
enum DirectoryModels {
    private static let vera = Person.vera.address

    /// The directory of the tenant acme begins before its domain is proven; its token is the attacker's. Another tenant
    /// has a user, and the owner of the console is one of acme's.
    static func directory(_ settings: AuthoritySettings = AuthoritySettings()) -> AuthorityModel {
        AuthorityModel(
            name: "directory: a tenant's token", settings: settings,
            start: { server in
                var story = Story(server)
                try await story.tellOfTenants()
                return try await story.ended()
            },
            acts: [
                DirectoryActs.create(.mallory, in: "acme", "vera", email: vera, subject: "vera-1"),
                DirectoryActs.create(.mallory, in: "acme", "walter2", email: Person.walter.address, subject: "x-1"),
                DirectoryActs.create(.mallory, in: "acme", "olga2", email: Person.olga.address, subject: "x-2"),
                DirectoryActs.patch(.mallory, in: "acme", "vera", "active", false),
                DirectoryActs.patch(.mallory, in: "acme", "vera", "active", true),
                DirectoryActs.patch(.mallory, in: "acme", "vera", "emails", addresses("mallory@acme.example")),
                DirectoryActs.patch(.mallory, in: "acme", "vera", "emails", addresses(Person.walter.address)),
                DirectoryActs.patch(.mallory, in: "acme", "olga", "emails", addresses("mallory@acme.example")),
                DirectoryActs.patch(.mallory, in: "acme", "olga", "active", false),
                DirectoryActs.patch(.mallory, in: "acme", "walter", "active", false, ofTenant: "other"),
                DirectoryActs.delete(.mallory, in: "acme", "vera"), DirectoryActs.delete(.mallory, in: "acme", "olga"),
                proveDomain,
                ProviderActs.signIn(
                    .vera, at: "acme", saying: .init(subject: "vera-1", email: vera), tenant: "acme"),
                ProviderActs.signIn(
                    .mallory, at: "acme", saying: .init(subject: "mallory-1", email: Person.walter.address),
                    tenant: "acme"),
                WireActs.sendCode(.vera, .signUpOrIn, to: vera),
                WireActs.enterCode(.vera, of: .vera, as: vera, in: nil),
            ], depth: (4, 5))
    }

    /// A provider that gives roles by groups, and whose addresses change hands.
    ///
    /// - Parameter tenant: whose it is; `nil`: the whole project's.
    static func provider(of tenant: String?, _ settings: AuthoritySettings = AuthoritySettings()) -> AuthorityModel {
        let id = tenant ?? "social"
        return AuthorityModel(
            name: "provider: groups and addresses over time, at \(id)", settings: settings,
            start: { server in
                var story = Story(server)
                try await story.tellOfTenants()
                // She is known there, and signed in at the settings.
                try await story.tell(
                    proveDomain, signsIn(.vera, at: id, groups: [], tenant),
                    WireActs.sendCode(.vera, .signIn, to: vera), PageActs.signIn(.vera, byCodeIn: .vera))
                return try await story.ended()
            },
            acts: [
                signsIn(.vera, at: id, groups: ["admins"], tenant), signsIn(.vera, at: id, groups: [], tenant),
                signsIn(.vera, at: id, groups: nil, tenant),
                signsIn(.nina, at: id, groups: [], tenant), signsIn(.nina, at: id, groups: ["admins"], tenant),
                // Not after she has unlinked it: it makes another account then, and the provider forgets the first one.
                ProviderActs.signIn(
                    .vera, at: id, saying: .init(subject: "vera-1", email: "vera-new@acme.example"), tenant: tenant
                ).where { state in !state.done.keys.contains { $0.contains("unlinks") } },
                WireActs.updatePassword(.vera), ProviderActs.unlink(.vera, at: id),
                ConsoleActs.removeRole(byMachine: "admin", from: .vera),
                ConsoleActs.giveRole(byMachine: "admin", to: .vera),
            ]
                + (tenant == nil
                    ? []
                    : [
                        // Directory and provider of one tenant do not contradict each other about an address.
                        DirectoryActs.create(.olga, in: "acme", "vera", email: vera, subject: "vera-1").where { state in
                            !state.done.keys.contains { $0.contains("nina-1") || $0.contains("vera-new") }
                        },
                        DirectoryActs.patch(.olga, in: "acme", "vera", "active", false),
                        DirectoryActs.patch(.olga, in: "acme", "vera", "active", true),
                    ]),
            depth: (3, 5))
    }

    /// A provider of the whole project whose word about addresses is trusted, and one that lies.
    static func liar(_ settings: AuthoritySettings = AuthoritySettings()) -> AuthorityModel {
        AuthorityModel(
            name: "provider: one that lies" + settings.shown, settings: settings,
            start: { server in
                var story = Story(server)
                try await story.tellOfTenants()
                return try await story.ended()
            },
            acts: [
                ProviderActs.signIn(
                    .mallory, at: "social", saying: .init(subject: "mallory-1", email: vera, isEmailVerified: false)),
                ProviderActs.signIn(
                    .mallory, at: "social", saying: .init(subject: "mallory-1", email: vera, isEmailVerified: nil)),
                ProviderActs.signIn(
                    .mallory, at: "social",
                    saying: .init(subject: "mallory-2", email: "\u{FF56}era@acme.example", isEmailVerified: true)),
                ProviderActs.signIn(
                    .mallory, at: "other", saying: .init(subject: "mallory-3", email: vera), tenant: "other"),
                ProviderActs.signIn(
                    .mallory, at: "other", saying: .init(subject: "mallory-4", email: Person.olga.address),
                    tenant: "other"),
                ProviderActs.signIn(.vera, at: "social", saying: .init(subject: "vera-1", email: vera)),
                WireActs.sendCode(.vera, .signUpOrIn, to: vera),
                WireActs.enterCode(.vera, of: .vera, as: vera, in: nil),
                WireActs.signUpByPassword(.mallory, as: vera), WireActs.updatePassword(.vera),
                WireActs.updateAddress(.mallory, to: vera), WireActs.refresh(.mallory),
            ], depth: (4, 6))
    }

    private static func signsIn(
        _ person: Person, at connection: String, groups: [String]?, _ tenant: String?
    ) -> AuthorityAct {
        // The new one gets the address of a person whom the provider knew.
        ProviderActs.signIn(
            person, at: connection,
            saying: .init(subject: "\(person.rawValue)-1", email: person.address, groups: groups), tenant: tenant
        ).where { person != .nina || $0.past.groups["\(connection)/vera-1"] != nil }
    }

    private static func addresses(_ address: String) -> JSONValue { [["value": .string(address), "primary": true]] }

    /// What `keyturn tenant` or the record in the DNS settles.
    static let proveDomain = domain("acme.example", of: "acme")

    static func domain(_ name: String, of tenant: String) -> AuthorityAct {
        AuthorityAct(name: "\(tenant) proves \(name)", person: .olga) { scene in
            guard let domain = EmailDomain(name) else { throw NothingToDo() }
            let now = scene.state.now
            try scene.server.alter { world in
                world.tenantDomains[TenantDomainKey(tenantID: tenant, domain: domain)] = TenantDomain(
                    tenantID: tenant, domain: domain, state: .proven, token: "t", claimedAt: now, provenAt: now)
            }
        }
    }
}

extension Story {
    /// Two tenants with a provider each, a provider of the project, an owner who is acme's, and a user of the other.
    mutating func tellOfTenants() async throws {
        set { state in
            for tenant in ["acme", "other"] {
                state.stores.tenants[tenant] = Tenant(id: tenant, name: tenant, createdAt: state.now)
            }
            state.stores.roles["r1"] = Role(
                id: "r1", tenantID: nil, name: "admin", permissions: [], createdAt: state.now)
        }
        for (id, tenant) in [("acme", "acme"), ("other", "other"), ("social", nil)] {
            try await tell(
                machine("adds the connection \(id)") { scene, actor in
                    var members: [String: JSONValue] = [
                        "id": .string(id), "issuer": .string("https://\(id)-login.example"), "client_id": "keyturn",
                        "roles": ["admins": "admin"], "trust_email": .bool(tenant == nil),
                    ]
                    if let tenant {
                        members["tenant"] = .string(tenant)
                        members["domains"] = .array(
                            (["\(tenant).example"] + (tenant == "acme" ? ["example.com"] : [])).map(JSONValue.string))
                    }
                    _ = try await scene.editor.add(members, by: actor)
                })
        }
        try await tell(
            DirectoryModels.domain("other.example", of: "other"),
            DirectoryActs.create(.walter, in: "other", "walter", email: Person.walter.address, subject: "walter-1"),
            WireActs.sendCode(.walter, .signIn, to: Person.walter.address),
            WireActs.enterCode(.walter, of: .walter, as: Person.walter.address, in: nil),
            DirectoryModels.domain("example.com", of: "acme"),
            DirectoryActs.create(.olga, in: "acme", "olga", email: Person.olga.address, subject: "olga-1"),
            WireActs.sendCode(.olga, .signUpOrIn, to: Person.olga.address),
            WireActs.enterCode(.olga, of: .olga, as: Person.olga.address, in: nil),
            machine("makes olga an owner") { scene, actor in
                try await scene.services.managedOperators.set(
                    .owner, of: scene.account(of: .olga), named: Person.olga.address, by: actor)
            })
    }
}
