internal import KeyturnBase
internal import KeyturnJose

/// When keys are used, when they are fetched, and when a token is refused. Knows no network and no clock.
struct KeyCache: Sendable {
    enum Look: Sendable {
        /// Try these.
        case found(ArraySlice<VerificationKey>)
        /// Fetch keys, then look again.
        case fetch
        case refused(AuthError)
    }

    private var table: KeyTable?
    private var putAt = UnixTime(rawValue: 0)
    private var lifetimeSeconds: Int64 = 0
    private var triedAt: UnixTime?
    private var failure: AuthError?

    /// The next step for `jws`.
    ///
    /// - Parameter mayFetch: Whether ``Look/fetch`` is an acceptable answer: a token is worth one fetch.
    func look(for jws: UnverifiedJWS, at now: UnixTime, mayFetch: Bool) -> Look {
        if mayFetch, isDue(at: now) { return .fetch }
        if let error = emptiness(at: now) { return .refused(error) }
        let candidates = table?.candidates(for: jws) ?? []
        guard candidates.isEmpty else { return .found(candidates) }
        if mayFetch, isRested(at: now) { return .fetch }
        // With the newest keys unknown, it cannot be said that the issuer did not sign this.
        if let failure { return .refused(failure) }
        return .refused(AuthError(.tokenSignature, "the issuer has no such key"))
    }

    /// Whether keys are missing or past their time, and another attempt is allowed.
    func isDue(at now: UnixTime) -> Bool {
        (table == nil || !isCurrent(at: now)) && isRested(at: now)
    }

    /// Why there is nothing to verify with; `nil` if there is something.
    func emptiness(at now: UnixTime) -> AuthError? {
        let isUsable = table != nil && now < putAt + lifetimeSeconds + VerifyLimits.staleKeySeconds
        guard !isUsable else { return nil }
        return failure ?? AuthError(.unavailable, "the issuer's keys have not been fetched")
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

    private func isCurrent(at now: UnixTime) -> Bool {
        now < putAt + lifetimeSeconds && !hasJumpedBack(now, before: putAt)
    }

    private func isRested(at now: UnixTime) -> Bool {
        guard let triedAt else { return true }
        return now >= triedAt + VerifyLimits.keyCooldownSeconds || hasJumpedBack(now, before: triedAt)
    }

    /// Whether the clock was set back. Tasks hand in moments that differ by a little, and that is not it.
    private func hasJumpedBack(_ now: UnixTime, before moment: UnixTime) -> Bool {
        now + VerifyLimits.toleranceSeconds < moment
    }
}
