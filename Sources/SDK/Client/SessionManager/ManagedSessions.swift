internal import KeyturnBase

/// What a ``SessionManager`` wants done.
extension SessionKeeper {
    /// Makes a session of tokens that some sign-in produced. When this returns it is durable.
    ///
    /// The same tokens once more are the same session, and only what is known about the person is replaced.
    func takeUp(_ session: ManagedSession) async throws(AuthError) {
        guard session.isPresentable else { throw ManagedSession.unpresentable }
        // An unreadable store is no obstacle: whether it can be written is another question.
        _ = try? await start()
        if let current = machine.record, session.hasTokens(of: current) {
            return try await replaceUserClaims(of: session)
        }
        var record = session.record(
            signIn: ambient.randomToken(byteCount: 16), client: identity, at: ambient.now())
        record.serviceDetails = serviceDetails
        _ = try await begin(record)
        await afterSignIn()
    }

    /// Stores what is known about the person of `session`, if that is the session.
    func replaceUserClaims(of session: ManagedSession) async throws(AuthError) {
        _ = try await start()
        if let current = machine.record, ManagedSession(current).userClaims == session.userClaims { return }
        let replacement = RecordReplacement(telling: nil) { current, _ in
            guard session.isSameSession(as: current) else {
                return .failure(AuthError(.signedOut, "that session is not the one any more"))
            }
            var next = current
            next.generation = current.generation.next
            next.userClaims = session.storedClaims
            return .success(next)
        }
        _ = try await run(replacement).get()
    }

    /// Lets `lifecycle` decide how sessions are renewed from now on.
    func follow(_ lifecycle: any SessionLifecycle) {
        let service = (renewer as? LifecycleRenewer)?.service ?? renewer
        renewer = LifecycleRenewer(lifecycle: lifecycle, service: service, ambient: ambient)
    }

    /// Renews if `lifecycle` says so, once for all who wait.
    ///
    /// - Parameter serviceNow: The service's time.
    /// - Returns: Whether there is another access token now.
    func renewIfNeeded(_ lifecycle: any SessionLifecycle, at serviceNow: UnixTime) async throws(AuthError) -> Bool {
        _ = try await start()
        guard let record = machine.record else { return false }
        let session = ManagedSession(record)
        guard session.isRenewable(at: serviceNow) else { return false }
        // Without a cached token its lifetime is in doubt, or a renewal was interrupted.
        if let cached = machine.cached {
            let remaining = cached.endsAt == .max ? nil : max(0, cached.endsAt - ambient.uptime())
            guard lifecycle.needsRefresh(session, remainingSeconds: remaining) else { return false }
        }
        if renewal == nil, let seconds = machine.pauseSeconds(at: ambient.moment()) {
            throw AuthError(
                .unavailable, "a renewal has just failed: try again in \(seconds) seconds", cause: machine.lastFailure,
                server: .init(
                    status: machine.lastFailure?.server?.status ?? 503, retryAfterSeconds: Int(clamping: seconds)))
        }
        return try await joinRenewal().record.accessToken != record.accessToken
    }

    /// How long the access token is good for; `nil` without a session, or if the server did not say.
    var remainingSeconds: Int64? { machine.remainingSeconds(at: ambient.moment()) }

    /// Whether the session's access token has not run out, as far as this machine can tell.
    var isUsable: Bool {
        guard machine.record != nil else { return false }
        return !state.isStale && machine.hasTime(at: ambient.moment())
    }

    /// What could not be read may be readable now. Those who listen are told what it was.
    func readAgain() async {
        guard machine.phase == .unknown else { return }
        _ = try? await start()
    }

    /// Looks into the store at once, if it lets itself be looked into, and shows what is there until the session is
    /// known.
    nonisolated func lookNow() {
        guard !snapshot.isKnown, let store = plain as? any ImmediateStore else { return }
        switch store.readNow(container) {
        case .found(let stored):
            guard let record = try? SessionRecord(stored), record.client == identity else { return }
            snapshot.preview(record)
        case .absent: if let record = takeover?.preview() { snapshot.preview(record) }
        case .unavailable: break
        }
    }
}

extension SessionMachine {
    /// How long not to try; `nil`: it may be tried now.
    fileprivate func pauseSeconds(at now: Moment) -> Int64? {
        guard case .wait(let seconds) = need(minimumSeconds: Limits.minimumSecondsMax, at: now) else { return nil }
        return seconds
    }

    /// Whether anything is left of the access token.
    fileprivate func hasTime(at now: Moment) -> Bool {
        switch state(at: now) {
        case .signedIn(.fresh): true
        case .signedIn(.refreshing): cached.map { $0.endsAt > now.uptime } ?? false
        default: false
        }
    }
}
