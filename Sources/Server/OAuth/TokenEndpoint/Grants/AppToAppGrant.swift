public import KeyturnBase
public import KeyturnWire
public import Model

/// An app that has a session signs another app of the operator in (Authgear's app-to-app).
extension TokenEndpoint {
    /// Whether a form asks for that: the answer is a code, and no tokens.
    @Sendable public static func isAppToApp(_ form: FormParameters) -> Bool {
        form.single("grant_type") == GrantType.appToApp.rawValue
    }

    /// A code for the app that asks, of the user whose app approves. It is redeemed as every code is, with the verifier of
    /// the app that asked; its session ends with the approving app's.
    ///
    /// - Parameters:
    ///   - form: the refresh token of the approving app, which is not spent; the request of its key; and the redirect
    ///     address and challenge of the app that asks.
    ///   - client: the app that asks.
    ///   - proof: of the key that the refresh token is bound to, if it is bound to one.
    /// - Throws: ``OAuthProblem``.
    public func approveAppToApp(
        _ form: FormParameters, client: Client?, proof: CheckedDPoPProof?
    ) async throws(OAuthProblem) -> Secret {
        try checkForm(form)
        guard let client else { throw OAuthProblem(.invalidClient, "no client is named") }
        guard client.signsInByApps else {
            throw OAuthProblem(.unauthorizedClient, "the client is no app that another one signs in")
        }
        let answer = try Self.answer(in: form, to: client)
        guard let token = form.single("refresh_token"), let jwt = form.single("jwt") else {
            throw OAuthProblem(.invalidRequest, "refresh_token or jwt is missing")
        }
        do {
            return try await approve(
                Secret(token), key: try AppKeyProof(jwt, at: ambient.now()), answer, client: client, proof: proof)
        } catch let problem as OAuthProblem {
            throw problem
        } catch {
            throw OAuthProblem(.temporarilyUnavailable, "the server cannot reach its database: try again")
        }
    }

    private func approve(
        _ token: Secret, key: AppKeyProof, _ answer: DerivedCode.Answer, client: Client, proof: CheckedDPoPProof?
    ) async throws -> Secret {
        let now = ambient.now()
        guard let shown = issuer.refreshToken(presented: token, at: now),
            let found = try await stores.grants.presented(shown.grantID, at: now),
            let approving = clients.client(found.grant.clientID), let presented = shown.token(of: approving),
            presented.counter == found.grant.counter
                || RefreshRules.judge(presented: presented.counter, row: found.row, at: now) != .replay
        else { throw OAuthProblem(.invalidGrant, "the refresh token is unknown, or its session is over") }
        let parent = found.grant
        try await requireShareable(parent)
        guard approving.signsInByApps else {
            throw OAuthProblem(.unauthorizedClient, "the session's client may not sign other apps in")
        }
        guard parent.keyThumbprint == nil || parent.keyThumbprint == proof?.keyThumbprint else {
            throw OAuthProblem(.invalidDPoPProof, "the session is bound to a key that this request did not prove")
        }
        // A key of the app's own, bound when its code was redeemed; else the key that the session is bound to.
        let bound = try await stores.grants.appKey(of: parent.id) ?? parent.keyThumbprint
        guard bound == key.thumbprint else {
            throw OAuthProblem(.invalidGrant, "the session is not bound to the key of the request")
        }
        try checkFactors(of: parent, client: client, at: now)
        let scope = try nativeScope(nil, client: client, parent: parent)
        try await proofs.admit(proof)
        try await spend(key, at: now)
        let charge = RateLimitCharge(
            "app2app:\(parent.id.text)", max: Limits.appToAppMax, windowSeconds: Limits.sendWindowSeconds)
        guard try await stores.rateLimits.spend([charge], at: now) == nil else {
            throw OAuthProblem(.temporarilyUnavailable, "too many apps were signed in: try again later")
        }
        let code = DerivedCode(from: parent.id, to: client, answer, scope: scope, reason: "app2app", ambient)
        return Secret(code.sealed(by: seal))
    }

    /// Uses up the challenge of a request.
    func spend(_ key: AppKeyProof, at now: UnixTime) async throws {
        guard let mark = challenges.mark(key.challenge, for: .appToAppRequest, at: now),
            try await stores.spent.spend(mark)
        else { throw OAuthProblem(.invalidGrant, "the challenge is unknown, too old, or was used before") }
    }

    private static func answer(in form: FormParameters, to client: Client) throws(OAuthProblem) -> DerivedCode.Answer {
        guard let redirectURI = form.single("redirect_uri"), client.registeredURI(of: redirectURI) != nil else {
            throw OAuthProblem(.invalidRequest, "redirect_uri is missing, or is not one that the client registered")
        }
        guard form.single("code_challenge_method") == PKCE.method, let challenge = form.single("code_challenge"),
            challenge.utf8.count == 43, PKCE.isWellFormed(challenge)
        else { throw OAuthProblem(.invalidRequest, "code_challenge is missing, or is no S256 challenge") }
        return DerivedCode.Answer(redirectURI: redirectURI, codeChallenge: challenge)
    }

    /// The key that an app binds its session to when it redeems its code; `nil`: none, or the client signs no apps in.
    func appKey(in form: FormParameters, of client: Client, at now: UnixTime) throws(OAuthProblem) -> AppKeyProof? {
        guard let jwt = form.single(AppToAppNames.deviceKey), client.signsInByApps else { return nil }
        return try AppKeyProof(jwt, at: now)
    }

    /// Binds the session of a code that was just redeemed, after ``spend(_:at:)``. A key that is bound never changes.
    func bind(_ key: AppKeyProof?, to grant: Grant, at now: UnixTime) async throws {
        guard let key else { return }
        guard try await stores.grants.bind(appKey: key.thumbprint, to: grant.id, at: now) else {
            throw OAuthProblem(.invalidGrant, "the session is bound to another key")
        }
    }
}

extension Client {
    /// Whether it is an app of the operator's own that signs other apps in, or is signed in by them.
    var signsInByApps: Bool {
        isFirstParty && isPublic && profile != .fapi2 && allows(.appToApp) && allows(.authorizationCode)
    }
}
