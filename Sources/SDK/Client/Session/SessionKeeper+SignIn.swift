internal import KeyturnBase
internal import KeyturnWire

extension SessionKeeper {
    /// Makes sure that a session could be stored, before a person is bothered.
    ///
    /// What is stored and can never be used again is no hindrance: the sign-in replaces it.
    ///
    /// - Throws: `configuration.invalid` if the name holds another client's session; `store.unavailable`.
    func checkStore() async throws(AuthError) {
        await (plain as? any PlacedStore)?.settle()
        if case .found(let stored) = await plain.read(container) { try refuseForeign(stored) }
        do throws(AuthError) {
            await (try store.lock(container, timeoutSeconds: Limits.lockSeconds))?.unlock()
        } catch {
            // What is stored can never be used again, and gives way.
            guard error.isAboutStoredRecord else { throw error }
        }
    }

    /// Stores a new session over an earlier one of the same client. Looking and replacing are one step: another
    /// client's session that comes in between is not replaced either.
    ///
    /// - Throws: `configuration.invalid` if the name holds another client's session; `store.unavailable`.
    func writeSignIn(_ record: SessionRecord, to store: any SessionStore) async throws(AuthError) -> StoreOutcome {
        try await (store as? any PlacedStore)?.claimOnSignIn()
        for _ in 0..<Limits.fileRetries {
            let condition: StoreCondition
            switch await store.read(container) {
            case .absent: condition = .absent
            // What cannot be read is a session no more.
            case .unavailable: condition = .always
            case .found(let stored):
                try refuseForeign(stored)
                condition = .generation(stored.generation)
            }
            if try await store.write(record.stored, for: container, when: condition) == .done {
                await takeover?.signedIn()
                await forgetEnd()
                return .done
            }
        }
        throw AuthError(.storeUnavailable, "the store changes all the time")
    }

    private func refuseForeign(_ stored: StoredRecord) throws(AuthError) {
        guard let client = try? SessionRecord(stored).client, client != identity else { return }
        throw AuthError(
            .misconfigured,
            "the name \(container) holds a session of \(client.clientID) at \(client.issuer): give this container "
                + "another name, or sign out there first")
    }

    /// Starts a session. When this returns it is durable; if it cannot be, no user has been signed in.
    ///
    /// - Parameters:
    ///   - grant: Its tokens.
    ///   - idToken: Whose they are; `nil`: the service issues none.
    ///   - asked: The scope, if the answer names none.
    ///   - before: ``timesGivenUp`` when it was asked for: given up meanwhile, it is given back. `nil`: it begins anyway.
    ///   - isSilent: Whether ``afterSignIn`` is not told.
    func establish(
        _ grant: TokenGrant, idToken: IDToken?, asked: Scope, since before: Int? = nil, isSilent: Bool = false
    ) async throws(AuthError) -> SessionRecord {
        let new = record(of: grant, idToken: idToken, asked: asked)
        let established = if let before { try await begin(new, since: before) } else { try await begin(new) }
        if !isSilent { await afterSignIn() }
        return established
    }

    private func record(of grant: TokenGrant, idToken: IDToken?, asked: Scope) -> SessionRecord {
        let now = ambient.now()
        return SessionRecord(
            generation: Generation(signIn: ambient.randomToken(byteCount: 16), number: 1), client: identity,
            accessToken: grant.accessToken, obtainedAt: now,
            expiresAt: grant.expiresInSeconds.map { now + $0 }, refreshToken: grant.refreshToken, idToken: idToken,
            scope: grant.scope ?? asked, isSenderConstrained: grant.isSenderConstrained,
            keyThumbprint: grant.keyThumbprint, deviceSecret: grant.deviceSecret, serviceDetails: serviceDetails)
    }

