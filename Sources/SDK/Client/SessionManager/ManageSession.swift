public import KeyturnBase

/// Taking up and giving up.
extension SessionManager {
    /// Takes up a session that some sign-in produced, in place of whatever was there.
    ///
    /// ``session`` is `session` at once; stored it is a moment later. If that fails, what was there before is there
    /// again, and delegates are told. To wait for it, use ``storeSession(_:)``.
    public func manageSession(_ session: ManagedSession) {
        enqueue(session, { keeper in await Result { try await keeper.takeUp(session) } }, then: report)
    }

    /// ``manageSession(_:)``, and waits until the session is durable.
    ///
    /// - Throws: `store.unavailable`, and what was there before still is; `token.malformed` for a token that no header
    ///   can hold.
    public func storeSession(_ session: ManagedSession) async throws(AuthError) {
        try await enqueue(session) { keeper in await Result { try await keeper.takeUp(session) } }
    }

    /// Replaces what is known about the person of the session at hand; does nothing if there is none.
    public func updateUser(with claims: [String: JSONValue]) {
        guard var session else { return }
        session.userClaims = claims
        let updated = session
        enqueue(updated, { keeper in await Result { try await keeper.replaceUserClaims(of: updated) } }, then: report)
    }

    /// Forgets the session on this machine, without telling the server; ``Keyturn/logout(force:)`` tells it.
    ///
    /// ``session`` is `nil` at once; removed from the store it is a moment later. To wait for that, use
    /// ``removeSession()``.
    public func clearSession() {
        enqueue(nil, { keeper in await Result { try await keeper.forget() } }, then: report)
    }

    /// ``clearSession()``, and waits until nothing is stored any more.
    ///
    /// - Throws: `store.unavailable` if the stored session could not be removed: this process has forgotten it, the
    ///   next one will find it.
    public func removeSession() async throws(AuthError) {
        try await enqueue(nil) { keeper in await Result { try await keeper.forget() } }
    }

    private typealias Outcome = Result<Void, AuthError>

    private func enqueue(
        _ session: ManagedSession?, _ work: @escaping @Sendable (SessionKeeper) async -> Outcome,
        then done: @escaping @Sendable (Outcome) -> Void
    ) {
        // One step, so that what is shown last is what is done last.
        intents.withLock { open in
            let id = open.next
            open.next += 1
            open.open.append((id, session))
            tasks.add { [intents] keeper in
                let outcome = await work(keeper)
                intents.withLock { $0.open.removeAll { $0.id == id } }
                done(outcome)
            }
        }
    }

    private func enqueue(
        _ session: ManagedSession?, _ work: @escaping @Sendable (SessionKeeper) async -> Outcome
    ) async throws(AuthError) {
        let outcome: Outcome = await withCheckedContinuation { waiter in
            enqueue(session, work) { waiter.resume(returning: $0) }
        }
        try outcome.get()
    }

    private var report: @Sendable (Outcome) -> Void {
        { [bell] outcome in
            if case .failure(let error) = outcome { bell.yield(.failed(error)) }
        }
    }
}
