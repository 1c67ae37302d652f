internal import KeyturnBase
internal import KeyturnVerify
internal import KeyturnWire

/// The tokens of one subject, for a client and all its clones: asked for once however many wait.
///
/// An actor, because getting tokens suspends while its state must stay consistent. Memory decides and the store
/// follows: a store that fails costs no token.
actor ServiceSession {
    typealias Outcome = Result<ServiceTokens, AuthError>

    nonisolated let credential: ServiceCredential
    nonisolated let endpoint: ServiceTokenEndpoint
    nonisolated let store: any TokenStore
    /// Under which name the store keeps the tokens; `nil`: it does not.
    nonisolated let storageName: String?
    var held: HeldTokens?
    /// What a server has just refused: not to be taken from the store again.
    private var refused: String?
    /// Whether tokens that the credential came with are still to be taken up.
    private var hasGiven = true
    var isDestroyed = false
    var storageProblem: AuthError?
    /// Whether what is in memory could not be stored: then the store is not asked.
    var isStoreBehind = false
    /// What could not be ended at the service when the client was destroyed.
    var farewell: String?
    var fetching: Task<Outcome, Never>?
    private var waiters: [Int: CheckedContinuation<Outcome, Never>] = [:]
    private var nextWaiter = 0

    init(_ credential: ServiceCredential, endpoint: ServiceTokenEndpoint, store: any TokenStore) {
        self.credential = credential
        self.endpoint = endpoint
        self.store = store
        storageName = credential.storageName(at: endpoint.configuration, of: endpoint.application)
    }

    /// An access token that is good for more than `minimumSeconds`.
    func accessToken(minimumSeconds: Int64) async throws(AuthError) -> String {
        try await checkAlive()
        switch credential.kind {
        case .developerToken(let token): return token.exposed()
        case .session(let session): return try await session.accessToken(minimumSeconds: minimumSeconds)
        default: return try await tokens(minimumSeconds: minimumSeconds).accessToken
        }
    }

    private func tokens(minimumSeconds: Int64) async throws(AuthError) -> ServiceTokens {
        let seconds = max(minimumSeconds, endpoint.configuration.leewaySeconds)
        if let held, held.tokens.accessToken != refused, held.isGood(for: seconds, at: endpoint.ambient.moment()) {
            return held.tokens
        }
        return try await join(for: seconds)
    }

    /// An access token other than the one that a server has just turned down.
    func replacement(for token: String) async throws(AuthError) -> String {
        try await checkAlive()
        switch credential.kind {
        case .developerToken:
            throw AuthError(.developerTokenRefused, "the developer token is not good any more: fetch another")
        case .session(let session): return try await session.replacement(for: token)
        default: break
        }
        if let held, held.tokens.accessToken != token, held.isGood(for: 0, at: endpoint.ambient.moment()) {
            return held.tokens.accessToken
        }
        refused = token
        return try await join(for: endpoint.configuration.leewaySeconds).accessToken
    }

    /// What there is, without a request.
    var current: ServiceTokens? { held?.tokens }

    func checkAlive() async throws(AuthError) {
        if case .exchanged(let parent, _) = credential.kind, await parent.isDestroyed { isDestroyed = true }
        guard !isDestroyed else { throw Self.destroyed }
    }

    static let destroyed = AuthError(.clientDestroyed, "the client was destroyed")
}

/// One request for all who wait.
extension ServiceSession {
    /// Waits for the request under way, or for a new one. Cancelling the waiting task ends its waiting alone.
    ///
    /// - Parameter seconds: For how long stored tokens must be good; counts for the first caller.
    private func join(for seconds: Int64) async throws(AuthError) -> ServiceTokens {
        let id = nextWaiter
        nextWaiter += 1
        start(for: seconds)
        let outcome: Outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                if Task.isCancelled {
                    waiter.resume(returning: .failure(.taskCancelled))
                } else {
                    waiters[id] = waiter
                }
            }
        } onCancel: {
            Task { await self.giveUpWaiting(id) }
        }
        return try outcome.get()
    }

    private func start(for seconds: Int64) {
        guard fetching == nil else { return }
        // Unstructured on purpose: it serves every caller, so no caller's cancellation may cancel it.
        fetching = Task {
            let outcome = await obtain(for: seconds)
            finish(outcome)
            return outcome
        }
    }

    private func finish(_ outcome: Outcome) {
        fetching = nil
        resumeWaiters(isDestroyed ? .failure(Self.destroyed) : outcome)
    }

    func resumeWaiters(_ outcome: Outcome) {
        let resumed = waiters.values
        waiters = [:]
        for waiter in resumed { waiter.resume(returning: outcome) }
    }

    private func giveUpWaiting(_ id: Int) {
        waiters.removeValue(forKey: id)?.resume(returning: .failure(.taskCancelled))
    }

    private func obtain(for seconds: Int64) async -> Outcome {
        let lock = await takeLock()
        let outcome: Outcome
        do throws(AuthError) {
            outcome = .success(try await renew(for: seconds))
        } catch {
            outcome = .failure(error)
        }
        await lock?.unlock()
        return outcome
    }

    /// What is stored if it is good, and otherwise something new.
    private func renew(for seconds: Int64) async throws(AuthError) -> ServiceTokens {
        if case .tokens(_, let given?) = credential.kind, hasGiven {
            hasGiven = false
            await take(given)
            if let held, held.isGood(for: seconds, at: endpoint.ambient.moment()) {
                return given
            }
        }
        if !isStoreBehind, let stored = try await stored(), stored.accessToken != refused {
            let found = HeldTokens(stored, at: endpoint.ambient.moment())
            if found.isGood(for: seconds, at: endpoint.ambient.moment()) {
                held = found
                return stored
            }
        }
        let fetched = try await fetch()
        guard !isDestroyed else {
            // Too late: it must not be used. The destruction of the client waits for this, and ends it.
            farewell = fetched.refreshToken ?? fetched.accessToken
            throw Self.destroyed
        }
        await take(fetched)
        return fetched
    }

    private func take(_ tokens: ServiceTokens) async {
        held = HeldTokens(tokens, at: endpoint.ambient.moment())
        if tokens.accessToken == refused { refused = nil }
        guard let storageName else { return }
        do {
            try await store.write(tokens, for: storageName)
            (storageProblem, isStoreBehind) = (nil, false)
        } catch {
            (storageProblem, isStoreBehind) = (Self.storeError(error), true)
        }
        // Destroyed while it was written: it must not stay.
        if isDestroyed { try? await store.clear(storageName) }
    }
}