    /// Starts a session in the place of one that a method made for the same user, which then ends at the service.
    ///
    /// - Throws: `sign_in.different_person` if another user signed in: the new session is given back; `session.signed_out`
    ///   if no user is signed in any more; `store.unavailable`.
    func replaceMethodSession(
        of subject: String, by grant: TokenGrant, _ idToken: IDToken, asked: Scope
    ) async throws(AuthError) -> SessionRecord {
        let error: AuthError
        if idToken.subject != subject {
            error = AuthError(.differentPerson, "sub differs from the session's")
        } else if let old = machine.record, old.userClaims?["sub"]?.stringValue == subject {
            let established = try await establish(grant, idToken: idToken, asked: asked)
            try? await renewer.revoke(old, timeoutSeconds: Limits.farewellSeconds)
            return established
        } else {
            error = AuthError(.signedOut, "the session was given up meanwhile")
        }
        let refused = record(of: grant, idToken: idToken, asked: asked)
        try? await renewer.revoke(refused, timeoutSeconds: Limits.farewellSeconds)
        throw error
    }

    /// ``begin(_:)``, unless the container's session was given up since: then this one is given back.
    ///
    /// - Parameter before: ``timesGivenUp`` when it was asked for.
    /// - Throws: `session.signed_out`; `store.unavailable`.
    func begin(_ record: SessionRecord, since before: Int) async throws(AuthError) -> SessionRecord {
        guard timesGivenUp == before else { throw await givenBack(record) }
        let established: SessionRecord
        do throws(AuthError) {
            established = try await begin(record)
        } catch {
            _ = await givenBack(record)
            throw error
        }
        guard timesGivenUp == before else {
            // Given up while it was being stored.
            _ = try? await store.remove(container, when: .generation(record.generation))
            if machine.record?.generation.signIn == record.generation.signIn { machine.signOut() }
            publish()
            throw await givenBack(record)
        }
        return established
    }

    /// Tells the service that the session is not wanted, if it can be told.
    private func givenBack(_ record: SessionRecord) async -> AuthError {
        try? await renewer.revoke(record, timeoutSeconds: Limits.farewellSeconds)
        return AuthError(.signedOut, "the session was given up before the sign-in was answered")
    }

    /// Stores a new session in the place of the one that counts, and takes it up.
    ///
    /// It never goes into a store that keeps a session apart: what is there stays there, for its user to open again.
    func begin(_ record: SessionRecord) async throws(AuthError) -> SessionRecord {
        guard context.separateStore != nil else {
            let established = try await run(SignInRecording(record)).get()
            abandonRenewal()
            publish()
            return established
        }
        let next = SessionContext(store: plain)
        let established = try await run(SignInRecording(record), in: next).get()
        succeed(with: next)
        resumeWaiters(.failure(AuthError(.signedOut, "somebody signed in while the session was renewed")))
        return established
    }

    /// Puts a reauthentication's tokens into the session of the same person.
    ///
    /// - Parameter isOfSession: Whether an answer without a refresh token is about the session that there is: its
    ///   tokens then stay, and only what is known of the sign-in changes.
    /// - Throws: `session.signed_out` if that session is over; `sign_in.different_person`; `store.unavailable`.
    func strengthen(
        _ grant: TokenGrant, idToken: IDToken, isOfSession: Bool
    ) async throws(AuthError) -> SessionRecord {
        let replacement = RecordReplacement(telling: .reauthenticated) { current, now in
            guard current.isOfUser(named: idToken) else {
                return .failure(AuthError(.differentPerson, "sub differs from the session's"))
            }
            if isOfSession, grant.refreshToken == nil, current.refreshToken != nil {
                var same = current
                same.generation = current.generation.next
                same.idToken = idToken
                same.needsInteraction = false
                return .success(same)
            }
            var next = current.renewed(by: grant, at: now)
            next.idToken = idToken
            if grant.refreshToken == nil {
                next.scope = current.scope
            } else {
                next.keyThumbprint = grant.keyThumbprint
            }
            return .success(next)
        }
        return try await run(replacement).get()
    }
}
