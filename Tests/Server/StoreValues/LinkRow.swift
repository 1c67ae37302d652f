public import KeyturnBase
public import Model

/// A link that was sent.
public struct LinkRow: Hashable, Sendable {
    /// `nil`: it was used, or another one of the same message was.
    public var facts: VerificationFacts?
    public var userID: UserID?
    public var reference: SecretDigest?
    public var isRight: Bool
    public var expiresAt: UnixTime
}

/// A client that waits for a link to be followed.
public struct PendingLinkRow: Hashable, Sendable {
    /// What has happened.
    public enum State: Hashable, Sendable {
        case waiting, approved, cancelled
    }

    public var state: State
    public var facts: VerificationFacts
    public var userID: UserID?
    public var isFirst: Bool
    public var expiresAt: UnixTime
}
