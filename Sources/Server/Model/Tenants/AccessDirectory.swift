internal import Synchronization

/// Tenants, roles and permissions in memory: reading a user's rights costs no query.
public final class AccessDirectory: Sendable {
    private struct RoleName: Hashable, Sendable {
        let tenant: String?
        let name: String
    }

    private struct Snapshot: Sendable {
        var tenants: [String: Tenant] = [:]
        var roles: [String: Role] = [:]
        var names: [RoleName: String] = [:]
        var permissions: [Permission] = []
        /// The number of the reading this came from: a slow one must not replace the result of a later one.
        var reading = 0
    }

    private let snapshot = Mutex(Snapshot())
    private let readings = Mutex(0)
    private let tenantStore: any TenantStore
    private let roleStore: any RoleStore

    public init(tenants: any TenantStore, roles: any RoleStore) {
        tenantStore = tenants
        roleStore = roles
    }

    /// Reads everything again. Called at start, after each change, and whenever the database says that another process
    /// changed something.
    public func reload() async throws(StoreError) {
        let reading = readings.withLock { readings in
            readings += 1
            return readings
        }
        let tenants = try await tenantStore.all(limit: Limits.tenantsMax)
        let roles = try await roleStore.roles(limit: Limits.rolesMax)
        let permissions = try await roleStore.permissions(limit: Limits.rolesMax)
        let fresh = Snapshot(
            tenants: Dictionary(tenants.map { ($0.id, $0) }) { first, _ in first },
            roles: Dictionary(roles.map { ($0.id, $0) }) { first, _ in first },
            names: Dictionary(roles.map { (RoleName(tenant: $0.tenantID, name: $0.name), $0.id) }) { first, _ in first
            },
            permissions: permissions, reading: reading)
        snapshot.withLock { if $0.reading < reading { $0 = fresh } }
    }

    /// The tenant of this identifier.
    public func tenant(_ id: String) -> Tenant? {
        snapshot.withLock { $0.tenants[id] }
    }

    /// Every tenant, by identifier.
    public var tenants: [Tenant] {
        snapshot.withLock { Array($0.tenants.values) }.sorted { $0.id < $1.id }
    }

    /// Every role, by name.
    public var roles: [Role] {
        snapshot.withLock { Array($0.roles.values) }.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
    }

    /// Every permission, by name.
    public var permissions: [Permission] {
        snapshot.withLock { $0.permissions }
    }

    /// The role of this identifier.
    public func role(_ id: String) -> Role? {
        snapshot.withLock { $0.roles[id] }
    }

    /// The name of the role of this identifier.
    @Sendable public func roleName(_ id: String) -> String? { role(id)?.name }

    /// The role of this name, in a tenant or everywhere.
    public func role(named name: String, exactlyIn tenant: String?) -> Role? {
        snapshot.withLock { snapshot in
            snapshot.names[RoleName(tenant: tenant, name: name)].flatMap { snapshot.roles[$0] }
        }
    }

    /// Resolves a role's name in a tenant: the tenant's own role, else the project's.
    public func role(named name: String, in tenant: String?) -> Role? {
        if let tenant, let own = role(named: name, exactlyIn: tenant) { return own }
        return role(named: name, exactlyIn: nil)
    }

    /// Identifiers of the roles that every user of a tenant gets.
    public func defaultRoles(of tenant: String) -> [String] {
        roles.filter { $0.isDefault && ($0.tenantID == nil || $0.tenantID == tenant) }.map(\.id)
    }

    /// The names of roles, in alphabetical order; removed roles have none.
    public func names(of ids: [String]) -> [String] {
        snapshot.withLock { snapshot in ids.compactMap { snapshot.roles[$0]?.name } }.sorted()
    }

    /// Whether any tenant wants its users to sign in at its own connections alone.
    var requiresSingleSignOn: Bool {
        snapshot.withLock { $0.tenants.values.contains(where: \.requiresSingleSignOn) }
    }

    /// Tenants of memberships that want a sign-in at their own connections, unless that tenant vouched; by identifier.
    func strictTenants(of memberships: Memberships, vouchedBy vouching: String?) -> [Tenant] {
        snapshot.withLock { snapshot in
            memberships.tenants.keys.compactMap { snapshot.tenants[$0] }
                .filter { $0.requiresSingleSignOn && $0.id != vouching }
        }.sorted { $0.id < $1.id }
    }

    /// The memberships that count in a session: without tenants that want a sign-in at their own connections, unless
    /// that tenant vouched for the user, or excluded the user from the rule.
    public func memberships(_ memberships: Memberships, of user: UserID, vouchedBy tenant: String?) -> Memberships {
        var counted = memberships
        for strict in strictTenants(of: memberships, vouchedBy: tenant)
        where !strict.singleSignOnExclusions.contains(user.rawValue) {
            counted.tenants[strict.id] = nil
        }
        return counted
    }

    /// The rights that memberships give now. Removed tenants and roles are ignored.
    public func entitlements(of memberships: Memberships) -> Entitlements {
        snapshot.withLock { snapshot in
            var result = Entitlements(everywhere: Self.rights(memberships.roles, in: nil, snapshot))
            for (tenant, roles) in memberships.tenants where snapshot.tenants[tenant] != nil {
                result.tenants[tenant] = Self.rights(roles, in: tenant, snapshot)
            }
            return result
        }
    }

    private static func rights(_ ids: [String], in tenant: String?, _ snapshot: Snapshot) -> Entitlements.Rights {
        let roles = ids.compactMap { snapshot.roles[$0] }.filter { $0.tenantID == nil || $0.tenantID == tenant }
        return Entitlements.Rights(
            roles: Set(roles.map(\.name)).sorted(), permissions: Set(roles.flatMap(\.permissions)).sorted())
    }
}

/// A user's rights, by the names that backends know.
public struct Entitlements: Hashable, Sendable {
    /// Roles and what they allow, both in alphabetical order.
    public struct Rights: Hashable, Sendable {
        public var roles: [String]
        public var permissions: [String]

        public init(roles: [String] = [], permissions: [String] = []) {
            self.roles = roles
            self.permissions = permissions
        }
    }

    public var everywhere: Rights
    public var tenants: [String: Rights]

    public init(everywhere: Rights = Rights(), tenants: [String: Rights] = [:]) {
        self.everywhere = everywhere
        self.tenants = tenants
    }
}
