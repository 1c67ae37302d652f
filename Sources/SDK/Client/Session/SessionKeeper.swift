internal import KeyturnBase
internal import KeyturnWire

/// Runs a ``SessionMachine`` and its procedures: does what they say with the store and the service.
///
/// An actor, because a procedure suspends while the session must stay consistent. It decides nothing by itself.
actor SessionKeeper {
    let container: String
    /// Where a session lies that no vault keeps.
    nonisolated let plain: any SessionStore
    /// What other libraries left; `nil`: nothing is taken over.
    nonisolated let takeover: (any SessionTakeover)?
    var renewer: any SessionRenewer
    let identity: SessionRecord.Client
    /// See ``SessionRecord/serviceDetails``.
    let serviceDetails: [String: String]
    let ambient: Ambient
    /// Told after each sign-in, unless what signed in asks for silence.
    let afterSignIn: @Sendable () async -> Void
    nonisolated let snapshot = SessionSnapshot()
    let hub: ChangeHub
    private let cache: TokenCache

    /// The session that counts now. Those before it may still be busy.
    var context: SessionContext
    var finishing: any FinishingTime
    /// In uptime seconds.
    var lastLook: Int64?
    /// How long what was seen then may be handed out without another look, in coarse milliseconds.
    var shelfUntil = Int64.min
    var renewal: Task<Void, Never>?
    /// Tells a renewal that was given up from the one under way.
    var renewalCount = 0
    /// The last access tokens of this sign-in.
    private var handedOut: [String] = []
    private var handedOutSignIn: String?
    var waiters: [Int: CheckedContinuation<Renewal.Outcome, Never>] = [:]
    var nextWaiter = 0
    /// Whether a session that was taken over waits for its first renewal.
    var isTakeoverOpen = false
    /// How often the session was given up on purpose: a proof that was under way then signs no user in any more.
    var timesGivenUp = 0
    /// A sign-in that waits for a second factor.
    var pendingFactor: PendingFactor?

    init(
        container: String, store: any SessionStore, renewer: any SessionRenewer, hub: ChangeHub, cache: TokenCache,
        identity: SessionRecord.Client, serviceDetails: [String: String] = [:], ambient: Ambient,
        takeover: (any SessionTakeover)? = nil, finishing: any FinishingTime = EndlessTime(),
        afterSignIn: @escaping @Sendable () async -> Void
    ) {
        self.takeover = takeover
        self.finishing = finishing
        self.afterSignIn = afterSignIn
        self.container = container
        plain = store
        context = SessionContext(store: store)
        self.renewer = renewer
        (self.hub, self.cache) = (hub, cache)
        (self.identity, self.serviceDetails, self.ambient) = (identity, serviceDetails, ambient)
    }

    var machine: SessionMachine {
        get { context.machine }
        _modify { yield &context.machine }
    }

    var store: any SessionStore { context.store }
    var state: SessionState { machine.state(at: ambient.moment()) }
    var scope: Scope { machine.record?.scope ?? .none }

    /// The key that an access token of this session wants a proof of; `nil`: any bearer may use it.
    func keyThumbprint(of token: String) async throws(AuthError) -> String? {
        if machine.phase == .unknown { try await load() }
        guard let record = machine.record, record.accessToken == token, record.isSenderConstrained else { return nil }
        return try await renewer.proofKey(of: record)
    }

    func start() async throws(AuthError) -> SessionState {
        if machine.phase == .unknown { try await load() } else { await lookAround() }
        return state
    }

    func accessToken(minimumSeconds: Int64) async throws(AuthError) -> String {
        await lookAround()
        let need = try await resolved { $0.need(minimumSeconds: minimumSeconds, at: $1) }
        guard case .renew(let fallback) = need else { return try told(need) }
        do throws(AuthError) {
            return try await joinRenewal().record.accessToken
        } catch {
            // A renewal that was early anyway may fail: what there is still keeps the promise.
            guard let fallback, !error.isTaskCancelled, machine.record?.accessToken == fallback else {
                throw error
            }
            return fallback
        }
    }

    func forceRefresh() async throws(AuthError) -> String {
        await lookAround()
        let need = try await resolved { $0.needNew(at: $1) }
        guard case .renew = need else { return try token(need) }
        return try await joinRenewal().record.accessToken
    }

    /// A token other than `refused`, which a server has just turned down.
    func replacement(for refused: String) async throws(AuthError) -> String {
        await lookAround()
        guard machine.record == nil || handedOut.contains(refused) else {
            // Another person's, or of a session that is over: what it was for must not be done in this one's name.
            throw AuthError(.signedOut, "the token that was refused is not of this session")
        }
        if let token = machine.record?.accessToken, token != refused { return token }
        return try await forceRefresh()
    }

    func refreshIDToken() async throws(AuthError) -> IDToken {
        await lookAround()
        if let token = try await refreshIDTokenAlone() { return token }
        let need = try await resolved { $0.needNew(at: $1) }
        guard case .renew = need else {
            _ = try token(need)
            throw AuthError(.unsupported, "nothing to renew with")
        }
        let success = try await joinRenewal()
        guard let compact = success.idToken else {
            throw AuthError(.unsupported, "the service issues no ID token when it renews")
        }
        return try await accept(compact, for: success.record)
    }
}

