internal import KeyturnBase

/// How a session gets into a vault, and out of it again.
extension SessionKeeper {
    /// Forgets the key and the session. What is sealed stays, and no server is told.
    ///
    /// - Parameter user: Only if it is theirs; `nil`: any user's.
    func lockVault(of user: String? = nil) {
        guard let opened = context.opened, user == nil || opened.user == user else { return }
        startAnew(.locked)
        resumeWaiters(.failure(AuthError(.vaultLocked, "the vault was locked while the session was renewed")))
    }

    /// Takes a session out of the vault, in the place of the user who was signed in here.
    ///
    /// - Throws: `vault.incomplete` if it is not there any more; `vault.damaged`; `store.unavailable`.
    func unlock(
        _ opened: OpenedVault, _ records: VaultRecords, storesRenewals: Bool
    ) async throws(AuthError) {
        let store = VaultedStore(records, opened, storesRenewals: storesRenewals)
        let next = SessionContext(separateStore: store)
        guard var record = try await found(next) else {
            throw AuthError(.vaultIncomplete, "no session is kept for this user")
        }
        let left = await plain.read(container)
        // What was on its way into the vault when the program ended may have been renewed since.
        if case .found(let stored) = left, let newer = try? SessionRecord(stored), newer.client == identity,
            newer.generation.isLater(than: record.generation)
        {
            guard try await store.write(stored, for: container, when: .generation(record.generation)) == .done else {
                throw AuthError(.storeUnavailable, "the vault changed while it was unlocked: try again")
            }
            record = newer
        }
        if case .found(let stored) = left {
            try await takeover?.retire()
            _ = try await plain.remove(container, when: .generation(stored.generation))
            _ = await takeover?.finish()
        }
        record.isUnsealed = true
        next.machine.adopt(record, .unlocked, isDurable: true, at: ambient.moment())
        succeed(with: next)
        resumeWaiters(.failure(AuthError(.signedOut, "somebody else's session was unlocked meanwhile")))
    }

    /// Moves the session into the vault: what is sealed is durable before what was plain is removed.
    ///
    /// - Parameters:
    ///   - opened: The vault of the user whose session it must be.
    ///   - making: Told what the vault keeps for the user, and makes what it is to keep, without the session.
    /// - Throws: `session.signed_out` if it is another user's by now; `transport.unavailable` while another process
    ///   renews it.
    func moveIntoVault(
        _ opened: OpenedVault, _ records: VaultRecords, storesRenewals: Bool = true,
        making: @escaping @Sendable (VaultRecord?) throws(AuthError) -> VaultRecord
    ) async throws(AuthError) {
        let context = context
        guard let lock = try await context.store.lock(container, timeoutSeconds: Limits.renewalLockSeconds) else {
            throw AuthError(.unavailable, "the session is being renewed: try again")
        }
        let result: Result<SessionContext, AuthError>
        do throws(AuthError) {
            result = .success(try await seal(from: context, opened, records, making))
        } catch {
            result = .failure(error)
        }
        await lock.unlock()
        let next = try result.get()
        guard context === self.context else { throw AuthError(.signedOut, "the session was given up meanwhile") }
        next.machine.takeOver(context.machine)
        succeed(with: next)
        // A caller that waits for a token gets it from the same session where it is now.
        if !waiters.isEmpty { startRenewal() }
    }

    private func seal(
        from context: SessionContext, _ opened: OpenedVault, _ records: VaultRecords,
        _ making: @Sendable (VaultRecord?) throws(AuthError) -> VaultRecord
    ) async throws(AuthError) -> SessionContext {
        let ambient = ambient
        for _ in 0..<Limits.vaultRetries {
            guard let stored = try await found(context) else { throw AuthError(.signedOut, "nobody is signed in") }
            context.machine.absorb(.found(stored), at: ambient.moment())
            guard let record = context.machine.record, record.userID == opened.user else {
                throw AuthError(.signedOut, "somebody else is signed in by now")
            }
            try await records.update(opened.user) { (old) throws(AuthError) in
                var next = try making(old)
                try next.seal(record.stored, opened.key, ambient: ambient)
                return next
            }
            if context.opened == nil {
                try await takeover?.retire()
                let outcome = try await context.store.remove(container, when: .generation(stored.generation))
                guard outcome == .done else { continue }
                _ = await takeover?.finish()
            }
            if context.machine.isCurrent(record.generation) {
                context.machine.replaceQuietly(record, isDurable: true)
            }
            return SessionContext(separateStore: VaultedStore(records, opened, storesRenewals: true))
        }
        throw AuthError(.storeUnavailable, "the session changes all the time")
    }

    private func found(_ context: SessionContext) async throws(AuthError) -> SessionRecord? {
        switch await read(context) {
        case .absent: return nil
        case .unavailable(let error): throw error
        case .found(let record): return record
        }
    }

    /// Whose session this is.
    ///
    /// - Throws: `session.signed_out`; `vault.no_user` if it does not say.
    func requireUser() async throws(AuthError) -> String {
        _ = try await start()
        guard let record = machine.record else { throw AuthError(.signedOut, "nobody is signed in") }
        guard let user = record.userID, !user.isEmpty else {
            throw AuthError(.vaultNoUser, "the session does not say whose it is")
        }
        return user
    }

    /// The vault that is unlocked; `nil`: none is.
    var opened: OpenedVault? { context.opened }

    /// The vault that is unlocked.
    ///
    /// - Throws: `vault.locked`.
    func requireOpened() throws(AuthError) -> OpenedVault {
        guard let opened = context.opened else { throw AuthError(.vaultLocked, "nobody has unlocked the vault") }
        return opened
    }

    /// The same session with another key.
    func reopen(_ opened: OpenedVault, _ records: VaultRecords) {
        guard context.opened?.user == opened.user else { return }
        let next = SessionContext(separateStore: VaultedStore(records, opened, storesRenewals: true))
        next.machine.takeOver(context.machine)
        succeed(with: next)
        if !waiters.isEmpty { startRenewal() }
    }
}

extension SessionRecord {
    /// Whose session it is: by the verified ID token, else by what the service said, else by what a token says of
    /// itself.
    var userID: String? {
        idToken?.subject ?? userClaims?["sub"]?.stringValue ?? refreshToken.flatMap { TokenData($0)?.userID }
            ?? TokenData(accessToken)?.userID
    }
}

extension SessionContext {
    /// The vault that keeps the session; `nil`: none does.
    fileprivate var opened: OpenedVault? { (separateStore as? VaultedStore)?.opened }
}
