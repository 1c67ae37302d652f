public import KeyturnBase
internal import Model
public import OAuth

/// The sealed state of a sign-in: its target and its progress. No row is stored before its end.
public struct SignInTransaction: Codable, Hashable, Sendable {
    /// The authorization request; `nil` for a link that was opened in a browser without a transaction.
    public var authorization: AuthorizationTransaction?
    public var progress: SignInProgress
    public let startedAt: UnixTime

    public init(authorization: AuthorizationTransaction?, progress: SignInProgress, startedAt: UnixTime) {
        self.authorization = authorization
        self.progress = progress
        self.startedAt = startedAt
    }

    /// Whether the transaction has timed out.
    public func isExpired(at now: UnixTime) -> Bool {
        if let authorization { return authorization.isExpired(at: now) }
        return now >= startedAt + Limits.transactionSeconds
    }

    public var needsSeveralFactors: Bool { authorization?.needsSeveralFactors == true }
}
