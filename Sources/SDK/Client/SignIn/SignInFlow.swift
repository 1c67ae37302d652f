internal import KeyturnBase
internal import KeyturnVerify
internal import KeyturnWire

extension Keyturn {
    /// Both halves, with the browser in between.
    func authorizeInBrowser(
        _ options: SignInOptions, purpose: PendingAuthorization.Purpose
    ) async throws(AuthError) -> SignInResult {
        try await pendingSignIns.during { () async throws(AuthError) in
            try await authorizeInBrowser(options, purpose)
        }
    }

    private func authorizeInBrowser(
        _ options: SignInOptions, _ purpose: PendingAuthorization.Purpose
    ) async throws(AuthError) -> SignInResult {
        let webSession = try await browser.prepare(redirectURI: options.redirectURI)
        do throws(AuthError) {
            let pending = try await begin(options, redirectURI: webSession.redirectURI, purpose: purpose)
            let callbackURL: String
            do throws(AuthError) {
                callbackURL = try await webSession.open(pending.url, state: pending.state)
            } catch {
                await pendingSignIns.forget(state: pending.state)
                throw error
            }
            await webSession.close()
            return try await finish(pendingSignIns.claim(callbackURL, at: ambient.now()), callbackURL: callbackURL)
        } catch {
            await webSession.close()
            throw error
        }
    }

    /// The first half.
    func begin(
        _ options: SignInOptions, redirectURI: String, purpose: PendingAuthorization.Purpose
    ) async throws(AuthError) -> PendingAuthorization {
        let key = try await provider.bindingKey()
        var pending = try PendingAuthorization(
            options, redirectURI: redirectURI, purpose: purpose, service: service,
            metadata: try await provider.metadata(), keyThumbprint: key?.thumbprint, ambient: ambient)
        // A service without a place for it gets the request through the browser, as ever.
        if let url = try await provider.push(pending.request, key: key) { pending.url = url }
        await pendingSignIns.add(pending, at: ambient.now())
        return pending
    }

    /// The second half: checks the callback, trades the code, verifies the ID token, stores the session.
    func finish(_ pending: PendingAuthorization, callbackURL: String) async throws(AuthError) -> SignInResult {
        let code = try pending.code(from: callbackURL)
        var grant = try await provider.redeem(
            code: code, redirectURI: pending.redirectURI, codeVerifier: pending.proofKey.codeVerifier,
            resource: pending.resource)
        guard service.issuesIDTokens else { return try await finish(pending, with: grant) }
        guard let compact = grant.idToken else {
            throw AuthError(.protocolViolation, "the token answer has no ID token (Core §3.1.3.3)")
        }
        let verified = try await provider.idTokenVerifier().verify(
            compact, nonce: pending.isAnsweredByApp ? nil : pending.nonce, accessToken: grant.accessToken,
            maxAgeSeconds: pending.maxAgeSeconds,
            at: provider.clock.now())
        let idToken = IDToken(compact: compact, verified: verified)
        let shared = sharedSession(takenFrom: &grant, idToken)
        let record: SessionRecord
        switch pending.purpose {
        case .signIn:
            record = try await keeper.establish(grant, idToken: idToken, asked: pending.scope)
        case .signInAgain(let subject):
            record = try await keeper.replaceMethodSession(of: subject, by: grant, idToken, asked: pending.scope)
        case .reauthenticate(let before):
            guard idToken.subject == before.subject else {
                throw AuthError(.differentPerson, "sub differs from the session's")
            }
            record = try await keeper.strengthen(
                grant, idToken: idToken, isOfSession: service.wire.reauthenticatesSession)
        case .settings: throw AuthError(.callbackMismatch, "the callback answers no sign-in")
        }
        let result = try await result(
            of: record, idToken: idToken, state: pending.appState, begins: pending.purpose.begins)
        if pending.purpose.begins, let shared { try? await service.sharedSessions(ambient)?.write(shared) }
        return result
    }

    /// What is told about a session that has just begun, or of which the person was asked anew.
    ///
    /// UserInfo that cannot be had is replaced by the ID token's claims. UserInfo about another `sub` is not used, and
    /// is an error (OpenID Connect Core §5.3.2).
    ///
    /// - Parameter begins: whether the session has just begun: it ends again then, so that no session is left of a
    ///   sign-in that failed.
    func result(
        of record: SessionRecord, idToken: IDToken, state: String?, begins: Bool
    ) async throws(AuthError) -> SignInResult {
        let userInfo: UserInfo
        do throws(AuthError) {
            userInfo = try await self.userInfo(presenting: record.accessToken, subject: idToken.subject)
        } catch {
            // Without UserInfo, the ID token still says who it is.
            guard error.code == .userInfoMismatch else {
                return SignInResult(
                    idToken: idToken, userInfo: UserInfo(subject: idToken.subject, claims: idToken.claims),
                    state: state, scope: record.scope)
            }
            if begins { try? await logout(force: true) }
            throw error
        }
        return SignInResult(idToken: idToken, userInfo: userInfo, state: state, scope: record.scope)
    }

    /// The same at a service without ID tokens: who signed in is asked before the session begins.
    private func finish(
        _ pending: PendingAuthorization, with grant: TokenGrant
    ) async throws(AuthError) -> SignInResult {
        let userInfo = try await provider.userInfo(
            authorization: [("Authorization", "\(TokenType.bearer) \(grant.accessToken)")], subject: nil)
        let record = try await keeper.establish(grant, idToken: nil, asked: pending.scope)
        return SignInResult(idToken: nil, userInfo: userInfo, state: pending.appState, scope: record.scope)
    }
}
