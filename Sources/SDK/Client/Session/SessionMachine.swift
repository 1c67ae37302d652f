internal import KeyturnBase

/// What becomes of a session: events in, actions out, no I/O.
///
/// The rules: only the server's definite word about the *current* generation ends a session; an answer about another
/// generation is dropped; a store that cannot be read says nothing; what is renewed replaces what it was made from,
/// and nothing else.
struct SessionMachine: Sendable {
    enum Phase: Hashable, Sendable {
        case unknown
        case signedOut
        case signedIn(SessionRecord)
    }

    /// What a store showed, decoded.
    enum Reading: Sendable {
        case found(SessionRecord)
        case absent
        case unavailable(AuthError)
    }

    enum Event: Sendable {
        case read(Reading)
        /// A sign-in's record, durable already.
        case signedIn(SessionRecord)
        /// A reauthentication's record, durable already.
        case reauthenticated(SessionRecord, from: Generation)
        /// The server answered a renewal; the record is not stored yet.
        case renewed(SessionRecord, from: Generation)
        /// The same record with a newer ID token; durable already.
        case idTokenReplaced(SessionRecord, from: Generation)
        case saved(Generation)
        case saveFailed(Generation)
        case renewalFailed(AuthError, of: Generation)
        /// The server's last word on this generation.
        case ended(AuthError, of: Generation)
        case signedOut
    }

    enum Action: Hashable, Sendable {
        case save(SessionRecord)
        case remove(Generation)
        /// Best effort, for tokens that arrived after their session was given up.
        case revoke(refreshToken: String)
        case publish(SessionChange)
    }

    /// What a caller who wants a token gets.
    enum Need: Hashable, Sendable {
        case token(String)
        case load
        /// Renew; if that is impossible now, `fallback` still keeps the promise.
        case renew(fallback: String?)
        case fail(AuthError.Code)
        /// The server asked to be left alone for so many seconds more.
        case wait(seconds: Int64)
    }

    private(set) var phase = Phase.unknown
    /// Whether the store holds what memory holds.
    private(set) var isDurable = true
    private var isStaleAnnounced = false
    private var failures: Int64 = 0
    /// No unneeded renewal before this moment.
    private var pauseUntil: UnixTime?
    /// No renewal at all before this moment: the server said so.
    private var closedUntil: UnixTime?

    var record: SessionRecord? {
        if case .signedIn(let record) = phase { record } else { nil }
    }

    func state(at now: UnixTime) -> SessionState {
        switch phase {
        case .unknown: .unknown
        case .signedOut: .signedOut
        case .signedIn(let record): .signedIn(record.isExpired(at: now) ? .stale : .fresh)
        }
    }

    mutating func handle(_ event: Event, at now: UnixTime) -> [Action] {
        switch event {
        case .read(.found(let found)): return read(found, at: now)
        case .read(.absent): return readNothing()
        case .read(.unavailable(let error)):
            return phase == .unknown ? [.publish(SessionChange(.unknown, .storeUnavailable, error: error))] : []
        case .signedIn(let record):
            return adopt(record, .signedIn, at: now)
        case .reauthenticated(let record, let from):
            return current(is: from) ? adopt(record, .reauthenticated, at: now) : []
        case .renewed(let record, let from): return renewed(record, from: from, at: now)
        case .idTokenReplaced(let record, let from):
            if current(is: from) { phase = .signedIn(record) }
            return []
        case .saved(let generation):
            if current(is: generation) { isDurable = true }
            return []
        case .saveFailed(let generation):
            if current(is: generation) { isDurable = false }
            return []
        case .renewalFailed(let error, let generation): return renewalFailed(error, of: generation, at: now)
        case .ended(let error, let generation):
            guard current(is: generation) else { return [] }
            phase = .signedOut
            return [.remove(generation), .publish(SessionChange(.signedOut, .ended, error: error))]
        case .signedOut:
            guard phase != .signedOut else { return [] }
            phase = .signedOut
            return [.publish(SessionChange(.signedOut, .signedOut))]
        }
    }

