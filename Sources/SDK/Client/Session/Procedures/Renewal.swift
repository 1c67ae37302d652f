internal import KeyturnBase
internal import KeyturnWire

/// Trades the refresh token for new tokens, once for all who wait.
///
/// 1. The lock: one renewal at a time among all containers and processes of a name. Its holder may be stopped for
///    good, so after a while it goes on without.
/// 2. A look into the store: perhaps another process has renewed, signed out or signed in.
/// 3. The intent is stored. From then on a crash is known to have been one: what was sent may have been heard.
/// 4. The request.
/// 5. The answer is stored if no other process has moved on meanwhile, and only then taken up.
///
/// `invalid_grant` is the last word only about what is still stored, and only for the holder of the lock while no
/// other process has begun the same: that one may have the answer that makes it so. An attempt that was refused for
/// certain has no answer to hand on, and takes its intent back: what refusals mean is in `Renewal+Refusal.swift`.
struct Renewal: SessionProcedure, Hashable {
    struct Success: Hashable, Sendable {
        let record: SessionRecord
        /// What came with it, not verified yet.
        var idToken: String?
    }

    typealias Outcome = Result<Success, AuthError>

    enum Stage: Hashable, Sendable {
        case beginning
        case locking
        case looking
        case intending(SessionRecord, over: Generation)
        /// What is stored meanwhile is `over`.
        case asking(SessionRecord, over: Generation)
        case storing(SessionRecord, of: SessionRecord, idToken: String?)
        /// Another process moved on while the server answered.
        case yielding(SessionRecord, of: SessionRecord, idToken: String?)
        case judging(AuthError, of: SessionRecord)
        /// The intent of a refused attempt is taken back.
        case withdrawing(AuthError, SessionRecord, of: SessionRecord)
        case clearing(AuthError, of: SessionRecord)
        case revoking
        case leaving(Outcome)
    }

    /// What the caller had in mind: if the store has other tokens that are good, nothing is asked.
    private let asked: Generation?
    private let askedToken: String?
    private let jitter: Int64
    private(set) var stage = Stage.beginning
    private(set) var isLocked = false
    /// Whether another process may have the answer already: it began the same renewal a moment ago, or holds the lock.
    private(set) var isContested = false
    /// What is stored again if this attempt is refused; `nil`: its intent is not stored.
    private(set) var earlier: EarlierRenewals?
    /// What the intent was made from.
    private var base: Generation?
    private var rounds = 0

    /// - Parameter jitter: 50…100, see ``SessionMachine/renewalFailed(_:of:jitter:at:)``.
    init(of asked: SessionRecord?, jitter: Int64) {
        self.asked = asked?.generation
        askedToken = asked?.accessToken
        self.jitter = jitter
    }

    /// Whether it looks once more before it believes that the session is over.
    var isJudging: Bool {
        if case .judging = stage { true } else { false }
    }

    mutating func advance(_ event: StepEvent, _ machine: inout SessionMachine, at now: Moment) -> Step<Outcome> {
        switch (stage, event) {
        case (.beginning, _): return to(.locking, .lock(seconds: Limits.renewalLockSeconds))
        case (.locking, .locked(let isLocked)):
            self.isLocked = isLocked
            return to(.looking, .read)
        case (.locking, .failed(let error)): return fail(error, of: asked, &machine, at: now)
        case (.looking, .read(let reading)): return look(reading, &machine, at: now)
        case (.intending(let record, let over), _): return intended(record, over, event, &machine, at: now)
        case (.asking(let record, let over), .renewed(let grant)):
            return answered(grant, record, over, &machine, at: now)
        case (.asking, .heldUp): return to(.looking, .read)
        case (.asking(let record, _), .failed(let error)): return refused(error, record, &machine, at: now)
        case (.storing(let next, let record, let token), _):
            return stored(next, of: record, token, event, &machine, at: now)
        case (.yielding(let next, let record, let token), .read(let reading)):
            return yield(next, of: record, token, reading, &machine, at: now)
        case (.judging(let error, let record), .read(let reading)):
            return judge(error, record, reading, &machine, at: now)
        case (.withdrawing(let error, let next, let record), _):
            return withdrawn(error, next, of: record, event, &machine, at: now)
        case (.clearing, .stored(.overtaken)): return to(.looking, .read)
        case (.clearing(let error, let record), _): return end(error, record, &machine)
        case (.revoking, _): return leave(.failure(Self.signedOut))
        case (.leaving(let outcome), _): return .finish(outcome)
        default: unexpected(event)
        }
    }
}

