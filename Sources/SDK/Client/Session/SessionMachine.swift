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
    /// The refresh tokens that were replaced in memory and not in the store yet.
    private var unsaved: Set<String> = []
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
    private(set) var validity = TokenLifetime.unknown
    /// Why the last renewals failed, if they did.
    var trouble = RenewalBackoff()
    /// What was told of an access token that has run out; `nil`: nothing.
    private var announced: SessionChange.Reason?
    /// Which session the server has ended, as the store says that holds none; `nil`: it says nothing.
    var foundEnd: SessionEnd?
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
        case .signedIn: .signedIn(shown(at: now))
        }
    }

    /// A renewal that is tried although the service wants the user first is no news.
    private func shown(at now: Moment) -> SessionState.Freshness {
        let freshness = freshness(at: now)
        return isRenewing && freshness != .interactionRequired ? .refreshing : freshness
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
        noteReplaced(by: record, isDurable: isDurable)
        phase = .signedIn(record)
        epoch &+= 1
        abandoned = nil
        validity = TokenLifetime(of: record, at: now)
        self.isDurable = isDurable
        trouble = RenewalBackoff()
        let freshness = freshness(at: now)
        announced = freshness == .fresh ? nil : obstacle
        tell(SessionChange(.signedIn(freshness), reason))
    }

    /// The same tokens under another generation: nothing that subscribers must hear of.
    mutating func replaceQuietly(_ record: SessionRecord, isDurable: Bool) {
        noteReplaced(by: record, isDurable: isDurable)
        phase = .signedIn(record)
        epoch &+= 1
        self.isDurable = isDurable
    }

    /// A renewal of `generation` failed for now.
    ///
    /// - Parameter jitter: 50…100, the percentage of a pause that is kept, so that devices which failed together do
    ///   not come back together.
    mutating func renewalFailed(_ error: AuthError, of generation: Generation, jitter: Int64, at now: Moment) {
        guard isCurrent(generation) else { return }
        trouble.add(error, jitter: jitter, at: now)
        announce(error, at: now)
    }

    /// The service wants the user before it renews `generation`, and the store could not take that.
    mutating func noteInteraction(of generation: Generation) {
        guard case .signedIn(var record) = phase, record.generation == generation else { return }
        record.needsInteraction = true
        phase = .signedIn(record)
        epoch &+= 1
    }

    /// A caller could not be given a token, and nothing can be renewed: told once.
    mutating func noteOutage(_ error: AuthError, at now: Moment) {
        if obstacle == .interactionRequired { announce(error, at: now) }
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

extension SessionMachine {
    private func freshness(at now: Moment) -> SessionState.Freshness {
        // Without a known lifetime a token is used until it is refused, and then there is no other.
        let isOver = validity.remainingSeconds(at: now).map { $0 == 0 } ?? record?.needsInteraction ?? false
        guard isOver else { return .fresh }
        guard obstacle != .interactionRequired else { return .interactionRequired }
        return .stale(.init(reason: trouble.error?.code, retryAt: trouble.retryAt(now)))
    }

    /// What is told of an access token that has run out.
    private var obstacle: SessionChange.Reason {
        guard let record else { return .refreshFailed }
        return record.needsInteraction || record.refreshToken == nil ? .interactionRequired : .refreshFailed
    }

    /// Tells once what stands in the way of another access token, if this one has run out.
    private mutating func announce(_ error: AuthError?, at now: Moment) {
        let freshness = freshness(at: now)
        guard freshness != .fresh, announced != obstacle else { return }
        announced = obstacle
        tell(SessionChange(.signedIn(freshness), obstacle, error: error))
    }

    private mutating func tell(_ change: SessionChange) {
        untold.append(change)
    }

    private mutating func leave(_ next: Phase, _ change: SessionChange) {
        phase = next
        epoch &+= 1
        storeFailure = nil
        unsaved = []
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
                if found.needsInteraction { announce(nil, at: now) }
            } else {
                adopt(found, .changedElsewhere, isDurable: true, at: now)
            }
        }
    }

    /// Ours could not be stored, and then another process began to renew what ours was made from, and perhaps took that
    /// back: the same number or a later one, older tokens.
    private func isAhead(_ mine: SessionRecord, of found: SessionRecord) -> Bool {
        guard !isDurable, found.generation.signIn == mine.generation.signIn else { return false }
        let isOlder = found.refreshToken.map { unsaved.contains($0) } ?? false
        return isOlder || found.generation == mine.generation && found.renewalBegunAt != nil
    }

    /// Remembers what a record replaces that the store does not hold.
    private mutating func noteReplaced(by next: SessionRecord, isDurable: Bool) {
        guard !isDurable else {
            storeFailure = nil
            unsaved = []
            return
        }
        guard let old = record?.refreshToken, old != next.refreshToken, unsaved.count < Limits.rememberedTokens else {
            return
        }
        unsaved.insert(old)
    }

    private mutating func absorbNothing() {
        switch phase {
        case .unknown: leave(foundEnd, .nothingStored)
        case .signedOut, .ended: break
        case .signedIn(let mine):
            // Every sign-in is durable before it counts, so another process removed it.
            leave(foundEnd?.signIn == mine.generation.signIn ? foundEnd : nil, .changedElsewhere)
        }
    }

    /// - Parameter end: Why there is no session; `nil`: the user signed out, or never signed in.
    private mutating func leave(_ end: SessionEnd?, _ reason: SessionChange.Reason) {
        guard let end else { return leave(.signedOut, SessionChange(.signedOut, reason)) }
        leave(.ended(end.end), SessionChange(.ended(end.end), reason))
    }
}
