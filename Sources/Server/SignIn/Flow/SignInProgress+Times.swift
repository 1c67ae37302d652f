public import KeyturnBase
internal import Model

/// How long a step may take.
extension SignInProgress {
    /// Whether the first verification is too old to continue.
    public func isStale(at now: UnixTime) -> Bool {
        proven.map { now > max($0.at, resumedAt ?? $0.at) + Limits.secondFactorSeconds } ?? false
    }

    /// Seconds until the next message may be sent; 0: now.
    public func resendWaitSeconds(at now: UnixTime) -> Int64 {
        sent.map { max(0, Limits.resendSeconds - now.seconds(since: $0.at)) } ?? 0
    }
}
