public import KeyturnBase

/// A connection to an identity provider, of the whole project or of one tenant.
public struct Connection: Hashable, Sendable, Codable {
    /// Part of its addresses: letters, digits and hyphens, at most 64.
    public let id: String
    /// `nil`: of the whole project.
    public let tenantID: String?
    /// The name on buttons.
    public var name: String
    public var isEnabled: Bool
    /// Whether users whom it does not know yet are made.
    public var createsUsers: Bool
    /// Addresses of these domains are led here, and only they are taken from a tenant's connection: lower case, each
    /// proven for the tenant (``TenantDomain``).
    public var domains: [String]
    /// Those of ``domains`` that are the tenant's by the operator's word, given at the command line.
    public var vouchedDomains: [String] = []
    /// Where the browser ends after a sign-in that an app began without naming an address; `nil`: the project's.
    public var defaultRedirect: String?
    /// Names of our roles by the provider's groups; other groups count for nothing.
    public var roles: [String: String]
    /// Whether the provider's word stands for a second factor, by its `acr`, AuthnContextClassRef or `amr`.
    public var strongContexts: [String]
    /// The address that is told of expiring certificates; `nil`: the operator's log alone.
    public var contact: String?
    /// Whether the provider may have a private address: the operator's word.
    public var allowsPrivateAddresses: Bool
    public var settings: Settings
    public let createdAt: UnixTime
    public var updatedAt: UnixTime

    /// What the provider speaks.
    public enum Settings: Hashable, Sendable, Codable {
        case openID(OpenIDConnectionSettings)
        case saml(SAMLConnectionSettings)
        case ldap(LDAPConnectionSettings)
    }

    public init(
        id: String, tenantID: String? = nil, name: String, isEnabled: Bool = true, createsUsers: Bool = true,
        domains: [String] = [], roles: [String: String] = [:], strongContexts: [String] = [], contact: String? = nil,
        allowsPrivateAddresses: Bool = false, settings: Settings, createdAt: UnixTime, updatedAt: UnixTime
    ) {
        self.id = id
        self.tenantID = tenantID
        self.name = name
        self.isEnabled = isEnabled
        self.createsUsers = createsUsers
        self.domains = domains
        self.roles = roles
        self.strongContexts = strongContexts
        self.contact = contact
        self.allowsPrivateAddresses = allowsPrivateAddresses
        self.settings = settings
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }

    /// The connection in a sign-in that may let no new users sign up. Those of an organisation come by its word.
    public func admitting(newUsers: Bool) -> Connection {
        var connection = self
        if tenantID == nil { connection.createsUsers = createsUsers && newUsers }
        return connection
    }
}
