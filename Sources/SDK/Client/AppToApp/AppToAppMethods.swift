public import KeyturnBase
internal import KeyturnJose
internal import KeyturnVerify
internal import KeyturnWire

extension Keyturn {
    /// Signs users in by another app of the vendor, and the other way round.
    public var appToApp: AppToAppMethods { AppToAppMethods(container: self) }
}

/// One app of a vendor signs another one in, by links between the two (Authgear's app-to-app). Reached as
/// ``Keyturn/appToApp``.
public struct AppToAppMethods: Sendable {
    let container: Keyturn

    /// The first half of a sign-in by another app: the link to open.
    ///
    /// The second half is ``finish(callbackURL:)``, in the same container and within ten minutes.
    ///
    /// - Parameters:
    ///   - authorizationEndpoint: The other app's address for such links: a universal link, which no other app can claim.
    ///   - redirectURI: This app's address for the answer, registered for its client; a universal link as well.
    ///   - state: Comes back in ``SignInResult/state``.
    /// - Throws: `transport.unavailable`, `protocol.violation`, `configuration.invalid`.
    public func start(
        opening authorizationEndpoint: String, redirectURI: String, state: String? = nil
    ) async throws(AuthError) -> String {
        var options = SignInOptions(redirectURI: redirectURI)
        options.state = state
        var pending = try PendingAuthorization(
            options, redirectURI: redirectURI, purpose: .signIn, service: container.service,
            metadata: try await container.provider.metadata(), keyThumbprint: nil, ambient: container.ambient)
        pending.isAnsweredByApp = true
        pending.url = URLText.adding(
            FormParameters([
                "client_id": container.service.clientID, "redirect_uri": redirectURI,
                "code_challenge_method": PKCE.method, "code_challenge": pending.proofKey.codeChallenge,
                "state": pending.state,
            ]), to: authorizationEndpoint)
        await container.pendingSignIns.add(pending, at: container.ambient.now())
        return pending.url
    }

    /// ``start(opening:redirectURI:state:)``, and opens the link.
    ///
    /// - Throws: What the opener throws, `service.unsupported` if no app takes the link: sign in with a browser then.
    public func start(
        opening authorizationEndpoint: String, redirectURI: String, state: String? = nil, with opener: any AppLinkOpener
    ) async throws(AuthError) {
        try await opener.open(try await start(opening: authorizationEndpoint, redirectURI: redirectURI, state: state))
    }

    /// The second half: takes the link with which the other app answered.
    ///
    /// - Throws: `sign_in.cancelled` if the user declined there; `sign_in.callback_mismatch` if it answers no sign-in
    ///   under way; otherwise as ``Keyturn/authorize(_:)``.
    @discardableResult
    public func finish(callbackURL: String) async throws(AuthError) -> SignInResult {
        try await container.keeper.checkStore()
        return try await container.finishAuthorization(callbackURL: callbackURL)
    }

    /// Signs the app that asks in, as the user of this session: call it after the user agreed on a screen that names both.
    ///
    /// The session must be bound to a key on this device. It goes on as it is.
    ///
    /// - Returns: The link to open, which answers the app. It holds a code that is worth nothing without that app.
    /// - Throws: `session.signed_out`; `session.ended`; `service.unsupported` for a session that is bound to no key, or at
    ///   a service that is no Keyturn server; `server.refused` if the client is none of the operator's, if the redirect
    ///   address is not registered for it, or if it wants more proof than this session had.
    public func approve(_ request: AppToAppRequest) async throws(AuthError) -> String {
        guard container.service.kind == .keyturn else {
            throw AuthError(.unsupported, "apps are signed in at a Keyturn server")
        }
        for isLast in [false, true] {
            _ = try await container.keeper.start()
            guard let record = await container.keeper.machine.record else {
                throw AuthError(.signedOut, "nobody is signed in")
            }
            guard let token = record.refreshToken, let thumbprint = record.keyThumbprint else {
                throw AuthError(.unsupported, "only a session that is bound to a key signs other apps in")
            }
            do throws(AuthError) {
                let code = try await container.provider.code(for: request, refreshToken: token, boundTo: thumbprint)
                return request.answer(["code": code])
            } catch {
                // The token may have been replaced meanwhile. Whether the session is over, its renewal says.
                guard error.server?.code == OAuthProblem.Code.invalidGrant.rawValue, !isLast else { throw error }
                _ = try await container.forceRefresh()
            }
        }
        throw AuthError(.unavailable, "the session changed meanwhile: try again")
    }

    /// ``approve(_:)``, and opens the answer.
    public func approve(_ request: AppToAppRequest, with opener: any AppLinkOpener) async throws(AuthError) {
        try await opener.open(try await approve(request))
    }

    /// Declines.
    ///
    /// - Parameters:
    ///   - request: What was asked for.
    ///   - reason: A sentence for the developers of the other app; no secrets.
    /// - Returns: The link to open. Its address came with the request and is not verified: open it as a universal link
    ///   alone.
    public func reject(_ request: AppToAppRequest, reason: String? = nil) -> String {
        guard let reason else { return request.answer(["error": AppToAppNames.rejected]) }
        return request.answer(["error": AppToAppNames.rejected, "error_description": reason])
    }

    /// ``reject(_:reason:)``, and opens the answer.
    public func reject(
        _ request: AppToAppRequest, reason: String? = nil, with opener: any AppLinkOpener
    ) async throws(AuthError) {
        try await opener.open(reject(request, reason: reason))
    }
}

extension OpenIDProvider {
    /// Asks for a code for another app, with a request that the key of this session signs.
    fileprivate func code(
        for request: AppToAppRequest, refreshToken: String, boundTo thumbprint: String
    ) async throws(AuthError) -> String {
        let key = try await proofs.key(thumbprint)
        let challenge = try await challenge(.appToAppRequest)
        let draft = BiometricRequestDraft(
            type: AppToAppNames.requestType, action: AppToAppNames.action, keyID: thumbprint, algorithm: .es256,
            publicKey: key.publicKey, challenge: challenge.token, deviceInfo: nil, issuedAt: clock.now(),
            seconds: Limits.biometricRequestSeconds)
        let jwt = draft.request(signature: try await key.key.signature(of: draft.signingInput))
        let form = FormParameters([
            "grant_type": GrantType.appToApp.rawValue, "client_id": request.clientID, "refresh_token": refreshToken,
            "jwt": jwt, "redirect_uri": request.redirectURI, "code_challenge": request.codeChallenge,
            "code_challenge_method": PKCE.method,
        ])
        let json = try await post(
            form, to: try await tokenEndpoint(), try await metadata(), key: key, timeoutSeconds: Limits.requestSeconds)
        guard let code = TokenGrant.token(json["code"]) else {
            throw AuthError(.protocolViolation, "the answer has no code")
        }
        return code
    }
}
