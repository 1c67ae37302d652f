public import Authority
public import KeyturnBase

/// What came of linking an identity.
public enum IdentityLinking: Hashable, Sendable {
    case linked
    /// It belongs to this user already.
    case present
    /// It belongs to another user.
    case taken
    /// The user has as many as are allowed.
    case tooMany
    /// The user was signed out everywhere, disabled or removed since.
    case overtaken
}

/// What came of unlinking an identity.
public enum IdentityUnlinking: Hashable, Sendable {
    case unlinked
    case missing
    /// It is the last way in: nothing changed.
    case lastWay
}

/// Users' identities at providers.
public protocol FederatedIdentityStore: Sendable {
    /// The identity of this key. One statement.
    func identity(_ key: FederatedIdentity.Key) async throws(StoreError) -> FederatedIdentity?

    /// A user's identities, in the order of linking.
    func identities(of user: UserID) async throws(StoreError) -> [FederatedIdentity]

    /// The identities at a connection whose users have an open browser session or a live grant, by subject, at most
    /// `limit`.
    ///
    /// - Parameter subject: only those after this one; `nil`: from the first.
    func inUse(at connection: String, after subject: String?, limit: Int, at now: UnixTime)
        async throws(StoreError) -> [FederatedIdentity]

    /// Whether an identity of this key was unlinked, and its provider's word no longer links it.
    func wasUnlinked(_ key: FederatedIdentity.Key) async throws(StoreError) -> Bool

    /// The tenants out of which the user was taken, without those to which the user has come back: by an act of their own,
    /// by another caller than the tenant, or because nothing but the tenant holds the account. The tenant's directory may
    /// have made the user a member again.
    func formerTenants(of user: UserID) async throws(StoreError) -> Set<String>

    /// Links an identity to the permission's user, in one transaction, if the user's epoch is still the one of the
    /// permission. Codes and links that wait to change an address of the user are removed: another person may have asked
    /// for them.
    ///
    /// - Throws: `forbidden` if the permission no longer holds, or the identity is another user's.
    func link(_ identity: FederatedIdentity, by allowed: consuming Allowed<Acts.LinkIdentity>)
        async throws(StoreError) -> IdentityLinking

    /// Adds a user with a first identity, in one transaction.
    ///
    /// - Returns: `false` if the identity or one of the identifiers is taken; nothing is written then.
    /// - Throws: `missing` if there is no such tenant.
    func create(
        _ account: Account, with identity: FederatedIdentity, by allowed: consuming Allowed<Acts.CreateAccount>
    ) async throws(StoreError) -> Bool

    /// Whether the user has an identity of this connection, or had one.
    ///
    /// - Parameter key: does not count if it ended with a former connection of this name; `nil`: all count.
    func hasIdentity(_ user: UserID, at connection: String, besides key: FederatedIdentity.Key?)
        async throws(StoreError) -> Bool

    /// Records a sign-in with an identity of the permission's user, and lets `rule` change that user: one transaction. It
    /// comes after every sign-out at the provider, also one of the same second.
    ///
    /// - Returns: the user as it is then.
    /// - Throws: `missing` if the identity or its user is gone, or the user was taken out of the tenant
    ///   (``IdentityUse/endsAbsence``); else as ``UserStore/change(by:leaving:at:_:)``.
    func use(
        _ use: IdentityUse, by allowed: consuming Allowed<Acts.ChangeAccount>, at now: UnixTime,
        _ rule: @escaping IdentityRule
    ) async throws(StoreError) -> Account

    /// Removes an identity of the permission's user, unless none of `ways` would be open then; judged in the same
    /// transaction. The roles that only this identity's provider gave end with it.
    ///
    /// - Throws: `forbidden` if the permission no longer holds.
    func unlink(
        _ key: FederatedIdentity.Key, by allowed: consuming Allowed<Acts.UnlinkIdentity>, leaving ways: SignInWays,
        at now: UnixTime
    ) async throws(StoreError) -> IdentityUnlinking

    /// Notes that the provider signed the user of an identity out (``FederatedIdentity/signedOutAt``). Does nothing if no
    /// user has the identity. One statement.
    func noteSignOut(of key: FederatedIdentity.Key, at now: UnixTime) async throws(StoreError)