extension Renewal {
    private static let signedOut = AuthError(.signedOut, "nobody is signed in")
    private static let roundsMax = 4

    mutating func to(_ stage: Stage, _ action: StepAction) -> Step<Outcome> {
        self.stage = stage
        return .perform(action)
    }

    mutating func leave(_ outcome: Outcome) -> Step<Outcome> {
        guard isLocked else { return .finish(outcome) }
        return to(.leaving(outcome), .unlock)
    }

    mutating func fail(
        _ error: AuthError, of generation: Generation?, _ machine: inout SessionMachine, at now: Moment
    ) -> Step<Outcome> {
        if let generation, !error.isTaskCancelled {
            machine.renewalFailed(error, of: generation, jitter: jitter, at: now)
        }
        return leave(.failure(error))
    }

    /// Whether it has the tokens that the caller had: a newer record may differ in its ID token alone.
    private func isAsked(_ record: SessionRecord) -> Bool {
        record.accessToken == askedToken && record.generation.signIn == asked?.signIn
    }

    /// What others did, and whether there is anything left to do.
    mutating func look(
        _ reading: SessionMachine.Reading, _ machine: inout SessionMachine, at now: Moment
    ) -> Step<Outcome> {
        machine.absorb(reading, at: now)
        // Without a readable store the successor could not be kept: better not to make one.
        if case .unavailable(let error) = reading { return fail(error, of: asked, &machine, at: now) }
        guard let record = machine.record else { return leave(.failure(Self.signedOut)) }
        if !isAsked(record), record.renewalBegunAt == nil, machine.isGoodForAWhile(at: now) {
            return leave(.success(Success(record: record)))
        }
        guard !record.isFollowed(at: now.wall) else {
            let error = AuthError(.unavailable, "another process is not done with the tokens before these")
            return fail(error, of: record.generation, &machine, at: now)
        }
        rounds += 1
        guard rounds <= Self.roundsMax else {
            let error = AuthError(.unavailable, "the session changed again and again while it was renewed")
            return fail(error, of: record.generation, &machine, at: now)
        }
        guard case .found(let found) = reading else { unexpected(.read(reading)) }
        let rival = found.rival(except: machine.ownRenewal, at: now.wall)
        isContested = rival != nil
        earlier = EarlierRenewals(found, renewing: record, beside: rival, own: machine.ownRenewal)
        base = record.generation
        var intent = record.beginningRenewal(at: now.wall, beside: rival)
        intent.generation = intent.generation.later(than: found.generation)
        return to(.intending(intent, over: found.generation), .write(intent, when: .generation(found.generation)))
    }

    private mutating func intended(
        _ record: SessionRecord, _ over: Generation, _ event: StepEvent, _ machine: inout SessionMachine,
        at now: Moment
    ) -> Step<Outcome> {
        switch event {
        case .stored(.done):
            // Another task of this process may have read it before this was told.
            if machine.record?.generation == base { machine.replaceQuietly(record, isDurable: true) }
            guard machine.isCurrent(record.generation) else { return to(.looking, .read) }
            machine.ownRenewal = record.generation
            return ask(record, over: record.generation, at: now)
        case .stored(.overtaken): return to(.looking, .read)
        case .failed(let error):
            machine.storeFailure = error
            // A token that is bound to a key is not spent by its use, so nothing can get lost.
            guard record.keyThumbprint != nil, let current = machine.record, current.generation == base else {
                return fail(error, of: machine.record?.generation, &machine, at: now)
            }
            earlier = nil
            return ask(current, over: over, at: now)
        default: unexpected(event)
        }
    }

