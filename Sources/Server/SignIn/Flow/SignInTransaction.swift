public import KeyturnBase
internal import Model
public import OAuth

/// A sign-in on its way, sealed into one text: where it leads and how far it is. No row exists before its end.
public struct SignInTransaction: Codable, Hashable, Sendable {
    /// The authorization request behind it; `nil` for a link that was opened in a browser where nothing was begun.
    public var journey: AuthorizationTransaction?
    public var progress: SignInProgress
    public let startedAt: UnixTime

    public init(journey: AuthorizationTransaction?, progress: SignInProgress, startedAt: UnixTime) {
        self.journey = journey
        self.progress = progress
        self.startedAt = startedAt
    }

    /// Whether it has taken too long.
    public func isExpired(at now: UnixTime) -> Bool {
        if let journey { return journey.isExpired(at: now) }
        return now >= startedAt + Limits.journeySeconds
    }

    public var needsSeveralFactors: Bool { journey?.needsSeveralFactors == true }
}
