public import KeyturnBase

/// A customer organisation: users belong to it, and have roles in it.
public struct Tenant: Hashable, Sendable {
    public let id: String
    public var name: String
    /// Email domains whose users may join by themselves.
    public var selfProvisioningDomains: [String]
    /// The operator's custom attributes; told to its members.
    public var attributes: [String: JSONValue]
    /// Whether its users sign in at its own connections alone (``SingleSignOn``).
    public var requiresSingleSignOn: Bool
    /// Identifiers of users who may sign in another way nevertheless; each such sign-in is recorded.
    public var singleSignOnExclusions: [String]
    public let createdAt: UnixTime

    public init(
        id: String, name: String, selfProvisioningDomains: [String] = [], attributes: [String: JSONValue] = [:],
        requiresSingleSignOn: Bool = false, singleSignOnExclusions: [String] = [], createdAt: UnixTime
    ) {
        self.id = id
        self.name = name
        self.selfProvisioningDomains = selfProvisioningDomains
        self.attributes = attributes
        self.requiresSingleSignOn = requiresSingleSignOn
        self.singleSignOnExclusions = singleSignOnExclusions
        self.createdAt = createdAt
    }
}

/// Something that a user may be allowed to do. Backends know what its name means.
public struct Permission: Hashable, Sendable {
    public let name: String
    public var description: String

    public init(name: String, description: String = "") {
        self.name = name
        self.description = description
    }
}

/// A named set of permissions, of the whole project or of one tenant.
public struct Role: Hashable, Sendable {
    /// Never changes, unlike the name.
    public let id: String
    /// `nil`: a role of the whole project.
    public let tenantID: String?
    public var name: String
    public var description: String
    /// Names of permissions.
    public var permissions: [String]
    /// Given to every user who joins the tenant.
    public var isDefault: Bool
    public let createdAt: UnixTime

    public init(
        id: String, tenantID: String?, name: String, description: String = "", permissions: [String],
        isDefault: Bool = false, createdAt: UnixTime
    ) {
        self.id = id
        self.tenantID = tenantID
        self.name = name
        self.description = description
        self.permissions = permissions
        self.isDefault = isDefault
        self.createdAt = createdAt
    }
}
