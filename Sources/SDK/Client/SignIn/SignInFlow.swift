internal import KeyturnBase
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
        let metadata = try await provider.metadata()
        // What the second half cannot do without is missed here, before a person is shown a page.
        _ = try metadata.endpoint(.tokenEndpoint)
        if service.issuesIDTokens { _ = try metadata.endpoint(.jwksURI) }
        var pending = try PendingAuthorization(
            options, redirectURI: redirectURI, purpose: purpose, service: service, metadata: metadata,
            keyThumbprint: key?.thumbprint, ambient: ambient)
        // A service without a place for it gets the request through the browser, as ever.
        if let url = try await provider.push(pending.request, key: key) { pending.url = url }
        await pendingSignIns.add(pending, at: ambient.now())
        return pending
    }

    /// The second half: checks the callback, trades the code, verifies the ID token, stores the session.
    func finish(_ pending: PendingAuthorization, callbackURL: String) async throws(AuthError) -> SignInResult {
        let code = try pending.code(from: callbackURL)
        let grant = try await provider.redeem(
            code: code, redirectURI: pending.redirectURI, codeVerifier: pending.proofKey.codeVerifier,
            resource: pending.resource)
        guard service.issuesIDTokens else { return try await finish(pending, with: grant) }
        let session = try await begunSession(by: grant, for: pending, callbackURL)
        let result = try await result(
            of: session.record, idToken: session.idToken, state: pending.appState, begins: pending.purpose.begins)
        if pending.purpose.begins, let shared = session.shared {
            try? await service.sharedSessions(ambient)?.write(shared)
        }
        return result
    }

    /// Verifies the ID token and stores the session. If that fails, the grant is given back.
    private func begunSession(
        by granted: TokenGrant, for pending: PendingAuthorization, _ callbackURL: String
    ) async throws(AuthError) -> (record: SessionRecord, idToken: IDToken, shared: SharedSession?) {
        var grant = granted
        var subject: String?
        do throws(AuthError) {
            let idToken = try await provider.idToken(
                of: grant, nonce: pending.isAnsweredByApp ? nil : pending.nonce, maxAgeSeconds: pending.maxAgeSeconds)
            subject = idToken.subject
            try Callback.check(callbackURL, against: idToken)
            let shared = sharedSession(takenFrom: &grant, idToken)
            return (try await recorded(grant, idToken, pending), idToken, shared)
        } catch {
            await giveBack(granted, of: subject)
            throw error
        }
    }

    /// Stores what was granted, as the sign-in's purpose says.
    private func recorded(
        _ grant: TokenGrant, _ idToken: IDToken, _ pending: PendingAuthorization
    ) async throws(AuthError) -> SessionRecord {
        switch pending.purpose {
        case .signIn:
            return try await keeper.establish(grant, idToken: idToken, asked: pending.scope)
        case .signInAgain(let subject):
            return try await keeper.replaceMethodSession(of: subject, by: grant, idToken, asked: pending.scope)
        case .reauthenticate(let before):
            guard idToken.subject == before.subject else {
                throw AuthError(.differentPerson, "sub differs from the session's")
            }
            return try await keeper.strengthen(
                grant, idToken: idToken, isOfSession: service.wire.reauthenticatesSession)
        case .settings: throw AuthError(.callbackMismatch, "the callback answers no sign-in")
        }
    }

    /// What is told about a session that has just begun, or of which the person was asked anew.
    ///
    /// UserInfo that cannot be had is replaced by the ID token's claims, and the log is told why. UserInfo about
    /// another `sub` is not used, and is an error (OpenID Connect Core §5.3.2).
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
                provider.logger?.log(
                    .info,
                    "userinfo: the ID token's claims are used, because \(error.detail)" + KeyturnLogger.text(error))
                return SignInResult(
                    idToken: idToken,
                    userInfo: UserInfo(subject: idToken.subject, claims: idToken.claims, source: .idToken),
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
        var subject: String?
        do throws(AuthError) {
            let userInfo = try await provider.userInfo(
                authorization: [("Authorization", "\(TokenType.bearer) \(grant.accessToken)")], subject: nil)
            subject = userInfo.subject
            let record = try await keeper.establish(grant, idToken: nil, asked: pending.scope)
            return SignInResult(idToken: nil, userInfo: userInfo, state: pending.appState, scope: record.scope)
        } catch {
            await giveBack(grant, of: subject)
            throw error
        }
    }

    /// Gives a grant back of which no session came (RFC 7009), as far as the service can be told.
    ///
    /// Not while the container has a session that may be the same user's: some providers end everything that a user
    /// granted a client with one token of it, and the failure would cost the session that stands.
    ///
    /// - Parameter subject: The user, if an ID token or the service has said so.
    func giveBack(_ grant: TokenGrant, of subject: String?) async {
        do throws(AuthError) {
            _ = try await keeper.start()
        } catch {
            // What can never be read again is no session; what cannot be read now may be one.
            guard error.code == .storeKeyLost else { return }
        }
        if let record = await keeper.machine.record {
            guard let subject, let other = ManagedSession(record).subject, other != subject else { return }
        }
        // Unstructured on purpose: a sign-in whose task was cancelled gives its grant back as well.
        let farewell = Task { [provider] in
            _ = try? await provider.revoke(grant, timeoutSeconds: Limits.farewellSeconds)
        }
        await farewell.value
    }
}
