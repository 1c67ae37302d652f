public import KeyturnBase

/// Something that mattered for security: data in a store, not a line in a log. Holds no secret.
public struct AuditEvent: Hashable, Sendable {
    /// What happened. An open set with stable names.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        public static let signedIn = Self(rawValue: "sign_in.succeeded")
        public static let signInFailed = Self(rawValue: "sign_in.failed")
        public static let signInThrottled = Self(rawValue: "sign_in.throttled")
        public static let signedOut = Self(rawValue: "sign_out")
        public static let consentGiven = Self(rawValue: "consent.given")
        public static let consentRefused = Self(rawValue: "consent.refused")
        public static let grantIssued = Self(rawValue: "grant.issued")
        public static let grantEnded = Self(rawValue: "grant.ended")
        public static let codeReplayed = Self(rawValue: "code.replayed")
        public static let refreshReplayed = Self(rawValue: "refresh.replayed")
        public static let refreshRepeated = Self(rawValue: "refresh.repeated")
        /// A refresh token that is bound to a key was presented without it: a copy.
        public static let refreshWrongKey = Self(rawValue: "refresh.wrong_key")
    }

    public let kind: Kind
    public let at: UnixTime
    public let userID: UserID?
    public let clientID: String?
    public let sessionID: SessionID?
    /// The network address that asked, if known.
    public let address: String?
    /// A stable word that says why, from a closed set of the event's own.
    public let reason: String?

    public init(
        _ kind: Kind, at: UnixTime, userID: UserID? = nil, clientID: String? = nil, sessionID: SessionID? = nil,
        address: String? = nil, reason: String? = nil
    ) {
        self.kind = kind
        self.at = at
        self.userID = userID
        self.clientID = clientID
        self.sessionID = sessionID
        self.address = address
        self.reason = reason
    }
}
