internal import KeyturnBase

/// What is known about a session, and what follows from what happens: no I/O, no clock.
///
/// The rules: only the server's definite word about the *current* generation ends a session; an answer about another
/// generation is dropped; a store that cannot be read says nothing; what is renewed replaces what it was made from,
/// and nothing else. What takes several steps, with a store or a server in between, is a ``SessionProcedure``.
struct SessionMachine: Hashable, Sendable {
    enum Phase: Hashable, Sendable {
        case unknown
        case signedOut
        case ended(SessionState.End)
        case signedIn(SessionRecord)
    }

    /// What a store showed, decoded.
    enum Reading: Hashable, Sendable {
        case found(SessionRecord)
        case absent
        case unavailable(AuthError)
    }

    /// What a caller who wants a token gets.
    enum Need: Hashable, Sendable {
        case token(String)
        case load
        /// Renew; if that is impossible now, `fallback` still keeps the promise.
        case renew(fallback: String?)
        case fail(AuthError.Code)
        /// Nothing is asked of the server for so many seconds more: it said so, or it did not answer lately.
        case wait(seconds: Int64)
    }

    private(set) var phase = Phase.unknown
    /// Whether the store holds what memory holds.
    private(set) var isDurable = true
    /// Goes up whenever something other than the store changes what is known: a reading that began before is
    /// old.
    private(set) var epoch: UInt64 = 0
    /// Why the store could not take what memory holds; `nil` while it can.
    var storeFailure: AuthError?
    /// The last renewal that this process itself has begun.
    var ownRenewal: Generation?
    /// Whether a renewal is under way.
    var isRenewing = false
    /// What happened and has not been told yet, oldest first.
    private var untold: [SessionChange] = []
    private var validity = TokenLifetime.unknown
    /// Why the last renewals failed, if they did.
    var trouble = RenewalBackoff()
    private var isStaleAnnounced = false
    /// The sign-in that was given up last: what the store may still hold of it is no session.
    private(set) var abandoned: String?

    var record: SessionRecord? {
        if case .signedIn(let record) = phase { record } else { nil }
    }

    func state(at now: Moment) -> SessionState {
        switch phase {
        case .unknown: .unknown
        case .signedOut: .signedOut
        case .ended(let end): .ended(end)
        case .signedIn where isRenewing: .signedIn(.refreshing)
        case .signedIn: .signedIn(freshness(at: now))
        }
    }

    /// What is to be told to those who listen, once.
    mutating func takeChanges() -> [SessionChange] {
        defer { untold = [] }
        return untold
    }

    /// Whether `generation` is the session's own.
    func isCurrent(_ generation: Generation) -> Bool {
        record?.generation == generation
    }
}

/// What happens to a session.
extension SessionMachine {
    /// A procedure looked into the store.
    mutating func absorb(_ reading: Reading, at now: Moment) {
        switch reading {
        case .found(let found) where found.generation.signIn == abandoned: absorbNothing()
        case .found(let found): absorb(found, at: now)
        case .absent: absorbNothing()
        case .unavailable(let error):
            if phase == .unknown { tell(SessionChange(.unknown, .storeUnavailable, error: error)) }
        }
    }

    /// The first look into the store, and what became of another library's session before it.
    mutating func absorb(_ reading: Reading, after takeover: SessionTakeoverOutcome, at now: Moment) {
        switch (phase, takeover, reading) {
        case (.unknown, .taken, .found(let record)): adopt(record, .imported, isDurable: true, at: now)
        case (.unknown, .refused(let error), .absent):
            leave(.signedOut, SessionChange(.signedOut, .notImported, error: error))
        default: absorb(reading, at: now)
        }
    }

    /// A record takes the place of whatever was there.
    mutating func adopt(_ record: SessionRecord, _ reason: SessionChange.Reason, isDurable: Bool, at now: Moment) {
        phase = .signedIn(record)
        epoch &+= 1
        if isDurable { storeFailure = nil }
        abandoned = nil
        validity = TokenLifetime(of: record, at: now)
        self.isDurable = isDurable
        trouble = RenewalBackoff()
        isStaleAnnounced = validity.isOver(at: now)
        tell(SessionChange(.signedIn(freshness(at: now)), reason))
    }

