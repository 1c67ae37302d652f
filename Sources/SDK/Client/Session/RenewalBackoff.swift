internal import KeyturnBase

/// Renewals that failed since the last one that did not, and the pauses that follow.
struct RenewalBackoff: Hashable, Sendable {
    /// The last failure.
    private(set) var error: AuthError?
    private var failures: Int64 = 0
    /// No renewal before its time until then, in uptime seconds.
    private var pauseUntil: Int64 = .min
    /// No renewal that a caller waits for until then, in uptime seconds.
    private var urgentPauseUntil: Int64 = .min
    /// No renewal at all until then: the server said so. In uptime seconds.
    private var closedUntil: Int64 = .min

    /// - Parameter jitter: 50…100, the percentage of a pause that is kept.
    mutating func add(_ error: AuthError, jitter: Int64, at now: Moment) {
        self.error = error
        let pause: Int64 = 1 << min(failures + 1, 6)
        pauseUntil = now.uptime + max(1, min(Limits.pauseMaxSeconds, pause) * jitter / 100)
        // The first failure may be a matter of a moment, and a caller waits: the next try may follow at once.
        if failures > 0 {
            urgentPauseUntil = now.uptime + max(1, min(Limits.urgentPauseMaxSeconds, pause / 2) * jitter / 100)
        }
        // The user is not that fast, and may have been there in another app.
        if error.wantsPerson {
            urgentPauseUntil = now.uptime + max(1, Limits.pauseMaxSeconds * jitter / 100)
            pauseUntil = urgentPauseUntil
        }
        failures = min(failures + 1, 6)
        if let seconds = error.server?.retryAfterSeconds {
            closedUntil = now.uptime + min(Limits.retryAfterMaxSeconds, max(1, Int64(seconds)))
        }
    }

    /// Whether a renewal should not be tried now.
    func pauses(isUrgent: Bool, at now: Moment) -> Bool {
        waitSeconds(isUrgent: isUrgent, at: now) != nil
    }

    /// How long nothing should be tried; `nil`: it may be tried now.
    func waitSeconds(isUrgent: Bool, at now: Moment) -> Int64? {
        let seconds = max(isUrgent ? urgentPauseUntil : pauseUntil, closedUntil).subtractingReportingOverflow(
            now.uptime)
        return !seconds.overflow && seconds.partialValue > 0 ? seconds.partialValue : nil
    }

    /// How long the server wants to be left alone; `nil`: it does not.
    func closedSeconds(at now: Moment) -> Int64? {
        closedUntil > now.uptime ? closedUntil - now.uptime : nil
    }

    /// When a waiting caller is let through again, by the wall clock as it stands; `nil`: now.
    func retryAt(_ now: Moment) -> UnixTime? {
        waitSeconds(isUrgent: true, at: now).map { now.wall + $0 }
    }
}
