import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

/// Tenants, and what their directories send.
extension Bench {
    func tenant(_ id: String) async throws {
        try await stores.tenants.create(Tenant(id: id, name: id, createdAt: now))
    }

    /// A role of a tenant.
    func role(_ id: String, in tenant: String, isDefault: Bool = false) async throws {
        try await stores.roles.create(
            Role(id: id, tenantID: tenant, name: id, permissions: [], isDefault: isDefault, createdAt: now))
    }

    func content(
        _ name: String, external: String? = nil, isActive: Bool = true, values: [SCIMContent.Value] = []
    ) -> SCIMContent {
        SCIMContent(
            attributes: ["name": .string(name)], nameKey: name, externalID: external, isActive: isActive,
            values: values + [SCIMContent.Value("display", element: 0, name)])
    }

    func profile(_ email: String? = nil, isProven: Bool = false) -> SCIMProfile {
        SCIMProfile(claims: ["name": "Kim"], email: email, isEmailProven: isProven)
    }

    func newUser(
        _ name: String, in tenant: String, _ content: SCIMContent? = nil, _ profile: SCIMProfile? = nil
    ) -> NewSCIMUser {
        NewSCIMUser(
            id: "\(tenant)/\(name)", userID: .make(.live), content: content ?? self.content(name),
            profile: profile ?? self.profile())
    }

    /// A provisioned user.
    @discardableResult
    func provisioned(
        _ name: String, in tenant: String, _ content: SCIMContent? = nil, _ profile: SCIMProfile? = nil
    ) async throws -> SCIMRecord {
        try await stores.provisionedUsers.createUser(newUser(name, in: tenant, content, profile), in: tenant, at: now)
    }

    /// A provisioned group.
    func group(_ name: String, in tenant: String, members: [String] = []) async throws -> SCIMRecord {
        try await stores.provisionedGroups.createGroup(
            "\(tenant)/\(name)", in: tenant, content(name), members: members, at: now
        ).get()
    }

    /// The members of a group.
    func members(of group: String, in tenant: String) async throws -> [String] {
        try await stores.provisioned.links(of: [group], .group, in: tenant, limit: 1_000)[group, default: []].map(\.id)
    }

    func memberships(_ record: SCIMRecord) async throws -> [String: [String]] {
        guard let user = record.userID else { return [:] }
        return try await stores.users.account(user)?.memberships.tenants.mapValues { $0.sorted() } ?? [:]
    }

    /// Whether a sign-in for which a tenant vouched may open a session; one that it opens is `name`.
    func mayOpen(_ account: Account, _ name: String = "try", vouchedBy tenant: String?) async throws -> Bool {
        let plain = session(of: account, name)
        var facts = plain.authentication
        facts.tenantID = tenant
        let vouched = BrowserSession(
            id: plain.id, userID: plain.userID, authentication: facts, createdAt: plain.createdAt,
            expiresAt: plain.expiresAt, origin: plain.origin)
        return try await stores.sessions.create(
            vouched, epoch: try await epoch(of: account), digest: digest("cookie \(name)"), replacing: nil, at: now)
    }

    /// A live grant for which a tenant vouched, or was selected.
    func vouchedGrant(
        of account: Account, session: SessionID? = nil, by tenant: String? = nil, selected: String? = nil
    ) async throws -> Grant {
        var facts = AuthenticationFacts.password(at: now)
        facts.tenantID = tenant
        let grant = Grant(
            id: .make(.live), clientID: "web", userID: account.user.id, sessionID: session, scope: .none,
            resources: [], authentication: facts, nonce: nil, claimsRequest: nil, tenantID: selected, createdAt: now,
            idleExpiresAt: now + 1_000, absoluteExpiresAt: now + 1_000)
        let isOpen = try await stores.grants.open(
            grant, epoch: try await epoch(of: account), endingOthers: false, at: now)
        try #require(isOpen)
        return grant
    }
}