    /// The same tokens under another generation: nothing that subscribers must hear of.
    mutating func replaceQuietly(_ record: SessionRecord, isDurable: Bool) {
        phase = .signedIn(record)
        epoch &+= 1
        if isDurable { storeFailure = nil }
        self.isDurable = isDurable
    }

    /// A renewal of `generation` failed for now.
    ///
    /// - Parameter jitter: 50…100, the percentage of a pause that is kept, so that devices which failed together do
    ///   not come back together.
    mutating func renewalFailed(_ error: AuthError, of generation: Generation, jitter: Int64, at now: Moment) {
        guard isCurrent(generation) else { return }
        trouble.add(error, jitter: jitter, at: now)
        guard validity.isOver(at: now), !isStaleAnnounced else { return }
        isStaleAnnounced = true
        tell(SessionChange(.signedIn(freshness(at: now)), .refreshFailed, error: error))
    }

    /// The last word on `generation`.
    mutating func end(_ end: SessionState.End, _ error: AuthError, of generation: Generation) {
        guard isCurrent(generation) else { return }
        abandoned = generation.signIn
        leave(.ended(end), SessionChange(.ended(end), .ended, error: error))
    }

    /// A new beginning after the vault that kept the session was locked, or its session given up.
    ///
    /// - Parameter reason: `nil`: everybody has heard of it.
    mutating func beginSignedOut(_ reason: SessionChange.Reason?) {
        phase = .signedOut
        if let reason { tell(SessionChange(.signedOut, reason)) }
    }

    /// The same session, as another machine knows it: nothing that subscribers must hear of.
    mutating func takeOver(_ other: SessionMachine) {
        self = other
        epoch &+= 1
        isRenewing = false
    }

    /// The person signed out.
    ///
    /// - Parameter signIn: what the store was seen to hold, in case it cannot be removed there.
    mutating func signOut(of signIn: String? = nil) {
        if let given = signIn ?? record?.generation.signIn { abandoned = given }
        guard phase != .signedOut else { return }
        leave(.signedOut, SessionChange(.signedOut, .signedOut))
    }
}

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
}

extension SessionMachine {
    /// No doubt about the lifetime, and no renewal that was interrupted.
    private func isUntroubled(_ record: SessionRecord) -> Bool {
        !validity.isInDoubt && (record.renewalBegunAt == nil || isRenewing)
    }

    private func freshness(at now: Moment) -> SessionState.Freshness {
        guard validity.isOver(at: now) else { return .fresh }
        return .stale(.init(reason: trouble.error?.code, retryAt: trouble.retryAt(now)))
    }

    private mutating func tell(_ change: SessionChange) {
        untold.append(change)
    }

    private mutating func leave(_ next: Phase, _ change: SessionChange) {
        phase = next
        epoch &+= 1
        storeFailure = nil
        isDurable = true
        validity = .unknown
        trouble = RenewalBackoff()
        tell(change)
    }

    private mutating func absorb(_ found: SessionRecord, at now: Moment) {
        switch phase {
        case .unknown: adopt(found, .restored, isDurable: true, at: now)
        case .signedOut, .ended: adopt(found, .changedElsewhere, isDurable: true, at: now)
        case .signedIn(let mine):
            if found.generation == mine.generation, found.sharesTokens(with: mine) {
                isDurable = true
            } else if mine.generation.isLater(than: found.generation) || isAhead(mine, of: found) {
                // Ours was renewed and could not be stored then; the store still holds what it was made from.
                isDurable = false
            } else if found.accessToken == mine.accessToken, found.refreshToken == mine.refreshToken {
                replaceQuietly(found, isDurable: true)
            } else {
                adopt(found, .changedElsewhere, isDurable: true, at: now)
            }
        }
    }

    /// Ours could not be stored, and then another process began to renew what ours was made from: the same number,
    /// older tokens.
    private func isAhead(_ mine: SessionRecord, of found: SessionRecord) -> Bool {
        found.generation == mine.generation && !isDurable && found.renewalBegunAt != nil
    }

    private mutating func absorbNothing() {
        switch phase {
        case .unknown: leave(.signedOut, SessionChange(.signedOut, .nothingStored))
        case .signedOut, .ended: break
        case .signedIn:
            // Every sign-in is durable before it counts, so another process removed it.
            leave(.signedOut, SessionChange(.signedOut, .changedElsewhere))
        }
    }
}
