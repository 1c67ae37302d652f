public import KeyturnBase

/// A user together with what identifies and proves them, as a sign-in needs it.
public struct Account: Hashable, Sendable {
    public var user: User
    public var identifiers: [Identifier: Verification]
    /// The encoded password hash (PHC string), if the user has a password.
    public var passwordHash: String?

    /// Whether an identifier was shown to belong to the user.
    public enum Verification: Hashable, Sendable {
        case unverified, verified
    }

    public init(user: User, identifiers: [Identifier: Verification], passwordHash: String?) {
        self.user = user
        self.identifiers = identifiers
        self.passwordHash = passwordHash
    }
}

/// Users, their identifiers and their passwords.
public protocol UserStore: Sendable {
    /// The user of this identifier with its password hash. One statement.
    func account(_ identifier: Identifier) async throws(StoreError) -> Account?

    /// The user with everything that belongs to it.
    func account(_ id: UserID) async throws(StoreError) -> Account?

    /// Users in the order of their creation, those after `last`, at most `limit`.
    func accounts(after last: UserID?, limit: Int) async throws(StoreError) -> [Account]

    /// Adds a user in one transaction.
    ///
    /// - Throws: `conflict` if the id or one of the identifiers belongs to somebody; nothing is written then.
    func create(_ account: Account) async throws(StoreError)

    /// Replaces the user's claims, status and identifiers in one transaction; the password stays.
    ///
    /// Disabling ends every session and grant of the user in the same transaction.
    ///
    /// - Throws: `missing` if there is no such user; `conflict` if an identifier belongs to somebody else.
    func update(_ account: Account, at now: UnixTime) async throws(StoreError)

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
    func delete(_ id: UserID) async throws(StoreError) -> Bool
}
