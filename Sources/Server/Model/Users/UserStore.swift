public import Authority
public import KeyturnBase

/// A user with identifiers and credentials, as a sign-in needs it.
public struct Account: Hashable, Sendable {
    public var user: User
    public var identifiers: [Identifier: IdentifierState]
    /// The encoded password hash (PHC string), if the user has a password.
    public var passwordHash: String?
    public var memberships: Memberships
    /// Whether an authenticator app was set up. Changed only by ``TOTPStore``.
    public var hasAuthenticator: Bool
    /// Whether there is a passkey that is switched on. Changed only by ``PasskeyStore``.
    public var hasPasskey: Bool

    /// The user's role in the console; `nil`: none. Changed only by ``ConsoleOperatorStore``.
    public var consoleRole: ConsoleRole?

    /// Whether a role of the user's, of the project's or in a tenant, lets the user act as others
    /// (``ActingPermissions``). It follows from ``memberships`` and the roles; no caller sets it.
    public var actsAsOthers: Bool

    /// Whether the account opens more than itself: by a role in the console, or by one that acts as others. No provider
    /// and no directory says who its user is.
    public var reachesOthers: Bool { consoleRole != nil || actsAsOthers }

    /// Whether there is a factor other than a password or an address.
    public var hasStrongFactor: Bool { hasAuthenticator || hasPasskey }

    /// Whether the user has a factor to reauthenticate with: biometric keys and other providers do not count.
    public var canReauthenticate: Bool { passwordHash != nil || hasProvenAddress || hasStrongFactor }

    /// Whether the user has verified an identifier.
    public enum IdentifierState: Hashable, Sendable {
        case unverified, verified
    }

    public init(
        user: User, identifiers: [Identifier: IdentifierState], passwordHash: String?, memberships: Memberships = .none,
        hasAuthenticator: Bool = false, hasPasskey: Bool = false, consoleRole: ConsoleRole? = nil,
        actsAsOthers: Bool = false
    ) {
        self.user = user
        self.identifiers = identifiers
        self.passwordHash = passwordHash
        self.memberships = memberships
        self.hasAuthenticator = hasAuthenticator
        self.hasPasskey = hasPasskey
        self.consoleRole = consoleRole
        self.actsAsOthers = actsAsOthers
    }
}

/// Users, their identifiers, their passwords, and their memberships.
public protocol UserStore: Sendable {
    /// The user of this identifier with all its data. One statement.
    func account(_ identifier: Identifier) async throws(StoreError) -> Account?

    /// The user with all its data. One statement.
    func account(_ id: UserID) async throws(StoreError) -> Account?

    /// Whether an account other than `user` gets messages at this address and has verified it, be it a login ID of that
    /// account or not (``Account/knowsVerified(_:)``). One statement.
    func isContact(_ address: Identifier, besides user: UserID?) async throws(StoreError) -> Bool

    /// Users in the order of their identifiers, those after `last`, at most `limit`. `last` need not exist any more.
    func accounts(after last: UserID?, limit: Int) async throws(StoreError) -> [Account]

    /// One page of the users that a query describes, in its order. One statement.
    func search(_ query: UserQuery) async throws(StoreError) -> [Account]

    /// How many users a query describes, whatever its page. One statement.
    func count(_ query: UserQuery) async throws(StoreError) -> Int

    /// Adds a user in one transaction.
    ///
    /// - Parameter authenticator: the user's existing one; it is valid at once.
    /// - Throws: `conflict` if the id or one of the identifiers is taken, or an identifier reads like the id of another
    ///   user; nothing is written then. `missing` if there is no such tenant.
    func create(
        _ account: Account, authenticator: StoredTOTP?, by allowed: consuming Allowed<Acts.CreateAccount>
    ) async throws(StoreError)

    /// Adds the user of a sign-up that is complete together with the accepted authenticator, in one transaction.
    ///
    /// - Parameter id: of the authenticator.
    /// - Throws: as ``create(_:authenticator:by:)``; `missing` if no sign-up has accepted it.
    func create(_ account: Account, withAccepted id: [UInt8], by allowed: consuming Allowed<Acts.CreateAccount>)
        async throws(StoreError)

    /// Reads the permission's user, lets `rule` change it, and replaces all data but the password: one transaction, so
    /// that of two changes at once neither is lost. A status other than active and invited ends every session and grant of
    /// the user in the same transaction.
    ///
    /// - Parameter ways: nothing changes if none of them would be open then; `nil`: the user may be left without one.
    /// - Returns: the changed user.
    /// - Throws: `missing` if there is no such user or tenant; `conflict` as for ``create(_:authenticator:by:)``;
    ///   `forbidden` if the permission no longer holds, or the rule changes what it does not cover
    ///   (``AccountAspect``), and for the last owner, who stays active (``LastOwner``); nothing is written then.
    func change(
        by allowed: consuming Allowed<Acts.ChangeAccount>, leaving ways: SignInWays?, at now: UnixTime,
        _ rule: @escaping @Sendable (inout Account) -> Void
    ) async throws(StoreError) -> Account

    /// Merges two accounts, by ``UserMerge``, in one transaction: the other one is removed with its sessions and
    /// grants; its access keys, data keys and identities at providers go to the one that stays.
    ///
    /// - Parameters:
    ///   - allowed: for the account that asks.
    ///   - other: for the one that has the address.
    /// - Returns: the account that stays.
    /// - Throws: `missing` if one of the two does not exist; `forbidden` if a permission no longer holds, or the last owner
    ///   would go (``LastOwner``).
    func merge(
        by allowed: consuming Allowed<Acts.MergeAccounts>, with other: consuming Allowed<Acts.GiveUpAccount>,
        proved identifier: Identifier, keeping kept: UserMerge.Kept, at now: UnixTime
    ) async throws(StoreError) -> Account

    /// Replaces the hash of the same password by one with other parameters, if the stored one is still `old`.
    /// Sessions and grants stay.
    func rehash(_ id: UserID, from old: String, to new: String) async throws(StoreError)

    /// Removes the permission's user with all their data: identifiers, password, sessions, grants, consents. A tenant whose
    /// directory deactivated the user keeps that resource, with a disabled account that has nothing else.
    ///
    /// - Returns: whether there was such a user.
    /// - Throws: `forbidden` if the permission no longer holds, and for the last owner (``LastOwner``).
    func delete(by allowed: consuming Allowed<Acts.DeleteAccount>, at now: UnixTime) async throws(StoreError) -> Bool

    /// Removes at most `limit` test users. The permission is for the project, not for one of them.
    ///
    /// - Returns: the removed users.
    func deleteTestUsers(by allowed: consuming Allowed<Acts.DeleteAccount>, limit: Int) async throws(StoreError)
        -> [UserID]
}

extension UserStore {
    /// Adds a user without an authenticator.
    public func create(_ account: Account, by allowed: consuming Allowed<Acts.CreateAccount>) async throws(StoreError) {
        try await create(account, authenticator: nil, by: allowed)
    }

    /// Changes a user, who may be left without a way to sign in.
    public func change(
        by allowed: consuming Allowed<Acts.ChangeAccount>, at now: UnixTime,
        _ rule: @escaping @Sendable (inout Account) -> Void
    ) async throws(StoreError) -> Account {
        try await change(by: allowed, leaving: nil, at: now, rule)
    }
}