/// Procedures, and what they want done.
extension SessionKeeper {
    /// Does what `procedure` says until it is finished: with the session that counts when it begins, to the end.
    func run<Procedure: SessionProcedure>(
        _ procedure: Procedure, in given: SessionContext? = nil
    ) async -> Procedure.Outcome {
        let context = given ?? self.context
        var procedure = procedure
        var lock: (any StoreLock)?
        var event = StepEvent.begin
        while true {
            let step = procedure.advance(event, &context.machine, at: ambient.moment())
            if context === self.context { publish() }
            switch step {
            case .finish(let outcome): return outcome
            case .perform(.lock(let seconds)): (event, lock) = await takeLock(seconds, context)
            case .perform(.unlock):
                await lock?.unlock()
                event = .unlocked
            case .perform(let action): event = await perform(action, context)
            }
        }
    }

    private func takeLock(_ seconds: Int64, _ context: SessionContext) async -> (StepEvent, (any StoreLock)?) {
        do throws(AuthError) {
            let lock = try await context.store.lock(container, timeoutSeconds: seconds)
            return (.locked(lock != nil), lock.map { FinishingLock($0, finishing) })
        } catch {
            return (.failed(error), nil)
        }
    }

    private func perform(_ action: StepAction, _ context: SessionContext) async -> StepEvent {
        let store = context.store
        do throws(AuthError) {
            switch action {
            case .lock, .unlock: preconditionFailure("the lock belongs to the run")
            case .read: return .read(await read(context))
            case .write(let record, .always): return .stored(try await writeSignIn(record, to: store))
            case .write(let record, let condition):
                return .stored(try await store.write(record.stored, for: container, when: condition))
            case .remove(let condition):
                try await closeTakeover(before: condition, context)
                return .stored(try await store.remove(container, when: condition))
            case .renew(let record, let deadline):
                try await renewer.prepare(record)
                guard ambient.uptime() <= deadline else { return .heldUp }
                return .renewed(try await renewer.renew(record))
            case .revoke(let record, let seconds):
                try await renewer.revoke(record, timeoutSeconds: seconds)
                return .revoked
            case .verify(let compact, let record):
                return .verified(try await renewer.verify(renewedIDToken: compact, of: record))
            }
        } catch {
            return .failed(error)
        }
    }

    /// Tells everybody what has just happened, and lays out what can be handed out at once.
    func publish() {
        snapshot.show(machine)
        for change in machine.takeChanges() { hub.publish(change) }
        remember(machine.record)
        cache.lay(machine.cached, until: shelfUntil, ambient: ambient)
    }

    private func remember(_ record: SessionRecord?) {
        guard let record, handedOut.last != record.accessToken || handedOutSignIn != record.generation.signIn else {
            return
        }
        if handedOutSignIn != record.generation.signIn { handedOut = [] }
        handedOutSignIn = record.generation.signIn
        handedOut = handedOut.suffix(Limits.rememberedTokens - 1) + [record.accessToken]
    }
}

/// What callers get.
extension SessionKeeper {
    private func resolved(
        _ ask: (SessionMachine, Moment) -> SessionMachine.Need
    ) async throws(AuthError) -> SessionMachine.Need {
        let need = ask(machine, ambient.moment())
        guard need == .load else { return need }
        try await load()
        return ask(machine, ambient.moment())
    }

    /// The token, or why there is none. That none is left is told to those who listen, too.
    private func told(_ need: SessionMachine.Need) throws(AuthError) -> String {
        do throws(AuthError) {
            return try token(need)
        } catch {
            machine.noteOutage(error, at: ambient.moment())
            publish()
            throw error
        }
    }

    private func token(_ need: SessionMachine.Need) throws(AuthError) -> String {
        switch need {
        case .token(let token): return token
        case .wait(let seconds):
            if let failure = machine.lastFailure, failure.code == .interactionRequired { throw failure }
            throw AuthError(
                .unavailable, "a renewal has just failed: try again in \(seconds) seconds", cause: machine.lastFailure,
                server: .init(
                    status: machine.lastFailure?.server?.status ?? 503, retryAfterSeconds: Int(clamping: seconds)))
        case .fail(.tokenExpired):
            throw AuthError(
                .tokenExpired,
                "the access token ran out, and the service issued no refresh token: call authorizeIfNeeded or "
                    + "authorize")
        case .fail(.unsupported): throw AuthError(.unsupported, "the service issued no refresh token")
        case .fail, .load, .renew: throw AuthError(.signedOut, "nobody is signed in")
        }
    }
}
