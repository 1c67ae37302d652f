public import KeyturnBase

/// A user together with what identifies and proves them, as a sign-in needs it.
public struct Account: Hashable, Sendable {
    public var user: User
    public var identifiers: [Identifier: IdentifierState]
    /// The encoded password hash (PHC string), if the user has a password.
    public var passwordHash: String?
    public var memberships: Memberships
    /// Whether an authenticator app was set up. Changed by ``AuthenticatorStore`` alone.
    public var hasAuthenticator: Bool
    /// Whether there is a passkey that is switched on. Changed by ``PasskeyStore`` alone.
    public var hasPasskey: Bool

    /// Whether there is a factor that neither a password nor a mailbox stands for.
    public var hasStrongFactor: Bool { hasAuthenticator || hasPasskey }

    /// Whether the user has anything to prove again who they are with: a touch does not count, nor what somebody else keeps.
    public var canReauthenticate: Bool { passwordHash != nil || hasProvenAddress || hasStrongFactor }

    /// Whether an identifier was shown to belong to the user.
    public enum IdentifierState: Hashable, Sendable {
        case unverified, verified
    }

    public init(
        user: User, identifiers: [Identifier: IdentifierState], passwordHash: String?, memberships: Memberships = .none,
        hasAuthenticator: Bool = false, hasPasskey: Bool = false
    ) {
        self.user = user
        self.identifiers = identifiers
        self.passwordHash = passwordHash
        self.memberships = memberships
        self.hasAuthenticator = hasAuthenticator
        self.hasPasskey = hasPasskey
    }
}

/// Users, their identifiers, their passwords, and where they belong.
public protocol UserStore: Sendable {
    /// The user of this identifier with everything that belongs to it. One statement.
    func account(_ identifier: Identifier) async throws(StoreError) -> Account?

    /// The user with everything that belongs to it. One statement.
    func account(_ id: UserID) async throws(StoreError) -> Account?

    /// Users in the order of their identifiers, those after `last`, at most `limit`. `last` need not be there any more.
    func accounts(after last: UserID?, limit: Int) async throws(StoreError) -> [Account]

    /// One page of the users that a query describes, in its order. One statement.
    func search(_ query: UserQuery) async throws(StoreError) -> [Account]

    /// How many users a query describes, whatever its page. One statement.
    func count(_ query: UserQuery) async throws(StoreError) -> Int

    /// Adds a user in one transaction.
    ///
    /// - Parameter authenticator: one that the user has already; it counts at once.
    /// - Throws: `conflict` if the id or one of the identifiers belongs to somebody, or an identifier reads like the id of
    ///   somebody else; nothing is written then. `missing` if there is no such tenant.
    func create(_ account: Account, authenticator: StoredTOTP?) async throws(StoreError)

    /// Replaces everything about the user but the password, in one transaction.
    ///
    /// A status other than active and invited ends every session and grant of the user in the same transaction.
    ///
    /// - Throws: `missing` if there is no such user or tenant; `conflict` as for ``create(_:)``.
    func update(_ account: Account, at now: UnixTime) async throws(StoreError)

    /// Reads the user, lets `rule` change it, and replaces it as ``update(_:at:)`` does: one transaction, so that of two
    /// changes at once neither is lost.
    ///
    /// - Returns: the user as it is now.
    /// - Throws: as ``update(_:at:)``.
    func change(_ id: UserID, at now: UnixTime, _ rule: @escaping @Sendable (inout Account) -> Void)
        async throws(StoreError) -> Account

    /// Makes one account of two, by ``UserMerge``, in one transaction: the one that goes is removed with its sessions and
    /// grants; access keys bound to it are bound to the one that stays, and its data keys become that one's.
    ///
    /// - Returns: the account that stays.
    /// - Throws: `missing` if one of the two is not there.
    func merge(
        asking: UserID, existing: UserID, proved identifier: Identifier, keeping kept: UserMerge.Kept, at now: UnixTime
    ) async throws(StoreError) -> Account

    /// Sets the password and, in the same transaction, ends every session and grant of the user.
    ///
    /// - Throws: `missing` if there is no such user.
    func changePassword(of id: UserID, to hash: String, at now: UnixTime) async throws(StoreError)

    /// Replaces the hash of the same password by one with other parameters, if the stored one is still `old`.
    /// Sessions and grants stay.
    func rehash(_ id: UserID, from old: String, to new: String) async throws(StoreError)

    /// Removes the user with everything that belongs to it: identifiers, password, sessions, grants, consents.
    ///
    /// - Returns: whether there was such a user.
    func delete(_ id: UserID, at now: UnixTime) async throws(StoreError) -> Bool

    /// Removes at most `limit` test users.
    ///
    /// - Returns: those that it removed.
    func deleteTestUsers(limit: Int) async throws(StoreError) -> [UserID]
}

extension UserStore {
    /// Adds a user without an authenticator.
    public func create(_ account: Account) async throws(StoreError) {
        try await create(account, authenticator: nil)
    }
}
