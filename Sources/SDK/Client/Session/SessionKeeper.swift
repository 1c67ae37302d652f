internal import KeyturnBase
internal import KeyturnWire

/// Runs a ``SessionMachine``: does what it says with the store, the service and the readers of changes.
///
/// An actor, because a renewal suspends while the session must stay consistent. After each suspension the machine is
/// asked again; nothing read before one is trusted after it. The store's lock makes one of all keepers of a name, in
/// this process and others, renew at a time; each reads the store again once it holds the lock.
actor SessionKeeper {
    let container: String
    let store: any SessionStore
    let renewer: any SessionRenewer
    let identity: SessionRecord.Client
    let ambient: Ambient
    private let hub: ChangeHub

    private(set) var machine = SessionMachine()
    private var lastMark: ChangeMark?
    private var lastLook: UnixTime?
    var renewal: Task<Renewal, Never>?
    /// Tells a renewal that was given up from the one under way.
    var renewalCount = 0
    private var waiters: [Int: CheckedContinuation<Result<SessionRecord, AuthError>, Never>] = [:]
    private var nextWaiter = 0

    init(
        container: String, store: any SessionStore, renewer: any SessionRenewer, hub: ChangeHub,
        identity: SessionRecord.Client, ambient: Ambient
    ) {
        self.container = container
        self.store = store
        self.renewer = renewer
        self.hub = hub
        self.identity = identity
        self.ambient = ambient
    }

    var state: SessionState { machine.state(at: ambient.now()) }
    var idToken: IDToken? { machine.record?.idToken }
    var scope: Scope { machine.record?.scope ?? .none }

    func start() async throws(AuthError) -> SessionState {
        if machine.phase == .unknown { try await load() } else { await lookAround() }
        return state
    }

    func accessToken(minimumSeconds: Int64) async throws(AuthError) -> String {
        await lookAround()
        let minimum = min(max(0, minimumSeconds), 86_400)
        let need = try await resolved { $0.need(minimumSeconds: minimum, at: $1) }
        guard case .renew(let fallback) = need else { return try token(need) }
        do throws(AuthError) {
            return try await joinRenewal().accessToken
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
        return try await joinRenewal().accessToken
    }

    /// A token other than `refused`, which a server has just turned down.
    func replacement(for refused: String) async throws(AuthError) -> String {
        await lookAround()
        if let token = machine.record?.accessToken, token != refused { return token }
        return try await forceRefresh()
    }

    func refreshIDToken() async throws(AuthError) -> IDToken {
        await lookAround()
        let need = try await resolved { $0.needNew(at: $1) }
        guard case .renew = need else {
            _ = try token(need)
            throw AuthError(.unsupported, "nothing to renew with")
        }
        let renewal = await startRenewal().value
        _ = try renewal.result.get()
        guard let idToken = renewal.idToken else {
            throw AuthError(.unsupported, "the service issues no ID token when it renews")
        }
        return try idToken.get()
    }

    /// The ID token of the session, loading it if need be.
    func requireIDToken() async throws(AuthError) -> IDToken {
        if machine.phase == .unknown { try await load() }
        guard let token = machine.record?.idToken else { throw AuthError(.signedOut, "nobody is signed in") }
        return token
    }
}

extension SessionKeeper {
    private func resolved(
        _ ask: (SessionMachine, UnixTime) -> SessionMachine.Need
    ) async throws(AuthError) -> SessionMachine.Need {
        let need = ask(machine, ambient.now())
        guard need == .load else { return need }
        try await load()
        return ask(machine, ambient.now())
    }

    private func token(_ need: SessionMachine.Need) throws(AuthError) -> String {
        switch need {
        case .token(let token): return token
        case .wait(let seconds):
            throw AuthError(
                .unavailable, "the server asked for a pause",
                server: .init(status: 429, retryAfterSeconds: Int(clamping: seconds)))
        case .fail(.tokenExpired): throw AuthError(.tokenExpired, "the token ran out and cannot be renewed")
        case .fail(.unsupported): throw AuthError(.unsupported, "the service issued no refresh token")
        case .fail, .load, .renew: throw AuthError(.signedOut, "nobody is signed in")
        }
    }

    /// Loads the stored session.
    private func load() async throws(AuthError) {
        let reading = await read()
        perform(quietly: machine.handle(.read(reading), at: ambient.now()))
        if machine.phase == .unknown, case .unavailable(let error) = reading { throw error }
    }

    /// Notices what other containers and processes did: once a second looks whether the store changed, and only then
    /// reads it. Also makes up for a record that could not be stored.
    private func lookAround() async {
        let now = ambient.now()
        guard machine.phase != .unknown, lastLook != now else { return }
        lastLook = now
        let mark = await store.changeMark(container)
        if mark != lastMark || !machine.isDurable { await reread() }
    }

    /// Reads the store again and does what follows, under the lock if something is to be written.
    private func reread() async {
        let reading = await read()
        let actions = machine.handle(.read(reading), at: ambient.now())
        perform(quietly: actions)
        guard actions.contains(where: { if case .save = $0 { true } else { false } }),
            let lock = try? await store.lock(container, timeoutSeconds: Limits.forcedLockSeconds)
        else { return }
        await rereadLocked()
        await lock.unlock()
    }

    /// The same, when the lock is held already.
    func rereadLocked() async {
        let reading = await read()
        await perform(machine.handle(.read(reading), at: ambient.now()))
    }

    /// What the store holds for this client. A session of another client under the same name is not this one's, and
    /// its tokens must not go to this one's server.
    func read() async -> SessionMachine.Reading {
        let mark = await store.changeMark(container)
        switch await store.read(container) {
        case .absent:
            lastMark = mark
            return .absent
        case .unavailable(let error): return .unavailable(error)
        case .found(let stored):
            lastMark = mark
            do throws(AuthError) {
                let record = try SessionRecord(stored)
                return record.client == identity ? .found(record) : .absent
            } catch {
                return .unavailable(error)
            }
        }
    }

    /// Tells the machine, and does what it says. The lock must be held if that can mean writing.
    func handle(_ event: SessionMachine.Event) async {
        await perform(machine.handle(event, at: ambient.now()))
    }

    private func perform(_ actions: [SessionMachine.Action]) async {
        for action in actions {
            switch action {
            case .save(let record): await save(record)
            case .remove(let generation): await remove(generation)
            case .revoke(let token):
                try? await renewer.revoke(token, isRefreshToken: true, timeoutSeconds: Limits.farewellSeconds)
            case .publish(let change): hub.publish(change)
            }
        }
    }

    /// Does only what needs no lock.
    private func perform(quietly actions: [SessionMachine.Action]) {
        for action in actions {
            if case .publish(let change) = action { hub.publish(change) }
        }
    }

    private func save(_ record: SessionRecord) async {
        do throws(AuthError) {
            try await store.write(record.stored, for: container)
            lastMark = await store.changeMark(container)
            await handle(.saved(record.generation))
            // Signed out while writing: what was written must not outlive that.
            if machine.phase == .signedOut { await remove(record.generation) }
        } catch {
            // A full disk must not end a session: it goes on in memory and is stored at the next opportunity.
            await handle(.saveFailed(record.generation))
        }
    }

    /// Removes the stored record if it is this generation or what that was made from, but nobody else's.
    private func remove(_ generation: Generation) async {
        guard case .found(let stored) = await store.read(container),
            stored.generation.signIn == generation.signIn, stored.generation.number <= generation.number
        else { return }
        try? await store.remove(container)
        lastMark = await store.changeMark(container)
    }
}

extension SessionKeeper {
    /// Waits for the renewal under way, or for a new one. Cancelling the waiting task ends its waiting alone.
    private func joinRenewal() async throws(AuthError) -> SessionRecord {
        let id = nextWaiter
        nextWaiter += 1
        startRenewal()
        let result: Result<SessionRecord, AuthError> = await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                if Task.isCancelled {
                    waiter.resume(returning: .failure(AuthError.taskCancelled))
                } else {
                    waiters[id] = waiter
                }
            }
        } onCancel: {
            Task { await self.giveUpWaiting(id) }
        }
        return try result.get()
    }

    private func giveUpWaiting(_ id: Int) {
        waiters.removeValue(forKey: id)?.resume(
            returning: .failure(AuthError.taskCancelled))
    }

    func resumeWaiters(_ result: Result<SessionRecord, AuthError>) {
        let resumed = waiters.values
        waiters = [:]
        for waiter in resumed { waiter.resume(returning: result) }
    }
}
