public import KeyturnBase

/// A filter for users. Every condition that is given must hold; a list is met by any of its members.
public struct UserQuery: Hashable, Sendable {
    /// Whether test users are included.
    public enum TestUsers: Hashable, Sendable {
        case without, with, only
    }

    /// The roles that a user must have in a tenant: all of them, or any.
    public struct TenantRoles: Hashable, Sendable {
        public var tenant: String
        /// Identifiers of roles; no user matches an empty list.
        public var roles: [String]
        public var needsAll: Bool

        public init(tenant: String, roles: [String], needsAll: Bool) {
            self.tenant = tenant
            self.roles = roles
            self.needsAll = needsAll
        }
    }

    /// A sort criterion.
    public struct Sort: Hashable, Sendable {
        /// A property of a user.
        public enum Key: String, Hashable, Sendable, CaseIterable {
            case createdTime, modifiedTime, name, givenName, familyName, email, phone, status, userId, loginId
        }

        public var key: Key
        public var isDescending: Bool

        public init(_ key: Key, isDescending: Bool = false) {
            self.key = key
            self.isDescending = isDescending
        }
    }

    public var tenants: [String] = []
    /// Identifiers of roles, held anywhere.
    public var roles: [String] = []
    /// Roles that a member of one of these tenants must have there.
    public var tenantRoles: [TenantRoles] = []
    public var statuses: [User.Status] = []
    public var users: [UserID] = []
    /// Identifiers, each list a condition of its own.
    public var identifiers: [[Identifier]] = []
    /// Part of the name or of a login ID, in lower case.
    public var text: String?
    /// Members that the custom attributes must have.
    public var attributes: [String: JSONValue] = [:]
    public var testUsers = TestUsers.without
    public var createdFrom: UnixTime?
    /// Excludes users of this very moment and later.
    public var createdBefore: UnixTime?
    public var updatedFrom: UnixTime?
    /// Excludes users whose last change was at this very moment or later.
    public var updatedBefore: UnixTime?
    /// The first one decides; equal users come in the order of their creation, or against it if they are sorted by
    /// ``Sort/Key/createdTime`` alone, descending. At most ``Limits/sortKeysMax``.
    public var sort: [Sort] = []
    /// 1 to ``Limits/usersOfPageMax``.
    public var limit = Limits.usersOfPageMax
    /// From 0.
    public var page = 0
    /// Counting ends here; `nil`: every user is counted.
    public var countMax: Int?

    public init() {}
}