    /// Records the provider's session in which a browser session began, or in which its user signed in again. What was
    /// recorded before stays: each of the providers may say that the session is over.
    ///
    /// - Parameter providerName: see ``FederatedOrigin/providerName``.
    func note(
        session: SessionID, of key: FederatedIdentity.Key, providerSession: String?, providerName: String?,
        expiresAt: UnixTime
    ) async throws(StoreError)

    /// Where a browser session began, or its user signed in last; `nil`: at no provider, or it is over.
    func origin(of session: SessionID, at now: UnixTime) async throws(StoreError) -> FederatedOrigin?

    /// The browser sessions that began with a name of the provider, at most 1,000: those that are open, and those whose
    /// browser another user has now and from which an app goes on.
    func origins(
        named name: String, at connection: String, issuer: String, at now: UnixTime
    ) async throws(StoreError) -> [FederatedOrigin]

    /// The browser sessions that began with an identity, also if another user has their browser now.
    ///
    /// - Parameter providerSession: only of this session of the provider; `nil`: of any.
    func sessions(of key: FederatedIdentity.Key, providerSession: String?, at now: UnixTime)
        async throws(StoreError) -> [FederatedSession]

    /// The browser sessions that began in a session of a provider, of any user.
    func sessions(
        inProviderSession session: String, at connection: String, issuer: String, at now: UnixTime
    ) async throws(StoreError) -> [FederatedSession]
}

/// A sign-in with an identity.
public struct IdentityUse: Hashable, Sendable {
    public var key: FederatedIdentity.Key
    /// What the provider tells now, as it is shown to the user.
    public var email: String?
    public var name: String?
    /// The tenant in which the provider gives roles; `nil`: everywhere.
    public var tenantID: String?
    /// An address that the provider vouches for, which the user may get; `nil`: none.
    public var address: Identifier?
    /// Whether a user who was taken out of the tenant is back by this sign-in: the owner of the account wants it, or
    /// nothing but the tenant holds the account.
    public var endsAbsence: Bool

    public init(
        key: FederatedIdentity.Key, email: String?, name: String?, tenantID: String?, address: Identifier? = nil,
        endsAbsence: Bool = false
    ) {
        self.key = key
        self.email = email
        self.name = name
        self.tenantID = tenantID
        self.address = address
        self.endsAbsence = endsAbsence
    }
}

/// What is known of an identity while its user is changed.
public struct IdentityUseFacts: Hashable, Sendable {
    /// The identity, as it was before this sign-in.
    public let identity: FederatedIdentity
    /// The roles that another provider, or a group of the tenant's directory, gives in the same place.
    public let rolesElsewhere: Set<String>
    /// Whether no other user has ``IdentityUse/address``: as a login ID, verified or not, or as a contact that was proved.
    public let isAddressFree: Bool
    /// Whether the tenant's directory keeps the user's profile.
    public let isProvisioned: Bool

    public init(
        identity: FederatedIdentity, rolesElsewhere: Set<String> = [], isAddressFree: Bool = true,
        isProvisioned: Bool = false
    ) {
        self.identity = identity
        self.rolesElsewhere = rolesElsewhere
        self.isAddressFree = isAddressFree
        self.isProvisioned = isProvisioned
    }
}

/// Changes the user of an identity.
///
/// - Returns: the roles that the provider gives from now on, by their identifiers.
public typealias IdentityRule = @Sendable (inout Account, IdentityUseFacts) -> [String]

/// A browser session that began at a provider.
public struct FederatedSession: Hashable, Sendable {
    public let id: SessionID
    public let userID: UserID

    public init(id: SessionID, userID: UserID) {
        self.id = id
        self.userID = userID
    }
}

/// Where a browser session began.
public struct FederatedOrigin: Hashable, Sendable {
    public let session: FederatedSession
    public let key: FederatedIdentity.Key
    /// The provider's session: `sid`, or the SessionIndex.
    public let providerSession: String?
    /// What messages of single logout call the user, in the form of the connection's protocol: the NameID of SAML; `nil`:
    /// there are no such messages.
    public let providerName: String?

    public init(
        session: FederatedSession, key: FederatedIdentity.Key, providerSession: String?, providerName: String?
    ) {
        self.session = session
        self.key = key
        self.providerSession = providerSession
        self.providerName = providerName
    }
}
