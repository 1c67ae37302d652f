internal import KeyturnBase
internal import KeyturnWire

/// Trades the refresh token for new tokens, once for all who wait.
///
/// 1. The lock: one renewal at a time among all containers and processes of a name. Its holder may be stopped for
///    good, so after a while it goes on without.
/// 2. A look into the store: perhaps somebody else has renewed, signed out or signed in.
/// 3. The intent is stored. From then on a crash is known to have been one: what was sent may have been heard.
/// 4. The request.
/// 5. The answer is stored if nobody has moved on meanwhile, and only then taken up.
///
/// `invalid_grant` is the last word only about what is still stored: see step 2 again.
struct Renewal: SessionProcedure, Hashable {
    struct Success: Hashable, Sendable {
        let record: SessionRecord
        /// What came with it, not verified yet.
        var idToken: String?
    }

    typealias Outcome = Result<Success, AuthError>

    private enum Stage: Hashable, Sendable {
        case beginning
        case locking
        case looking
        case intending(SessionRecord, over: Generation)
        /// What is stored meanwhile is `over`.
        case asking(SessionRecord, over: Generation)
        case storing(SessionRecord, of: SessionRecord, idToken: String?)
        /// Somebody moved on while the server answered.
        case yielding(to: SessionRecord)
        case judging(AuthError, of: SessionRecord)
        case clearing(AuthError)
        case revoking
        case leaving(Outcome)
    }

    /// What the caller had in mind: if the store has something newer that is good, nothing is asked.
    private let asked: Generation?
    private let jitter: Int64
    private var stage = Stage.beginning
    private var isLocked = false
    private var rounds = 0

    /// - Parameter jitter: 50…100, see ``SessionMachine/renewalFailed(_:of:jitter:at:)``.
    init(of asked: Generation?, jitter: Int64) {
        self.asked = asked
        self.jitter = jitter
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
        case (.asking(let record, _), .failed(let error)): return refused(error, record, &machine, at: now)
        case (.storing(let next, let record, let token), _):
            return stored(next, of: record, token, event, &machine, at: now)
        case (.yielding(let next), .read(let reading)): return yield(next, reading, &machine, at: now)
        case (.judging(let error, let record), .read(let reading)):
            return judge(error, record, reading, &machine, at: now)
        case (.clearing(let error), _):
            return leave(.failure(AuthError(.sessionEnded, "the session is over", cause: error, server: error.server)))
        case (.revoking, _): return leave(.failure(Self.signedOut))
        case (.leaving(let outcome), _): return .finish(outcome)
        default: unexpected(event)
        }
    }
}

extension Renewal {
    private static let signedOut = AuthError(.signedOut, "nobody is signed in")
    private static let roundsMax = 4

    private mutating func to(_ stage: Stage, _ action: StepAction) -> Step<Outcome> {
        self.stage = stage
        return .perform(action)
    }

    private mutating func leave(_ outcome: Outcome) -> Step<Outcome> {
        guard isLocked else { return .finish(outcome) }
        return to(.leaving(outcome), .unlock)
    }

    private mutating func fail(
        _ error: AuthError, of generation: Generation?, _ machine: inout SessionMachine, at now: Moment
    ) -> Step<Outcome> {
        if let generation, !error.isTaskCancelled {
            machine.renewalFailed(error, of: generation, jitter: jitter, at: now)
        }
        return leave(.failure(error))
    }

    /// What others did, and whether there is anything left to do.
    private mutating func look(
        _ reading: SessionMachine.Reading, _ machine: inout SessionMachine, at now: Moment
    ) -> Step<Outcome> {
        machine.absorb(reading, at: now)
        // Without a readable store the successor could not be kept: better not to make one.
        if case .unavailable(let error) = reading { return fail(error, of: asked, &machine, at: now) }
        guard let record = machine.record else { return leave(.failure(Self.signedOut)) }
        if record.generation != asked, record.renewalBegunAt == nil, machine.isGoodForAWhile(at: now) {
            return leave(.success(Success(record: record)))
        }
        rounds += 1
        guard rounds <= Self.roundsMax else {
            let error = AuthError(.unavailable, "the session changed again and again while it was renewed")
            return fail(error, of: record.generation, &machine, at: now)
        }
        guard case .found(let found) = reading else { unexpected(.read(reading)) }
        let intent = record.beginningRenewal(at: now.wall)
        return to(.intending(intent, over: found.generation), .write(intent, when: .generation(found.generation)))
    }

