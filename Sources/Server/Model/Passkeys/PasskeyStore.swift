public import Authority
public import KeyturnBase
public import KeyturnWebAuthn

/// The result of adding a passkey.
public enum PasskeyAddition: Hashable, Sendable {
    case added
    /// The challenge or token was used before. Nothing is written.
    case spent
    /// The credential is registered already.
    case taken
    /// The owner has the maximum number.
    case tooMany
    /// The user's epoch has changed, or they may not sign in.
    case overtaken
    /// The site's user has another user name.
    case usernameDiffers
    /// The name is another user's.
    case usernameTaken
}

/// The result of using a verified assertion.
public enum PasskeyUse: Hashable, Sendable {
    case used
    case spent
    /// The credential was removed or switched off since it was read, or its counter went on.
    case overtaken
}

/// A site's user to find.
public enum SiteUserSelector: Hashable, Sendable {
    /// By its identifier, as it is compared at a sign-in: there may be several.
    case id(folded: String)
    /// By its identifier, letter for letter.
    case exactID(String)
    /// By its name: its digest under each secret that may have made it.
    case username([[UInt8]])
}

/// A site's user who gets a passkey.
public struct SiteUser: Hashable, Sendable {
    /// The identifier as the site's backend gave it, letter for letter: two that differ in case are two users.
    public let id: String
    /// For finding them by a typed identifier.
    public let foldedID: String
    /// Its name's digest under each secret that may have made it, the first one to be stored; empty: no name was given.
    public let usernameDigests: [[UInt8]]

    public init(id: String, foldedID: String, usernameDigests: [[UInt8]]) {
        self.id = id
        self.foldedID = foldedID
        self.usernameDigests = usernameDigests
    }

    /// Whether the user has another name. A name whose secret is gone does not count.
    public func differs(from stored: [UInt8]) -> Bool {
        usernameDigests.contains { $0.prefix(4) == stored.prefix(4) } && !usernameDigests.contains(stored)
    }
}

/// Passkeys and used challenges. The store ensures single use and uniqueness, not the caller.
public protocol PasskeyStore: Sendable {
    /// The passkey with that credential id at that relying party, and its owner. One statement.
    func passkey(_ credentialID: [UInt8], at relyingParty: String) async throws(StoreError) -> OwnedPasskey?

    /// A user's passkeys, the oldest first. One statement.
    ///
    /// - Parameter relyingParty: `nil`: of all.
    func passkeys(of user: UserID, at relyingParty: String?) async throws(StoreError) -> [StoredPasskey]

    /// A site user's passkeys, the oldest first. One statement, whether there is such a user or not.
    func passkeys(of user: SiteUserSelector, at relyingParty: String) async throws(StoreError) -> [StoredPasskey]

    /// Adds a passkey of the permission's user and spends the challenge, in one transaction. A permission that no longer
    /// holds is ``PasskeyAddition/overtaken``.
    ///
    /// The user's authenticators that wait for their first code are removed: they were begun without the passkey.
    func add(
        _ passkey: StoredPasskey, by allowed: consuming Allowed<Acts.AddPasskey>, max: Int, spending mark: ReplayMark,
        at now: UnixTime
    ) async throws(StoreError) -> PasskeyAddition

    /// Adds a user together with their first passkey and spends the challenge, in one transaction.
    ///
    /// - Returns: ``PasskeyAddition/usernameTaken`` if the login ID was taken meanwhile.
    func create(
        _ account: Account, with passkey: StoredPasskey, spending mark: ReplayMark,
        by allowed: consuming Allowed<Acts.CreateAccount>
    ) async throws(StoreError) -> PasskeyAddition

    /// Adds a passkey of a site's user, who is created with the first, and spends the token, in one transaction. A
    /// refusal spends nothing.
    func add(_ passkey: StoredPasskey, to user: SiteUser, max: Int, spending mark: ReplayMark, at now: UnixTime)
        async throws(StoreError) -> PasskeyAddition

    /// Adds passkeys of a site's users, who are created with their first, all of them or none, in one transaction.
    ///
    /// - Parameter max: the most passkeys of one user.
    /// - Returns: the first one that was refused; `nil` if all were added.
    func addAll(_ passkeys: [SitePasskey], max: Int, at relyingParty: String) async throws(StoreError)
        -> SitePasskeyRefusal?

    /// Writes what an assertion changed and spends its challenge, in one transaction: of any number of concurrent calls
    /// with one challenge one is `.used`. The counter never goes back.
    ///
    /// - Parameter repeats: whether the counter may stay as it is: the authenticator does not count, or the relying
    ///   party accepts possible copies.
    func use(
        _ record: CredentialRecord, of id: PasskeyID, repeats: Bool, spending mark: ReplayMark, at now: UnixTime
    ) async throws(StoreError) -> PasskeyUse

    /// Spends a token that stands for a passkey of a site's user.
    ///
    /// - Returns: its owner; `nil` if it was spent before, or the passkey is gone or switched off.
    func redeem(_ mark: ReplayMark, for id: PasskeyID, at relyingParty: String) async throws(StoreError)
        -> (siteUser: String, passkey: StoredPasskey)?

    /// Changes the given properties of a passkey of the permission's user. Switching one off ends the sign-ins in progress
    /// with it.
    ///
    /// - Parameter ways: an active one is not switched off if none of them would be open then; judged in the same
    ///   transaction, so that of two at once one stays. `nil`: in any case.
    /// - Returns: `false` if they have no such passkey, or it is the last way.
    /// - Throws: `forbidden` if the permission no longer holds; `missing` if there is no such user.
    func change(
        _ id: PasskeyID, by allowed: consuming Allowed<Acts.ChangePasskey>, name: String?, isActive: Bool?,
        leaving ways: SignInWays?, at now: UnixTime
    ) async throws(StoreError) -> Bool

    /// Changes a passkey of a site's user.
    ///
    /// - Returns: the changed passkey; `nil` if the relying party has no such passkey.
    func change(_ id: PasskeyID, at relyingParty: String, name: String?, isActive: Bool?)
        async throws(StoreError) -> StoredPasskey?

    /// Removes a passkey of the permission's user, and ends the sign-ins in progress with it.
    ///
    /// - Parameter ways: an active one stays if none of them would be open then; `nil`: in any case.
    /// - Returns: `false` if they have no such passkey, or it is the last way.
    /// - Throws: as ``change(_:by:name:isActive:leaving:at:)``.
    func remove(
        _ id: PasskeyID, by allowed: consuming Allowed<Acts.RemovePasskey>, leaving ways: SignInWays?, at now: UnixTime
    ) async throws(StoreError) -> Bool

    /// Removes a passkey of a site's user, and with the last one the user.
    func remove(_ id: PasskeyID, at relyingParty: String) async throws(StoreError) -> Bool

    /// The number of the newest metadata about authenticators that was ever accepted from that source; `nil`: none was.
    func metadataNumber(of source: String) async throws(StoreError) -> Int64?

    /// Records newer metadata: older metadata is refused from now on. A smaller number changes nothing.
    func raiseMetadataNumber(to number: Int64, of source: String) async throws(StoreError)

    /// Removes every passkey of the permission's user, and ends the sign-ins in progress with them.
    ///
    /// - Returns: how many there were.
    /// - Throws: as ``change(_:by:name:isActive:leaving:at:)``.
    func removeAll(by allowed: consuming Allowed<Acts.RemovePasskey>, at now: UnixTime) async throws(StoreError) -> Int
}
