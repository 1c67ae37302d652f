internal import KeyturnBase
internal import KeyturnWire

/// The sign-ins under way in one container, each until its callback comes or its time is over.
actor PendingSignIns {
    private var pending: [PendingAuthorization] = []
    private var running = 0

    /// Remembers one; forgets those whose time is over, and the oldest when there are too many.
    func add(_ authorization: PendingAuthorization, at now: UnixTime) {
        pending.removeAll { $0.expiresAt <= now }
        if pending.count >= Limits.pendingMax { pending.removeFirst() }
        pending.append(authorization)
    }

    /// The sign-in that a callback answers. It can be claimed once.
    ///
    /// - Parameters:
    ///   - callbackURL: The URL that the browser was sent to.
    ///   - now: The time.
    ///   - isMeant: Whether the caller finishes what has this purpose: what another caller finishes stays.
    /// - Throws: `sign_in.callback_mismatch` if there is none.
    func claim(
        _ callbackURL: String, at now: UnixTime, where isMeant: @Sendable (PendingAuthorization.Purpose) -> Bool
    ) throws(AuthError) -> PendingAuthorization {
        let state = try Callback.parse(callbackURL).response.state
        guard let state, let index = pending.firstIndex(where: { $0.state == state && isMeant($0.purpose) }) else {
            throw AuthError(.callbackMismatch, "the callback answers no sign-in under way")
        }
        let found = pending.remove(at: index)
        guard now < found.expiresAt else { throw AuthError(.callbackMismatch, "the sign-in took too long") }
        return found
    }

    /// The sign-in that a callback answers: no change of the settings.
    ///
    /// - Throws: `sign_in.callback_mismatch` if there is none.
    func claim(_ callbackURL: String, at now: UnixTime) throws(AuthError) -> PendingAuthorization {
        try claim(callbackURL, at: now) { if case .settings = $0 { false } else { true } }
    }

    /// Whether a callback answers a sign-in that is under way, at the address that it was to come back to.
    func expects(_ callbackURL: String, at now: UnixTime) -> Bool {
        guard let (base, response) = try? Callback.parse(callbackURL), let state = response.state else { return false }
        return pending.contains { pending in
            if case .settings = pending.purpose { return false }
            return pending.state == state && now < pending.expiresAt && URLText.split(pending.redirectURI)?.base == base
        }
    }

    /// Whether none is under way: none waits for its callback, and none runs.
    func isEmpty(at now: UnixTime) -> Bool {
        running == 0 && pending.allSatisfy { $0.expiresAt <= now }
    }

    /// Counts a sign-in as under way while it runs, callback or not: from its device key to its stored session.
    nonisolated(nonsending) func during<Value>(
        _ signIn: () async throws(AuthError) -> Value
    ) async throws(AuthError) -> Value {
        await count(1)
        do throws(AuthError) {
            let value = try await signIn()
            await count(-1)
            return value
        } catch {
            await count(-1)
            throw error
        }
    }

    private func count(_ change: Int) {
        running += change
    }

    /// Gives one up.
    func forget(state: String) {
        pending.removeAll { $0.state == state }
    }
}
