internal import KeyturnBase
internal import KeyturnWire

extension SessionKeeper {
    /// Makes sure that a session could be stored, before a person is bothered.
    func checkStore() async throws(AuthError) {
        let lock = try await store.lock(container, timeoutSeconds: Limits.lockSeconds)
        await lock.unlock()
    }

    /// Starts a session. When this returns it is durable; if it cannot be, nobody has been signed in.
    func establish(_ grant: TokenGrant, idToken: IDToken, asked: Scope) async throws(AuthError) -> SessionRecord {
        let now = ambient.now()
        let record = SessionRecord(
            generation: Generation(signIn: ambient.randomToken(byteCount: 16), number: 1), client: identity,
            accessToken: grant.accessToken, obtainedAt: now,
            expiresAt: grant.expiresInSeconds.map { now + $0 }, refreshToken: grant.refreshToken, idToken: idToken,
            scope: grant.scope ?? asked)
        let lock = try await store.lock(container, timeoutSeconds: Limits.renewalLockSeconds)
        do throws(AuthError) {
            try await store.write(record.stored, for: container)
        } catch {
            await lock.unlock()
            throw error
        }
        abandonRenewal()
        await handle(.signedIn(record))
        await lock.unlock()
        return record
    }

    /// Puts a reauthentication's tokens into the session of the same person.
    ///
    /// - Throws: `session.signed_out` if that session is over; `sign_in.different_person`; `store.unavailable`.
    func strengthen(_ grant: TokenGrant, idToken: IDToken) async throws(AuthError) -> SessionRecord {
        let lock = try await store.lock(container, timeoutSeconds: Limits.renewalLockSeconds)
        await rereadLocked()
        do throws(AuthError) {
            let record = try await strengthenLocked(grant, idToken: idToken)
            await lock.unlock()
            return record
        } catch {
            await lock.unlock()
            throw error
        }
    }

    private func strengthenLocked(_ grant: TokenGrant, idToken: IDToken) async throws(AuthError) -> SessionRecord {
        guard let current = machine.record else {
            throw AuthError(.signedOut, "signed out while reauthenticating")
        }
        guard let subject = current.idToken?.subject, subject == idToken.subject else {
            throw AuthError(.differentPerson, "sub differs from the session's")
        }
        var next = current.renewed(by: grant, at: ambient.now())
        next.idToken = idToken
        if grant.refreshToken == nil { next.scope = current.scope }
        try await store.write(next.stored, for: container)
        await handle(.reauthenticated(next, from: current.generation))
        return next
    }
}
