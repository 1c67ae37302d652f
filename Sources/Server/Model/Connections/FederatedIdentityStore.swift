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

    /// Links an identity to its user, in one transaction, if the user's epoch is still `epoch`. Codes and links that wait
    /// to change an address of the user are removed: another person may have asked for them.
    func link(_ identity: FederatedIdentity, epoch: Int64) async throws(StoreError) -> IdentityLinking

    /// Adds a user with a first identity, in one transaction.
    ///
    /// - Returns: `false` if the identity or one of the identifiers is taken; nothing is written then.
    /// - Throws: `missing` if there is no such tenant.
    func create(_ account: Account, with identity: FederatedIdentity) async throws(StoreError) -> Bool

    /// Records a sign-in with the identity.
    func use(_ key: FederatedIdentity.Key, email: String?, name: String?, at now: UnixTime) async throws(StoreError)

    /// Removes an identity of a user, unless none of `ways` would be open then; judged in the same transaction.
    func unlink(
        _ key: FederatedIdentity.Key, of user: UserID, leaving ways: SignInWays, at now: UnixTime
    ) async throws(StoreError) -> IdentityUnlinking

    /// Records the provider's session in which a browser session began.
    ///
    /// - Parameter providerName: see ``FederatedOrigin/providerName``.
    func note(
        session: SessionID, of key: FederatedIdentity.Key, providerSession: String?, providerName: String?,
        expiresAt: UnixTime
    ) async throws(StoreError)

    /// Where a browser session began; `nil`: at no provider, or it is over.
    func origin(of session: SessionID, at now: UnixTime) async throws(StoreError) -> FederatedOrigin?

    /// The browser sessions that began with a name of the provider, at most 1,000.
    func origins(
        named name: String, at connection: String, issuer: String, at now: UnixTime
    ) async throws(StoreError) -> [FederatedOrigin]

    /// The browser sessions that began with an identity.
    ///
    /// - Parameter providerSession: only of this session of the provider; `nil`: of any.
    func sessions(of key: FederatedIdentity.Key, providerSession: String?, at now: UnixTime)
        async throws(StoreError) -> [FederatedSession]

    /// The browser sessions that began in a session of a provider, of any user.
    func sessions(
        inProviderSession session: String, at connection: String, issuer: String, at now: UnixTime
    ) async throws(StoreError) -> [FederatedSession]
}

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
