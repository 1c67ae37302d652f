/// A user's tenants and roles. Roles are named by their identifiers, so that renaming one changes no user.
public struct Memberships: Hashable, Sendable {
    /// Identifiers of the roles that the user has everywhere.
    public var roles: [String]
    /// The user's tenants, each with the identifiers of the roles that the user has there.
    public var tenants: [String: [String]]

    public init(roles: [String] = [], tenants: [String: [String]] = [:]) {
        self.roles = roles
        self.tenants = tenants
    }

    /// No roles, no tenants.
    public static let none = Memberships()

    /// The roles and tenants of both.
    public func union(_ other: Memberships) -> Memberships {
        Memberships(
            roles: Self.joined(roles, other.roles),
            tenants: tenants.merging(other.tenants, uniquingKeysWith: Self.joined)
        )
    }

    /// Whether it is small enough for a token.
    public var isWithinLimits: Bool {
        roles.count <= Limits.rolesOfUserMax && tenants.count <= Limits.tenantsOfUserMax
            && tenants.values.allSatisfy { $0.count <= Limits.rolesOfUserMax }
    }

    /// How many roles and tenants there are.
    package var count: Int { roles.count + tenants.count + tenants.values.reduce(0) { $0 + $1.count } }

    /// The roles in one tenant, or everywhere (`nil`).
    public func roles(in tenant: String?) -> [String] { tenant.map { tenants[$0] ?? [] } ?? roles }

    /// Adds a role, everywhere or in one tenant. Nothing happens if it is there, or if the user is not in the tenant.
    public mutating func add(role: String, in tenant: String?) {
        guard let tenant else { return roles = Self.joined(roles, [role]) }
        tenants[tenant] = tenants[tenant].map { Self.joined($0, [role]) }
    }

    /// Removes a role, everywhere or in one tenant.
    public mutating func remove(role: String, in tenant: String?) {
        guard let tenant else { return roles.removeAll { $0 == role } }
        tenants[tenant]?.removeAll { $0 == role }
    }

    private static func joined(_ first: [String], _ second: [String]) -> [String] {
        first + second.filter { !first.contains($0) }
    }
}
