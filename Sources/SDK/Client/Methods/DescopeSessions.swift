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
        _ = try await begin(record, since: before)
        pendingFactor = nil
        abandonRenewal()
        publish()
        await afterSignIn()
    }

    /// Whether a method of the project made the session that there is, and not an authorization.
    func isMadeByMethod() async throws(AuthError) -> Bool {
        _ = try await start()
        return machine.record?.projectID != nil
    }

    /// The user of a session that a method made; `nil` if an authorization made it.
    ///
    /// - Throws: `session.signed_out`; `store.unavailable`.
    func methodUser() async throws(AuthError) -> (subject: String, loginID: String?)? {
        _ = try await start()
        guard let record = machine.record else { throw AuthError(.signedOut, "no user is signed in") }
        guard record.projectID != nil, let claims = record.userClaims, let subject = claims["sub"]?.stringValue else {
            return nil
        }
        return (subject, claims["loginIds"]?.stringArrayValue?.first)
    }

    /// The session as methods present it, after the renewal under way if there is one.
    ///
    /// - Throws: `session.signed_out`; `service.unsupported` if it has no refresh token, or an authorization made it
    ///   and it is not bound to this device; `store.unavailable`.
    func presentableSession() async throws(AuthError) -> PresentableSession {
        _ = try await start()
        if renewal != nil { _ = try? await joinRenewal() }
        guard let record = machine.record else { throw AuthError(.signedOut, "nobody is signed in") }
        guard let token = record.refreshToken.map({ Secret($0) }) else {
            throw AuthError(.unsupported, "the session has no refresh token")
        }
        let credential: MethodEndpoint.Credential
        if record.projectID != nil {
            credential = .refreshJWT(token)
        } else if let thumbprint = record.keyThumbprint {
            credential = .appSession(refreshToken: token, keyThumbprint: thumbprint)
        } else {
            throw AuthError(
                .unsupported,
                "an authorization made this session, and it is not bound to this device: sign in with "
                    + "binding .refreshToken, or by a method")
        }
        return PresentableSession(
            signIn: record.generation.signIn, isOfProject: record.projectID != nil, credential: credential)
    }

    /// Takes up what a step-up wrote into the session of an authorization: new tokens, which carry it.
    ///
    /// - Parameter subject: The user of whom the service says it.
    /// - Returns: The session token, and what the session keeps about the user.
    /// - Throws: `session.signed_out`; `sign_in.different_person`; as a renewal. The service knows of the step-up then,
    ///   and the next renewal brings it.
    func steppedUp(_ subject: String) async throws(AuthError) -> SessionToken {
        guard let record = machine.record else { throw AuthError(.signedOut, "the session was given up meanwhile") }
        guard record.projectID == nil, record.idToken?.subject ?? subject == subject else {
            throw AuthError(.differentPerson, "the service speaks of another user's session")
        }
        // A renewal that was sent before the step-up may bring the old facts.
        if renewal != nil { _ = try? await joinRenewal() }
        guard let token = SessionToken(Secret(try await forceRefresh())) else {
            throw AuthError(.protocolViolation, "the renewed access token is no JWT")
        }
        return token
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

/// A session, and what a method presents of it.
struct PresentableSession: Sendable {
    let signIn: String
    /// Whether a method made it, and not an authorization.
    let isOfProject: Bool
    let credential: MethodEndpoint.Credential
}
