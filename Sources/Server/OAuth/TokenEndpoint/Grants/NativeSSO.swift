internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// Apps of one vendor on one device share a sign-in by a device secret (OpenID Connect Native SSO for Mobile Apps §4).
extension TokenEndpoint {
    /// Whether a token exchange is such a sign-in.
    static func isNativeSignIn(_ form: FormParameters) -> Bool {
        let secrets: [TokenTypeIdentifier] = [.deviceSecret, .earlierDeviceSecret]
        return form.single("actor_token_type").map { secrets.contains(TokenTypeIdentifier(rawValue: $0)) } ?? false
    }

    /// Exchanges the first app's ID token and device secret for a session of another app, of the same user, with the
    /// same authentication. It ends with the first app's, and at the latest when that one would.
    ///
    /// The ID token may have expired: it only names the sign-in. The store knows whether its grant is still valid.
    func nativeSignIn(_ form: FormParameters, client: Client, binding: TokenBinding) async throws -> TokenResponse {
        guard client.isFirstParty, client.profile != .fapi2 else {
            throw OAuthProblem(
                .unauthorizedClient, "only the operator's own apps share sign-ins, without a FAPI profile")
        }
        let resources = try issuer.project.checkedResources(form.values("resource"))
        let now = ambient.now()
        let parent = try await parent(in: form, requested: .accessToken, binding, at: now)
        let parentID = parent.id
        try checkFactors(of: parent, client: client, at: now)
        let scope = try nativeScope(form.single("scope"), client: client, parent: parent)
        try await issuer.requireKey(of: client)
        try await proofs.admit(binding.proof)
        try await payForDerived(from: parentID, at: now)
        let idleSeconds = idleSeconds(client, scope: scope)
        let grant = Grant(
            id: .make(ambient), clientID: client.id, userID: parent.userID, sessionID: parent.sessionID, scope: scope,
            resources: resources, authentication: parent.authentication, nonce: nil, claimsRequest: nil,
            keyThumbprint: client.isPublic || parent.keyThumbprint != nil ? binding.proof?.keyThumbprint : nil,
            wantsBearer: binding.declines,
            createdAt: now, idleExpiresAt: min(now + idleSeconds, parent.absoluteExpiresAt),
            absoluteExpiresAt: parent.absoluteExpiresAt)
        guard try await stores.grants.derive(grant, from: parentID, at: now) else {
            throw OAuthProblem(.invalidGrant, "the session of the device secret has just ended")
        }
        audit.record(
            AuditEvent(
                .grantIssued, at: now, userID: grant.userID, clientID: client.id, sessionID: grant.sessionID,
                reason: "native_sso", target: parent.clientID))
        var response = try await tokens(
            for: grant, client: client, scope: scope, resources: resources, binding: binding, nonce: nil, at: now)
        response.issuedTokenType = TokenTypeIdentifier.accessToken.rawValue
        return response
    }

    /// The first app's session, by its ID token, its device secret, and a proof of its key if it is bound to one.
    ///
    /// - Parameter requested: the type of what is asked for.
    func parent(
        in form: FormParameters, requested: TokenTypeIdentifier, _ binding: TokenBinding, at now: UnixTime
    ) async throws -> Grant {
        let (secret, hint) = try presented(form, requested: requested)
        guard let parentID = issuer.deviceSecrets.decode(secret), let first = clients.client(hint.clientID),
            ConstantTime.equal(
                Array(DeviceSecretCodec.hash(secret, for: first).utf8), Array((hint.deviceSecretHash ?? "").utf8)),
            let parent = try await stores.grants.live(parentID, at: now)?.grant,
            parent.clientID == first.id, parent.userID.rawValue == hint.subject,
            parent.sessionID == hint.sessionID, first.isFirstParty
        else {
            throw OAuthProblem(
                .invalidGrant, "the device secret and the ID token do not belong together, or their session is over")
        }
        try await requireShareable(parent)
        // A session bound to a key on the device is shared with the key, or not at all.
        guard first.permittedScope.contains(Scope.deviceSSO) else {
            throw OAuthProblem(.invalidScope, "the first app may not share its sign-ins any more")
        }
        guard parent.keyThumbprint == nil || parent.keyThumbprint == binding.proof?.keyThumbprint else {
            throw OAuthProblem(.invalidDPoPProof, "the first app's session is bound to a key: send a proof of that key")
        }
        return parent
    }