    private mutating func ask(_ record: SessionRecord, over: Generation, at now: Moment) -> Step<Outcome> {
        to(.asking(record, over: over), .renew(record, before: now.uptime + Limits.sendingSeconds))
    }

    private mutating func answered(
        _ grant: TokenGrant, _ record: SessionRecord, _ over: Generation, _ machine: inout SessionMachine,
        at now: Moment
    ) -> Step<Outcome> {
        guard !grant.names(anotherThan: record) else { return refused(Self.misdirected, record, &machine, at: now) }
        var next = record.renewed(by: grant, at: now.wall)
        next.generation = next.generation.later(than: over)
        guard machine.isCurrent(record.generation) else {
            return to(.yielding(next, of: record, idToken: grant.idToken), .read)
        }
        return to(.storing(next, of: record, idToken: grant.idToken), .write(next, when: .generation(over)))
    }

    private mutating func stored(
        _ next: SessionRecord, of record: SessionRecord, _ idToken: String?, _ event: StepEvent,
        _ machine: inout SessionMachine, at now: Moment
    ) -> Step<Outcome> {
        let isDurable: Bool
        switch event {
        case .stored(.done): isDurable = true
        // The disk is full: the session goes on in memory, and is stored at the next opportunity.
        case .failed(let error):
            machine.storeFailure = error
            isDurable = false
        case .stored(.overtaken): return to(.yielding(next, of: record, idToken: idToken), .read)
        default: unexpected(event)
        }
        if let current = machine.record, current.generation.isNotBefore(next.generation) {
            // Another task of this process has read it already, or has gone on from there.
            return leave(.success(Success(record: current, idToken: idToken)))
        }
        guard machine.isCurrent(record.generation) else {
            // Given up while it was being stored.
            return isDurable
                ? to(.revoking, .remove(when: .generation(next.generation))) : leave(.failure(Self.signedOut))
        }
        machine.adopt(next, .refreshed, isDurable: isDurable, at: now)
        return leave(.success(Success(record: next, idToken: idToken)))
    }

    /// A late answer. If another process has only begun the same renewal, it is its answer as well; otherwise what
    /// is stored belongs to others, who are not touched.
    private mutating func yield(
        _ next: SessionRecord, of record: SessionRecord, _ idToken: String?, _ reading: SessionMachine.Reading,
        _ machine: inout SessionMachine, at now: Moment
    ) -> Step<Outcome> {
        machine.absorb(reading, at: now)
        if case .found(let found) = reading, found.sharesTokens(with: record), machine.isCurrent(found.generation) {
            let rival = found.rival(except: machine.ownRenewal, at: now.wall)
            var renumbered = next.renumbered(after: found, rival: rival)
            // It may have been replaced by itself meanwhile.
            if next.deviceSecret == record.deviceSecret { renumbered.deviceSecret = found.deviceSecret }
            return to(
                .storing(renumbered, of: found, idToken: idToken),
                .write(renumbered, when: .generation(found.generation)))
        }
        if let record = machine.record {
            guard machine.isGoodForAWhile(at: now) else { return look(reading, &machine, at: now) }
            return leave(.success(Success(record: record)))
        }
        // Signed out meanwhile: what arrived too late is given back. Had a user signed in instead, both might
        // share a grant at the server, and telling it anything could end the new session.
        guard case .absent = reading, next.refreshToken != nil else { return leave(.failure(Self.signedOut)) }
        return to(.revoking, .revoke(next, seconds: Limits.farewellSeconds))
    }
}

extension Generation {
    fileprivate func isNotBefore(_ other: Generation) -> Bool {
        self == other || isLater(than: other)
    }
}