    private mutating func intended(
        _ record: SessionRecord, _ over: Generation, _ event: StepEvent, _ machine: inout SessionMachine,
        at now: Moment
    ) -> Step<Outcome> {
        switch event {
        case .stored(.done):
            guard machine.record?.generation.next == record.generation else { return to(.looking, .read) }
            machine.replaceQuietly(record, isDurable: true)
            return to(.asking(record, over: record.generation), .renew(record))
        case .stored(.overtaken): return to(.looking, .read)
        case .failed(let error):
            // A token that is bound to a key is not spent by its use, so nothing can get lost.
            guard record.keyThumbprint != nil, let current = machine.record,
                current.generation.next == record.generation
            else { return fail(error, of: machine.record?.generation, &machine, at: now) }
            return to(.asking(current, over: over), .renew(current))
        default: unexpected(event)
        }
    }

    private mutating func answered(
        _ grant: TokenGrant, _ record: SessionRecord, _ over: Generation, _ machine: inout SessionMachine,
        at now: Moment
    ) -> Step<Outcome> {
        let next = record.renewed(by: grant, at: now.wall)
        guard machine.isCurrent(record.generation) else { return to(.yielding(to: next), .read) }
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
        case .failed: isDurable = false
        case .stored(.overtaken): return to(.yielding(to: next), .read)
        default: unexpected(event)
        }
        guard machine.isCurrent(record.generation) else {
            // Given up while it was being stored.
            return isDurable
                ? to(.revoking, .remove(when: .generation(next.generation))) : leave(.failure(Self.signedOut))
        }
        machine.adopt(next, .refreshed, isDurable: isDurable, at: now)
        return leave(.success(Success(record: next, idToken: idToken)))
    }

    /// A late answer: what is stored belongs to somebody else, who is not touched.
    private mutating func yield(
        _ next: SessionRecord, _ reading: SessionMachine.Reading, _ machine: inout SessionMachine, at now: Moment
    ) -> Step<Outcome> {
        machine.absorb(reading, at: now)
        if let record = machine.record {
            guard machine.isGoodForAWhile(at: now) else { return look(reading, &machine, at: now) }
            return leave(.success(Success(record: record)))
        }
        // Signed out meanwhile: what arrived too late is given back. Had somebody signed in instead, both might
        // share a grant at the server, and telling it anything could end the new session.
        guard case .absent = reading, next.refreshToken != nil else { return leave(.failure(Self.signedOut)) }
        return to(.revoking, .revoke(next, seconds: Limits.farewellSeconds))
    }

    private mutating func refused(
        _ error: AuthError, _ record: SessionRecord, _ machine: inout SessionMachine, at now: Moment
    ) -> Step<Outcome> {
        guard error.isFinal else { return fail(error, of: record.generation, &machine, at: now) }
        return to(.judging(error, of: record), .read)
    }

    /// The server's definite word on `record`. Only if nobody has moved on does the session end.
    private mutating func judge(
        _ error: AuthError, _ record: SessionRecord, _ reading: SessionMachine.Reading,
        _ machine: inout SessionMachine, at now: Moment
    ) -> Step<Outcome> {
        switch reading {
        case .unavailable: return fail(error, of: record.generation, &machine, at: now)
        case .found(let found) where found.sharesTokens(with: record):
            machine.end(error.code == .deviceKeyLost ? .deviceKeyLost : .refused, error, of: record.generation)
            return to(.clearing(error), .remove(when: .generation(found.generation)))
        case .found, .absent: return look(reading, &machine, at: now)
        }
    }
}

extension SessionRecord {
    /// Whether a word about one of the two is a word about the other.
    fileprivate func sharesTokens(with other: SessionRecord) -> Bool {
        generation.signIn == other.generation.signIn && refreshToken == other.refreshToken
    }
}

extension AuthError {
    /// Whether this is the last word on a session: the server's own, or that its key is gone.
    fileprivate var isFinal: Bool {
        code == .deviceKeyLost || code == .refused && server?.code == "invalid_grant"
    }
}
