internal import KeyturnBase
internal import KeyturnJose

/// When keys are used, when they are fetched, and when a token is refused. Knows no network and no clock.
struct KeyCache: Sendable {
    enum Look: Sendable {
        /// Try these.
        case found(KeyCandidates)
        /// Fetch keys, then look again.
        case fetch
        case refused(AuthError)
    }

    private var table: KeyTable?
    private var putAt = UnixTime(rawValue: 0)
    private var lifetimeSeconds: Int64 = 0
    private var triedAt: UnixTime?
    /// Why the last attempt to fetch keys failed; `nil` if it did not.
    private(set) var failure: AuthError?

    /// The next step for `jws`.
    ///
    /// - Parameters:
    ///   - mayFetch: Whether ``Look/fetch`` is an acceptable answer: a token is worth one fetch.
    ///   - atOnce: Whether it is the token of a sign-in, which came from the issuer itself.
    func look(for jws: UnverifiedJWS, at now: UnixTime, mayFetch: Bool, atOnce: Bool) -> Look {
        if mayFetch, isDue(at: now, atOnce: atOnce) { return .fetch }
        guard let table = usableTable(at: now) else { return .refused(emptiness) }
        let candidates = table.candidates(for: jws)
        guard candidates.keys.isEmpty else { return .found(candidates) }
        if mayFetch, mayAskForOthers(at: now, atOnce: atOnce) { return .fetch }
        // With the newest keys unknown, it cannot be said that the issuer did not sign this.
        return .refused(failure ?? table.refusal(of: jws))
    }

    /// Whether keys are missing or past their time, and another attempt is allowed.
    ///
    /// Where nothing can be verified, the pause is short. While keys past their time serve, it is the long one:
    /// requests wait for each attempt, and most can do without.
    func isDue(at now: UnixTime, atOnce: Bool = false) -> Bool {
        guard usableTable(at: now) != nil else {
            return atOnce || isRested(at: now, seconds: VerifyLimits.keyFailurePauseSeconds)
        }
        return !isCurrent(at: now) && isRested(at: now, seconds: VerifyLimits.keyCooldownSeconds)
    }

    /// Whether another attempt is allowed for a token that no key at hand has signed. The long pause is for names that
    /// strangers invent, while the issuer's keys are known.
    func mayAskForOthers(at now: UnixTime, atOnce: Bool) -> Bool {
        guard failure == nil else {
            return atOnce || isRested(at: now, seconds: VerifyLimits.keyFailurePauseSeconds)
        }
        return isRested(
            at: now, seconds: atOnce ? VerifyLimits.signInKeyPauseSeconds : VerifyLimits.keyCooldownSeconds)
    }

    /// Throws unless there is something to verify with.
    func checkUsable(at now: UnixTime) throws(AuthError) {
        guard usableTable(at: now) != nil else { throw emptiness }
    }

    /// Keys have arrived.
    mutating func put(_ table: KeyTable, lifetimeSeconds: Int64, at now: UnixTime) {
        self.table = table
        self.lifetimeSeconds = lifetimeSeconds
        putAt = now
        triedAt = now
        failure = nil
    }

    /// An attempt to fetch keys has failed. Those at hand stay.
    mutating func note(_ failure: AuthError, at now: UnixTime) {
        self.failure = failure
        triedAt = now
    }

    private func usableTable(at now: UnixTime) -> KeyTable? {
        now < putAt + lifetimeSeconds + VerifyLimits.staleKeySeconds ? table : nil
    }

    private var emptiness: AuthError {
        failure ?? AuthError(.unavailable, "the issuer's keys have not been fetched")
    }

    private func isCurrent(at now: UnixTime) -> Bool {
        now < putAt + lifetimeSeconds && !hasJumpedBack(now, before: putAt)
    }

    private func isRested(at now: UnixTime, seconds: Int64) -> Bool {
        guard let triedAt else { return true }
        return now >= triedAt + seconds || hasJumpedBack(now, before: triedAt)
    }

    /// Whether the clock was set back. Tasks hand in moments that differ by a little, and that is not it.
    private func hasJumpedBack(_ now: UnixTime, before moment: UnixTime) -> Bool {
        now + VerifyLimits.toleranceSeconds < moment
    }
}