    /// What to do for a caller who wants a token for `minimumSeconds`.
    func need(minimumSeconds: Int64, at now: UnixTime) -> Need {
        guard let record else { return phase == .unknown ? .load : .fail(.signedOut) }
        guard let remaining = record.remainingSeconds(at: now) else { return .token(record.accessToken) }
        let lifetime = record.expiresAt.map { max(0, $0.seconds(since: record.obtainedAt)) } ?? 0
        // A server whose tokens are shorter than what is asked for is not asked again for the same.
        let minimum = min(minimumSeconds, lifetime / 10 * 9)
        let isInDoubt = record.isLifetimeInDoubt(at: now)
        let isEnough = remaining >= minimum && remaining > 0
        let ahead = min(Limits.renewAheadSeconds, lifetime / 10)
        if isEnough, !isInDoubt, remaining >= minimum + ahead { return .token(record.accessToken) }
        let fallback = isEnough ? record.accessToken : nil
        if let fallback, record.refreshToken == nil || isBefore(pauseUntil, now) || isBefore(closedUntil, now) {
            return .token(fallback)
        }
        guard record.refreshToken != nil else { return .fail(.tokenExpired) }
        return renewal(fallback: fallback, at: now)
    }

    /// What to do for a caller who wants a new token, whatever is left of this one.
    func needNew(at now: UnixTime) -> Need {
        guard let record else { return phase == .unknown ? .load : .fail(.signedOut) }
        guard record.refreshToken != nil else { return .fail(.unsupported) }
        return renewal(fallback: nil, at: now)
    }
}

extension SessionMachine {
    private func renewal(fallback: String?, at now: UnixTime) -> Need {
        if let closedUntil, isBefore(closedUntil, now) { return .wait(seconds: closedUntil.seconds(since: now)) }
        return .renew(fallback: fallback)
    }

    /// Whether a pause still runs. One that is longer than any pause can be was set before the clock went back.
    private func isBefore(_ end: UnixTime?, _ now: UnixTime) -> Bool {
        guard let end else { return false }
        return now < end && end.seconds(since: now) <= Limits.retryAfterMaxSeconds
    }

    private func current(is generation: Generation) -> Bool {
        record?.generation == generation
    }

    private mutating func adopt(
        _ record: SessionRecord, _ reason: SessionChange.Reason, at now: UnixTime
    ) -> [Action] {
        phase = .signedIn(record)
        isDurable = true
        failures = 0
        pauseUntil = nil
        closedUntil = nil
        isStaleAnnounced = record.isExpired(at: now)
        return [.publish(SessionChange(state(at: now), reason))]
    }

    private mutating func read(_ found: SessionRecord, at now: UnixTime) -> [Action] {
        switch phase {
        case .unknown: return adopt(found, .restored, at: now)
        case .signedOut: return adopt(found, .changedElsewhere, at: now)
        case .signedIn(let mine):
            if found.generation == mine.generation {
                isDurable = true
                return []
            }
            // Ours was renewed and could not be stored then; the store still holds what it was made from.
            if mine.generation.isLater(than: found.generation) { return [.save(mine)] }
            return adopt(found, .changedElsewhere, at: now)
        }
    }

    private mutating func readNothing() -> [Action] {
        switch phase {
        case .unknown:
            phase = .signedOut
            return [.publish(SessionChange(.signedOut, .nothingStored))]
        case .signedOut: return []
        case .signedIn:
            // Every sign-in is durable before it counts, so somebody removed it.
            phase = .signedOut
            return [.publish(SessionChange(.signedOut, .changedElsewhere))]
        }
    }

    private mutating func renewed(_ next: SessionRecord, from: Generation, at now: UnixTime) -> [Action] {
        guard current(is: from) else {
            // A late answer. If its session was given up, so is what it brought. If the session was replaced, the
            // new one may share the grant at the server: telling the server anything could end it.
            guard phase == .signedOut, let token = next.refreshToken else { return [] }
            return [.revoke(refreshToken: token)]
        }
        let actions = adopt(next, .refreshed, at: now)
        isDurable = false
        return [.save(next)] + actions
    }

    private mutating func renewalFailed(_ error: AuthError, of generation: Generation, at now: UnixTime) -> [Action] {
        guard let record, record.generation == generation else { return [] }
        failures = min(failures + 1, 6)
        pauseUntil = now + min(Limits.pauseMaxSeconds, 1 << failures)
        if let seconds = error.server?.retryAfterSeconds {
            closedUntil = now + min(Limits.retryAfterMaxSeconds, max(1, Int64(seconds)))
        }
        guard record.isExpired(at: now), !isStaleAnnounced else { return [] }
        isStaleAnnounced = true
        return [.publish(SessionChange(.signedIn(.stale), .refreshFailed, error: error))]
    }
}
