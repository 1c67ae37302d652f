internal import KeyturnBase

extension SessionKeeper {
    /// Starts the session that a proof brought. When this returns it is durable; if it cannot be, no user has been
    /// signed in.
    ///
    /// A proof that is answered after the session was given up signs no user in: its session is given back.
    ///
    /// - Parameter before: ``timesGivenUp`` when the proof was sent.
    /// - Throws: `session.signed_out`; `store.unavailable`.
    func establish(
        _ grant: TokenGrant, claims: [String: JSONValue], projectID: String, since before: Int
    ) async throws(AuthError) {
        let now = ambient.now()
        var record = SessionRecord(
            generation: Generation(signIn: ambient.randomToken(byteCount: 16), number: 1), client: identity,
            accessToken: grant.accessToken, obtainedAt: now, expiresAt: grant.expiresInSeconds.map { now + $0 },
            refreshToken: grant.refreshToken, idToken: nil, scope: .none)
        record.userClaims = claims
        record.projectID = projectID
        guard timesGivenUp == before else { throw await givenBack(record) }
        do throws(AuthError) {
            _ = try await begin(record)
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
        abandonRenewal()
        publish()
        await afterSignIn()
    }

    /// Tells the service that the session is not wanted, if it can be told.
    private func givenBack(_ record: SessionRecord) async -> AuthError {
        try? await renewer.revoke(record, timeoutSeconds: Limits.farewellSeconds)
        return AuthError(.signedOut, "the session was given up before the proof was answered")
    }

    /// Whether a method of the project made the session that there is, and not an authorization.
    func isMadeByMethod() async throws(AuthError) -> Bool {
        _ = try await start()
        return machine.record?.projectID != nil
    }

    /// The session of a method, after the renewal under way if there is one.
    ///
    /// - Throws: `session.signed_out`; `service.unsupported` if an authorization made it; `store.unavailable`.
    func methodSession() async throws(AuthError) -> (signIn: String, refreshToken: String) {
        _ = try await start()
        if renewal != nil { _ = try? await joinRenewal() }
        guard let record = machine.record else { throw AuthError(.signedOut, "nobody is signed in") }
        guard record.projectID != nil, let refreshToken = record.refreshToken else {
            throw AuthError(.unsupported, "the session was not made by a method of the project")
        }
        return (record.generation.signIn, refreshToken)
    }

    /// Puts the tokens of a changed session in the place of those it was made from.
    ///
    /// - Throws: `session.signed_out` if that session is not the one any more; `store.unavailable`.
    func replaceTokens(of signIn: String, by grant: TokenGrant) async throws(AuthError) {
        let replacement = RecordReplacement(telling: .refreshed) { current, now in
            guard current.generation.signIn == signIn else {
                return .failure(AuthError(.signedOut, "that session is not the one any more"))
            }
            return .success(current.renewed(by: grant, at: now))
        }
        _ = try await run(replacement).get()
    }
}
