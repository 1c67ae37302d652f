public import Authority
public import KeyturnBase

/// The secret of an authenticator app (RFC 6238), sealed.
public struct StoredTOTP: Hashable, Sendable {
    /// 16 random bytes; the seal is bound to it.
    public let id: [UInt8]
    /// Opens only with the server's secrets.
    public let sealed: [UInt8]
    /// Whether one of its codes was verified. Until then it serves only for its own confirmation.
    public var isConfirmed: Bool
    /// The last step whose code was accepted; that step and earlier ones are refused.
    public var usedStep: Int64
    /// The facts of a sign-up that is not complete; `nil` if it belongs to a user.
    public let facts: VerificationFacts?
    /// Where it was begun. Its first code is accepted as long as that session lives, and one of a sign-in there alone.
    public let begunIn: Session?
    /// As the store has it; `nil` for one that is not stored yet.
    public let createdAt: UnixTime?

    /// A session, or a sign-in, in which an authenticator is set up.
    public enum Session: Hashable, Sendable {
        case grant(GrantID)
        case browser(SessionID)
        /// The name of a sign-in that is under way: of its page, or of its reference on the methods' wire.
        case signIn(String)

        /// The grant; `nil`: it is none.
        public var grantID: GrantID? { if case .grant(let id) = self { id } else { nil } }
    }

    public init(
        id: [UInt8], sealed: [UInt8], isConfirmed: Bool, usedStep: Int64, facts: VerificationFacts? = nil,
        begunIn: Session? = nil, createdAt: UnixTime? = nil
    ) {
        self.id = id
        self.sealed = sealed
        self.isConfirmed = isConfirmed
        self.usedStep = usedStep
        self.facts = facts
        self.begunIn = begunIn
        self.createdAt = createdAt
    }
}

/// The owner of an authenticator.
public enum AuthenticatorOwner: Hashable, Sendable {
    case user(UserID)
    /// A sign-up under this login ID that is not complete.
    case signUp(Identifier)
}

/// Secrets of authenticator apps.
public protocol TOTPStore: Sendable {
    /// Adds one that is not confirmed, for the permission's user. The newest `pendingMax` of the user stay; a confirmed one
    /// is not changed. One transaction.
    ///
    /// - Parameter replaces: whether it may be added beside a passkey, or beside a confirmed one, which it will
    ///   replace.
    /// - Returns: `false` if there is one of these and `replaces` is `false`; nothing is written then.
    /// - Throws: `forbidden` if the permission no longer holds; `missing` if there is no such user.
    func add(
        _ authenticator: StoredTOTP, by allowed: consuming Allowed<Acts.AddAuthenticator>, replaces: Bool,
        pendingMax: Int, expiresAt: UnixTime, at now: UnixTime
    ) async throws(StoreError) -> Bool

    /// Adds one for a sign-up under a login ID that is not complete. The newest `pendingMax` of the login ID stay. One
    /// transaction.
    func add(
        _ authenticator: StoredTOTP, toSignUpOf loginID: Identifier, pendingMax: Int, expiresAt: UnixTime,
        at now: UnixTime
    ) async throws(StoreError)

    /// The valid ones of an owner: confirmed first, then the newest. One statement.
    func authenticators(of owner: AuthenticatorOwner, at now: UnixTime) async throws(StoreError)
        -> [StoredTOTP]

    /// Accepts the code of a step, in one transaction: the step must be later than every accepted one. Confirms an
    /// unconfirmed authenticator, which replaces the user's former one with its recovery codes, if the session that began
    /// it is alive. The caller answers for one that a sign-in began.
    ///
    /// - Returns: whether this call accepted it; of any number of concurrent calls one does.
    func accept(step: Int64, of id: [UInt8], at now: UnixTime) async throws(StoreError) -> Bool

    /// Removes all of the permission's user.
    ///
    /// - Returns: whether there was a confirmed one.
    /// - Throws: as ``add(_:by:replaces:pendingMax:expiresAt:at:)``.
    func removeAll(by allowed: consuming Allowed<Acts.RemoveAuthenticator>, at now: UnixTime)
        async throws(StoreError) -> Bool
}

/// Recovery codes, as keyed digests.
public protocol RecoveryCodeStore: Sendable {
    /// Replaces every code of the permission's user. One transaction.
    ///
    /// - Throws: `forbidden` if the permission no longer holds; `missing` if there is no such user.
    func replace(
        by allowed: consuming Allowed<Acts.MakeRecoveryCodes>, with digests: [SecretDigest], at now: UnixTime
    ) async throws(StoreError)

    /// Removes every code of the permission's user.
    ///
    /// - Throws: as ``replace(by:with:at:)``.
    func removeAll(by allowed: consuming Allowed<Acts.RemoveAuthenticator>, at now: UnixTime) async throws(StoreError)

    /// Spends a code in one guarded statement: of any number of concurrent calls one succeeds.
    ///
    /// - Parameter digests: the code under each secret that may have made it.
    func spend(_ digests: [SecretDigest], of user: UserID, at now: UnixTime) async throws(StoreError) -> Bool

    /// How many are left.
    func count(of user: UserID) async throws(StoreError) -> Int
}
