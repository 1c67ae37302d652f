internal import KeyturnBase

/// A sign-in that the server goes on with once a second factor was shown. In memory alone: another run begins again.
struct PendingFactor: Sendable {
    /// What is presented in place of a refresh token.
    let reference: Secret
    /// Whether the user has no second factor yet, and sets one up.
    let setsUp: Bool
    fileprivate let since: UnixTime
    /// See ``SessionKeeper/timesGivenUp``.
    fileprivate let timesGivenUp: Int
}

extension SessionKeeper {
    /// Keeps what a refused sign-in goes on with; `nil`: nothing.
    func wait(for reference: Secret?, setsUp: Bool = false) {
        pendingFactor = reference.map {
            PendingFactor(reference: $0, setsUp: setsUp, since: ambient.now(), timesGivenUp: timesGivenUp)
        }
    }

    /// The sign-in that waits for a second factor; `nil`: none, it is too old, or the user has signed out since.
    func factorAwaited() -> PendingFactor? {
        guard let pending = pendingFactor, pending.timesGivenUp == timesGivenUp,
            ambient.now() < pending.since + Limits.pendingFactorSeconds
        else { return nil }
        return pending
    }
}
