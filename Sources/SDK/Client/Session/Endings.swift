internal import KeyturnBase

extension SessionKeeper {
    /// See ``Keyturn/logout(force:)``.
    func logout(force: Bool) async throws(AuthError) {
        if force { try await leaveAtOnce() } else { try await leaveInOrder() }
    }

    /// First the server, then this machine, or neither.
    private func leaveInOrder() async throws(AuthError) {
        let lock = try await store.lock(container, timeoutSeconds: Limits.lockSeconds)
        do throws(AuthError) {
            try await leaveLocked()
            await lock.unlock()
        } catch {
            await lock.unlock()
            throw error
        }
    }

    private func leaveLocked() async throws(AuthError) {
        let reading = await read()
        if case .unavailable(let error) = reading { throw error }
        await handle(.read(reading))
        guard let record = machine.record else { return }
        try await revoke(record, timeoutSeconds: Limits.requestSeconds)
        try await store.remove(container)
        abandonRenewal()
        await handle(.signedOut)
    }

    /// First this machine, then the server if it can be reached.
    private func leaveAtOnce() async throws(AuthError) {
        let known = machine.record
        abandonRenewal()
        await handle(.signedOut)
        // Whoever holds the lock looks into the store before writing, so going on without it loses nothing.
        let lock = try? await store.lock(container, timeoutSeconds: Limits.forcedLockSeconds)
        let reading = await read()
        let failure = await removal(after: reading)
        // A record that was read, or arrived in memory, while waiting for the lock is given up with the rest.
        await handle(.signedOut)
        await lock?.unlock()
        var record = known
        if case .found(let stored) = reading { record = stored }
        if let record { try? await revoke(record, timeoutSeconds: Limits.farewellSeconds) }
        if let failure { throw failure }
    }

    /// Removes what is stored, also when it cannot be read; `absent` may mean another client's, which stays.
    private func removal(after reading: SessionMachine.Reading) async -> AuthError? {
        if case .absent = reading { return nil }
        do throws(AuthError) {
            try await store.remove(container)
            return nil
        } catch {
            return error
        }
    }

    private func revoke(_ record: SessionRecord, timeoutSeconds: Int) async throws(AuthError) {
        try await renewer.revoke(
            record.refreshToken ?? record.accessToken, isRefreshToken: record.refreshToken != nil,
            timeoutSeconds: timeoutSeconds)
    }
}
