public import KeyturnBase

/// A user's identity at a provider.
public struct FederatedIdentity: Hashable, Sendable {
    /// What identifies it: never an address or a name.
    public struct Key: Hashable, Sendable, Codable {
        public let connectionID: String
        public let issuer: String
        public let subject: String

        public init(connectionID: String, issuer: String, subject: String) {
            self.connectionID = connectionID
            self.issuer = issuer
            self.subject = subject
        }
    }

    public let key: Key
    public let userID: UserID
    /// The address that the provider told last, to recognise the identity by.
    public var email: String?
    /// The name that the provider told last.
    public var name: String?
    public let linkedAt: UnixTime
    public var usedAt: UnixTime
    /// Whether the owner of an account that was there linked it; otherwise the provider's word did.
    public var isByOwner: Bool
    /// The roles that the user has by this provider's word (``ProvidedRoles``); `nil`: an earlier release did not record
    /// them.
    public var providedRoles: [String]? = []
    /// The tenant in which the user has them; `nil`: everywhere.
    public var providedIn: String?
    /// When the provider last told that it signed the user out: what it said by then opens nothing any more. `nil`: it
    /// told nothing.
    public var signedOutAt: UnixTime?

    public init(
        key: Key, userID: UserID, email: String? = nil, name: String? = nil, linkedAt: UnixTime, usedAt: UnixTime,
        isByOwner: Bool = false
    ) {
        self.key = key
        self.userID = userID
        self.email = email
        self.name = name
        self.linkedAt = linkedAt
        self.usedAt = usedAt
        self.isByOwner = isByOwner
    }

    /// Whether it ended with its user's membership: the word of a tenant's provider alone made it, and the user was taken
    /// out of the tenant since. The account is the person's own by now, also if the tenant's directory calls them a member
    /// again (``FederatedIdentityStore/formerTenants(of:)``).
    ///
    /// - Parameter tenant: that of the connection; `nil`: it is the project's.
    package func hasEnded(for account: Account, in tenant: String?) -> Bool {
        guard !isByOwner, let tenant, providedIn == tenant else { return false }
        return account.memberships.tenants[tenant] == nil
    }
}

extension FederatedProfile {
    /// The key of the identity that it describes.
    public func key(at connection: String) -> FederatedIdentity.Key {
        FederatedIdentity.Key(connectionID: connection, issuer: issuer, subject: subject)
    }
}