    /// A session lets other apps in only if the user signed in to it: not one that another device let in, nor one that
    /// lacks what the account or its organisation wants now.
    func requireShareable(_ parent: Grant) async throws {
        guard !parent.authentication.isOfApproval,
            try await reuse.missing(parent.userID, parent.authentication) == nil
        else { throw OAuthProblem(.invalidGrant, "the session lets no other app in: sign in there") }
    }

    /// Both tokens, checked for their types (Native SSO §4.2).
    private func presented(
        _ form: FormParameters, requested type: TokenTypeIdentifier
    ) throws(OAuthProblem) -> (Secret, IDTokenHint) {
        guard form.single("subject_token_type") == TokenTypeIdentifier.idToken.rawValue else {
            throw OAuthProblem(.invalidRequest, "subject_token_type is an ID token's where a device secret acts")
        }
        let requested = form.single("requested_token_type")
        guard requested == nil || requested == type.rawValue else {
            throw OAuthProblem(.invalidRequest, "an access token is what comes of a device secret, among others")
        }
        let audience = form.values("audience")
        guard audience.count == 1, issuer.project.isIssuer(audience[0]) else {
            throw OAuthProblem(.invalidTarget, "audience names this server, and nobody else")
        }
        guard let subject = form.single("subject_token"), let secret = form.single("actor_token") else {
            throw OAuthProblem(.invalidRequest, "subject_token or actor_token is missing")
        }
        guard let hint = hints.read(subject) else {
            throw OAuthProblem(.invalidGrant, "subject_token is not an ID token of this server")
        }
        return (Secret(secret), hint)
    }

    /// The first app's sign-in must be strong and recent enough for this one too: the user is not asked again.
    func checkFactors(of parent: Grant, client: Client, at now: UnixTime) throws(OAuthProblem) {
        guard
            !Self.wantsSeveralFactors(client)
                || parent.authentication.methods.contains(AuthenticationMethod.severalFactors)
        else {
            throw OAuthProblem(
                .interactionRequired, "the app wants two factors, and the sign-in had one: use the browser")
        }
        if let maxAge = client.metadata.defaultMaxAge, parent.authentication.time + maxAge < now {
            throw OAuthProblem(.interactionRequired, "the app wants a more recent sign-in: use the browser")
        }
    }

    /// What the app asked for and registered; the first app's scope, if it does not say. Device secrets come only of
    /// sign-ins, and the session outlives the browser only if the first app's does.
    func nativeScope(_ asked: String?, client: Client, parent: Grant) throws(OAuthProblem) -> Scope {
        let allowed = Scope(
            names: client.permittedScope.names.filter {
                // What a page asks each time comes of a page.
                ![Scope.deviceSSO, Scope.management, AuthgearNames.preAuthenticatedURL].contains($0)
                    && ($0 != Scope.offlineAccess || parent.isOffline)
            })
        guard let asked else {
            // What the first app was granted, and may have now.
            let shared = parent.scope.intersection(clients.client(parent.clientID)?.permittedScope ?? .none)
            guard !shared.intersection(allowed).isEmpty || parent.scope.isEmpty else {
                throw CurrentPermissions.nothingLeft
            }
            return shared.intersection(allowed)
        }
        return try Scope(asked: asked).granted(from: allowed)
    }

    /// Each leaves a row, also one that is repeated because its answer was lost.
    private func payForDerived(from parent: GrantID, at now: UnixTime) async throws {
        let charge = RateLimitCharge(
            "native:\(parent.text)", max: Limits.derivedSessionsMax, windowSeconds: Limits.sendWindowSeconds)
        guard try await stores.rateLimits.spend([charge], at: now) == nil else {
            throw OAuthProblem(.temporarilyUnavailable, "too many sign-ins with one device secret: try again later")
        }
    }
}
