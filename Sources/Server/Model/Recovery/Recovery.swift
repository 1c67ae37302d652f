public import KeyturnBase

/// The operator's settings for removing a lost second factor.
public struct RecoverySettings: Hashable, Sendable {
    /// From the beginning of a recovery until it can be finished, in seconds.
    public let delaySeconds: Int64

    /// - Parameter delaySeconds: within ``Limits/recoveryDelayRange``; shorter only for development.
    public init(delaySeconds: Int64 = Limits.recoveryDelaySeconds) {
        precondition(delaySeconds >= 0, "a delay")
        self.delaySeconds = delaySeconds
    }
}

/// The removal of a user's lost second factors, begun with two other factors: each user has at most one.
public struct Recovery: Hashable, Sendable {
    public let userID: UserID
    public let begunAt: UnixTime
    /// From this moment it can be finished.
    public let readyAt: UnixTime
    /// It can be finished before this moment.
    public let expiresAt: UnixTime

    public init(userID: UserID, begunAt: UnixTime, readyAt: UnixTime, expiresAt: UnixTime) {
        self.userID = userID
        self.begunAt = begunAt
        self.readyAt = readyAt
        self.expiresAt = expiresAt
    }

    /// Whether it can be finished.
    public func isReady(at now: UnixTime) -> Bool { now >= readyAt && now < expiresAt }
}

/// Why a recovery ended before it was finished, for the audit log.
public enum RecoveryEnd: Hashable, Sendable {
    /// The link in the message was followed.
    case link
    /// A passkey, a code of an authenticator or a recovery code was accepted: it is not lost.
    case factorUsed
    /// A second factor was added or removed.
    case factorsChanged
    /// All sessions and sign-ins in progress were ended.
    case revoked(Grant.EndReason)

    /// A stable word.
    public var word: String {
        switch self {
        case .link: "link"
        case .factorUsed: "factor_used"
        case .factorsChanged: "factors_changed"
        case .revoked(let reason): reason.rawValue
        }
    }
}
