public import KeyturnBase

/// A user's session in one browser. Found by the digest of its cookie.
public struct BrowserSession: Hashable, Sendable {
    public let id: SessionID
    public let userID: UserID
    public let authentication: AuthenticationFacts
    public let createdAt: UnixTime
    /// The session is over at this moment, used or not.
    public let expiresAt: UnixTime
    /// Where it was opened.
    public let origin: SessionOrigin
    /// The grant of the app that showed its own session to open pages of the settings, and with which this one ends;
    /// `nil`: the user signed in in this browser.
    public let openedBy: GrantID?

    public init(
        id: SessionID, userID: UserID, authentication: AuthenticationFacts, createdAt: UnixTime, expiresAt: UnixTime,
        origin: SessionOrigin = .unknown, openedBy: GrantID? = nil
    ) {
        self.id = id
        self.userID = userID
        self.authentication = authentication
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.origin = origin
        self.openedBy = openedBy
    }
}

/// Where a session was opened, for its owner to recognise it. Only ``signals`` decide something: they are what
/// conditions of journeys ask for.
public struct SessionOrigin: Hashable, Sendable {
    /// The network address.
    public let address: String?
    /// Such as "Firefox on Linux", at most ``Limits/nameBytesMax`` bytes.
    public let device: String?
    /// ISO 3166-1, such as `DE`; `nil`: unknown.
    public var country: String?
    /// What was unusual about the sign-in.
    public var signals: Set<RiskSignal> = []

    public init(address: String?, device: String?, country: String? = nil, signals: Set<RiskSignal> = []) {
        self.address = address
        self.device = device
        self.country = country
        self.signals = signals
    }

    public static let unknown = SessionOrigin(address: nil, device: nil)
}

/// A live session in its owner's list.
public struct OpenSession: Hashable, Sendable {
    public let session: BrowserSession
    /// When it was last used to sign in to an app, or opened.
    public let usedAt: UnixTime

    public init(session: BrowserSession, usedAt: UnixTime) {
        self.session = session
        self.usedAt = usedAt
    }
}
