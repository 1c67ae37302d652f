public import Authority
public import KeyturnBase

/// A password's state, beside its hash.
public struct PasswordState: Hashable, Sendable {
    /// When it was set; `nil`: before this was recorded.
    public var setAt: UnixTime?
    /// It must be replaced before a sign-in completes: temporary, or expired.
    public var mustReplace: Bool
    /// Hashes of earlier ones, the newest first.
    public var history: [String]
    /// When it, or one that it replaced, was set with an address as the only factor; `nil`: never.
    public var resetAt: UnixTime?

    public init(
        setAt: UnixTime? = nil, mustReplace: Bool = false, history: [String] = [], resetAt: UnixTime? = nil
    ) {
        self.setAt = setAt
        self.mustReplace = mustReplace
        self.history = history
        self.resetAt = resetAt
    }
}

/// A new password for a user.
public struct PasswordChange: Hashable, Sendable {
    /// What was verified when it was chosen.
    public enum Origin: Hashable, Sendable {
        /// The former password: the recorded origin stays.
        case formerPassword
        /// An email address or a telephone number, and nothing else.
        case address
        /// A second factor, the operator, or a new account.
        case strong
    }

    public let hash: String
    /// The hash that must still be stored; `nil`: any.
    public var replacing: String?
    public var mustReplace: Bool
    /// Earlier hashes to keep.
    public var historyMax: Int
    /// A session that is kept; every other one ends.
    public var keeping: GrantID?
    /// A browser session that is kept; every other one ends.
    public var keepingSession: SessionID?
    /// An app's session that is kept; every other one ends.
    public var keepingApp: SignedInSession?
    /// Whether sessions end at all: a user who changes the password in the settings may keep them.
    public var endsSessions: Bool
    public var origin: Origin

    public init(
        hash: String, origin: Origin, replacing: String? = nil, mustReplace: Bool = false,
        historyMax: Int, keeping: GrantID? = nil, keepingSession: SessionID? = nil, keepingApp: SignedInSession? = nil,
        endsSessions: Bool = true
    ) {
        self.hash = hash
        self.replacing = replacing
        self.mustReplace = mustReplace
        self.historyMax = historyMax
        self.keeping = keeping
        self.keepingSession = keepingSession
        self.keepingApp = keepingApp
        self.endsSessions = endsSessions
        self.origin = origin
    }
}

/// One app's grants of one sign-in, and of later ones in the same session.
public struct SignedInSession: Hashable, Sendable {
    public let clientID: String
    public let sessionID: SessionID
    /// When the user signed in.
    public let since: UnixTime

    public init(clientID: String, sessionID: SessionID, since: UnixTime) {
        self.clientID = clientID
        self.sessionID = sessionID
        self.since = since
    }
}

/// Password data beside the hash that ``UserStore`` reads.
public protocol PasswordStore: Sendable {
    /// The state of a user's password. One statement.
    func state(of user: UserID) async throws(StoreError) -> PasswordState

    /// Sets the password of the permission's user, remembers the former one, ends sessions, and invalidates every link
    /// and code of the user: one transaction.
    ///
    /// - Returns: `false` if the password was changed meanwhile.
    /// - Throws: `forbidden` if the permission no longer holds; `missing` if there is no such user.
    func set(_ change: PasswordChange, by allowed: consuming Allowed<Acts.SetPassword>, at now: UnixTime)
        async throws(StoreError) -> Bool

    /// Expires the password of the permission's user: it must be replaced.
    ///
    /// - Returns: whether the user has one.
    /// - Throws: as ``set(_:by:at:)``.
    func expire(by allowed: consuming Allowed<Acts.ExpirePassword>, at now: UnixTime) async throws(StoreError) -> Bool

    /// The first stored hash that costs something else than those that this server makes, at or after `start` in the
    /// order of the text's bytes; `nil`: none. One statement, which looks at no other hash.
    func foreignHash(from start: String) async throws(StoreError) -> String?

    /// Removes all that an attacker who never verified the user's address may have set up: password, authenticators,
    /// recovery codes, links, codes, sessions. One transaction.
    ///
    /// - Parameter reference: of the client that waits for the address to be verified; it goes on waiting.
    /// - Throws: as ``set(_:by:at:)``.
    func void(
        by allowed: consuming Allowed<Acts.VoidCredentials>, keeping reference: SecretDigest?, at now: UnixTime
    ) async throws(StoreError)
}
