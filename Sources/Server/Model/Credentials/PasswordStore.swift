public import KeyturnBase

/// What is known about a password beside its hash.
public struct PasswordState: Hashable, Sendable {
    /// When it was set; `nil`: before this was written down.
    public var setAt: UnixTime?
    /// It opens nothing but its own replacement: temporary, or declared over.
    public var mustReplace: Bool
    /// Hashes of earlier ones, the newest first.
    public var history: [String]
    /// When it, or one that it replaced, was chosen with an address as the only proof; `nil`: never.
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

/// A new password for somebody.
public struct PasswordChange: Hashable, Sendable {
    /// What was proved when it was chosen.
    public enum Origin: Hashable, Sendable {
        /// The password before: what was known of its origin stays.
        case formerPassword
        /// A mailbox or a telephone, and nothing else.
        case address
        /// A second factor, the operator, or a new account.
        case strong
    }

    public let userID: UserID
    public let hash: String
    /// The hash that must still be there; `nil`: whatever is there.
    public var replacing: String?
    public var mustReplace: Bool
    /// Earlier hashes to keep.
    public var historyMax: Int
    /// A session that goes on; every other one ends.
    public var keeping: GrantID?
    /// A browser session that goes on; every other one ends.
    public var keepingSession: SessionID?
    /// An app's session that goes on; every other one ends.
    public var keepingApp: SignedInSession?
    /// Whether sessions end at all: whoever chose the password in their settings may want to keep them.
    public var endsSessions: Bool
    public var origin: Origin

    public init(
        _ userID: UserID, hash: String, origin: Origin, replacing: String? = nil, mustReplace: Bool = false,
        historyMax: Int, keeping: GrantID? = nil, keepingSession: SessionID? = nil, keepingApp: SignedInSession? = nil,
        endsSessions: Bool = true
    ) {
        self.userID = userID
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

/// What one app has of a sign-in.
public struct SignedInSession: Hashable, Sendable {
    public let clientID: String
    public let sessionID: SessionID

    public init(clientID: String, sessionID: SessionID) {
        self.clientID = clientID
        self.sessionID = sessionID
    }
}

/// What belongs to passwords beside the hash that ``UserStore`` reads.
public protocol PasswordStore: Sendable {
    /// The state of a user's password. One statement.
    func state(of user: UserID) async throws(StoreError) -> PasswordState

    /// Sets a password, remembers the one before, ends sessions, and makes every link and code of the user worthless:
    /// one transaction.
    ///
    /// - Returns: `false` if the password was changed by somebody else meanwhile, or there is no such user.
    func set(_ change: PasswordChange, at now: UnixTime) async throws(StoreError) -> Bool

    /// Declares a password over: it must be replaced.
    ///
    /// - Returns: whether the user has one.
    func expire(_ user: UserID, at now: UnixTime) async throws(StoreError) -> Bool

    /// Takes away whatever somebody who never proved the user's address may have put there: password, authenticators,
    /// recovery codes, links, codes, sessions. One transaction.
    ///
    /// - Parameter reference: of whoever waits for the proof that the address is the user's; they go on waiting.
    func void(_ user: UserID, keeping reference: SecretDigest?, at now: UnixTime) async throws(StoreError)
}
