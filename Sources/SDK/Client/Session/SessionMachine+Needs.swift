internal import KeyturnBase

/// What callers get.
extension SessionMachine {
    /// What to do for a caller who wants a token for `minimumSeconds`.
    func need(minimumSeconds: Int64, at now: Moment) -> Need {
        guard let record else { return phase == .unknown ? .load : .fail(.signedOut) }
        guard let remaining = validity.remainingSeconds(at: now) else { return .token(record.accessToken) }
        // A server whose tokens are shorter than what is asked for is not asked again for the same.
        let minimum = min(minimumSeconds, validity.lifetimeSeconds / 10 * 9)
        let isEnough = remaining >= minimum && remaining > 0
        if isEnough, isUntroubled(record), remaining > validity.aheadSeconds { return .token(record.accessToken) }
        let fallback = isEnough ? record.accessToken : nil
        if let fallback, record.refreshToken == nil || trouble.pauses(isUrgent: false, at: now) {
            return .token(fallback)
        }
        guard record.refreshToken != nil else { return .fail(.tokenExpired) }
        if let seconds = trouble.waitSeconds(isUrgent: true, at: now) { return .wait(seconds: seconds) }
        return .renew(fallback: fallback)
    }

    /// What to do for a caller who wants a new token, whatever is left of this one.
    func needNew(at now: Moment) -> Need {
        guard let record else { return phase == .unknown ? .load : .fail(.signedOut) }
        guard record.refreshToken != nil else { return .fail(.unsupported) }
        if let seconds = trouble.closedSeconds(at: now) { return .wait(seconds: seconds) }
        return .renew(fallback: nil)
    }

    /// What can be handed out without a second thought; `nil` if nothing can.
    var cached: CachedToken? {
        guard let record, isUntroubled(record) else { return nil }
        return validity.cached(record)
    }

    /// Whether the access token has run out, or will within `aheadSeconds`.
    func isGoodForAWhile(at now: Moment) -> Bool {
        guard record != nil else { return false }
        guard let remaining = validity.remainingSeconds(at: now) else { return true }
        return remaining > validity.aheadSeconds && !validity.isInDoubt
    }

    /// How long the access token is good for; `nil` without a session, or if the server did not say.
    func remainingSeconds(at now: Moment) -> Int64? {
        record == nil ? nil : validity.remainingSeconds(at: now)
    }

    /// What the last failure was, while it lasts.
    var lastFailure: AuthError? { trouble.error }

    /// No doubt about the lifetime, and no renewal that was interrupted.
    private func isUntroubled(_ record: SessionRecord) -> Bool {
        !validity.isInDoubt && (record.renewalBegunAt == nil || isRenewing)
    }
}
