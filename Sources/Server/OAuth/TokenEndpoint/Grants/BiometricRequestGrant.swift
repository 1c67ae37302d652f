internal import Authority
internal import KeyturnBase
internal import KeyturnJose
public import KeyturnWire
public import Model

/// Authgear's biometric request: a key behind a fingerprint or a face signs in (wire of Authgear). No client registers
/// its name: the grant itself says which clients may use it.
public enum BiometricRequestGrant: TokenGrant {
    public static let type = GrantType.biometricRequest
    public static let parameters: Set<String> = [BiometricNames.jwt, "scope", "resource"]
    public static let admission = GrantAdmission(isRegistered: false)

    public static func answer(_ request: TokenGrantRequest, at endpoint: TokenEndpoint) async throws -> TokenResponse {
        try await endpoint.biometricSignIn(
            request.form, client: request.client, binding: request.binding, from: request.address)
    }
}

/// Setting a biometric key up, and signing in with it (Authgear's biometric request).
extension TokenEndpoint {
    /// Whether a form sets a key up: that needs a signed-in user, and returns no tokens.
    @Sendable public static func isBiometricSetUp(_ form: FormParameters) -> Bool {
        form.single("grant_type") == GrantType.biometricRequest.rawValue
            && form.single(BiometricNames.jwt).map {
                UnverifiedSignedRequest<BiometricAction>.asks(for: .setup, $0)
            } == true
    }

    /// Adds a key to the account of the access token's user. The key has signed the request itself, which proves
    /// possession.
    ///
    /// - Parameters:
    ///   - token: a user's access token, checked, and its grant; `nil`: there was none, or it is over.
    /// - Throws: ``OAuthProblem``.
    public func setUpBiometrics(
        _ form: FormParameters, client: Client?, token: (PresentedAccessToken, LiveGrant)?,
        from address: NetworkAddress?
    ) async throws(OAuthProblem) {
        try checkForm(form)
        let client = try biometric(client)
        let request = try UnverifiedSignedRequest<BiometricAction>(in: form)
        guard let (token, live) = token, token.clientID == client.id, token.ancestors.isEmpty, token.actor == nil,
            token.restrictedTo == nil, let session = token.grantID
        else { throw OAuthProblem(.invalidGrant, Self.needsSession) }
        // A token of a smaller scope is handed to others, and must not gain all that its session has.
        guard token.scope.contains(Scope.openID),
            live.grant.scope.intersection(client.permittedScope).isSubset(of: token.scope)
        else {
            throw OAuthProblem(
                .invalidScope, "set-up wants an access token with openid and everything that was granted")
        }
        guard request.action == .setup, let publicKey = request.publicKey else { throw .invalidCredentials }
        let now = ambient.now()
        let account = try await attempt { () async throws(StoreError) in
            try await stores.users.account(live.user.id)
        }
        guard let account else { throw OAuthProblem(.invalidGrant, Self.needsSession) }
        let isStrong = live.grant.authentication.holdsStrongFactor
        let allowed = try permit(account, live.grant.authentication, at: now)
        let verified = try request.verify(with: publicKey, at: now)
        guard let mark = challenges.mark(verified.challenge, for: .biometricRequest, at: now) else {
            throw .invalidCredentials
        }
        let key = StoredBiometricKey(
            id: request.keyID, userID: live.user.id, clientID: client.id, scope: live.grant.scope, isStrong: isStrong,
            publicKey: publicKey.json,
            algorithm: request.algorithm.rawValue, device: verified.device, createdAt: now)
        let bucket = RateLimitCharge(
            "biometric:setup:\(key.userID.rawValue)", max: Limits.biometricSetUpsMax,
            windowSeconds: Limits.biometricSetUpWindowSeconds)
        let addition: BiometricAddition
        do throws(StoreError) {
            addition = try await stores.biometrics.add(
                key, by: allowed, in: session, challenge: mark, charge: bucket,
                keysMax: Limits.biometricKeysOfUserMax, at: now)
        } catch {
            throw OAuthProblem(.temporarilyUnavailable, "the server cannot reach its database: try again")
        }
        let removed: [String]
        switch addition {
        case .added(let others): removed = others
        case .challengeSpent, .taken: throw .invalidCredentials
        case .tooMany:
            throw OAuthProblem(.temporarilyUnavailable, "too many keys were set up: try again later")
        case .signedOut: throw OAuthProblem(.invalidGrant, Self.needsSession)
        }
        audit.record(
            AuditEvent(
                .biometricAdded, at: now, userID: key.userID, clientID: client.id,
                sessionID: live.grant.sessionID, address: address?.text, target: key.id))
        await notices.send(
            .biometricKeyAdded, to: account, from: SessionOrigin(address: address?.text, device: nil), at: now)
        for other in removed {
            audit.record(
                AuditEvent(
                    .biometricRemoved, at: now, userID: key.userID, clientID: client.id, reason: "too_many",
                    target: other))
        }
    }

    /// Sign-ins with the key will count as the owner's presence for long: so the owner must be present at set-up, with
    /// the account's second factor. A guest's session shows no owner once the guest has an account.
    private func permit(
        _ account: Account, _ facts: AuthenticationFacts, at now: UnixTime
    ) throws(OAuthProblem) -> Allowed<Acts.AddDeviceKey> {
        guard account.user.isAnonymous || facts.contextClass != AuthenticationFacts.anonymousClass else {
            throw OAuthProblem(
                .interactionRequired, "the session is of before the user had an account: have the person sign in")
        }
        do throws(Denial) {
            return try issuer.project.rulebook.permit(
                Acts.AddDeviceKey.self, to: .session(facts.standing(.app, at: now)), on: account.subject)
        } catch {
            throw OAuthProblem(
                .interactionRequired,
                error == .missing(.secondFactor)
                    ? "the session has not shown the account's second factor: use the browser first"
                    : "set-up wants a recent sign-in: have the person prove it again")
        }
    }

    static let needsSession = "biometric setup requires authenticated user"

    /// Signs in the user who unlocked the key. What the key opened before ends: one session for each key.
    func biometricSignIn(
        _ form: FormParameters, client: Client, binding: TokenBinding, from address: NetworkAddress?
    ) async throws -> TokenResponse {
        let client = try biometric(client)
        let request = try UnverifiedSignedRequest<BiometricAction>(in: form)
        guard request.action == .authenticate, request.publicKey == nil else { throw OAuthProblem.invalidCredentials }
        let now = ambient.now()
        guard let (key, user, hasAuthenticator) = try await stores.biometrics.key(request.keyID),
            key.clientID == client.id,
            key.algorithm == request.algorithm.rawValue, let publicKey = try? JSONWebKey(key.publicKey)
        else { throw OAuthProblem.invalidCredentials }
        let verified = try request.verify(with: publicKey, at: now)
        guard let mark = challenges.mark(verified.challenge, for: .biometricRequest, at: now) else {
            throw OAuthProblem.invalidCredentials
        }
        guard user.status == .active else { throw OAuthProblem(.invalidGrant, Self.userMayNot) }
        guard !Self.wantsSeveralFactors(client), key.isStrong || !hasAuthenticator else {
            throw OAuthProblem(.interactionRequired, "two factors are wanted, and this is one: use the browser")
        }
        try await requireFactors(of: user, beside: key)
        let resources = try issuer.project.checkedResources(form.values("resource"))
        let bucket = RateLimitCharge(
            "biometric:use:\(key.id)", max: Limits.biometricSignInsMax,
            windowSeconds: Limits.biometricSetUpWindowSeconds)
        var grant = try biometricGrant(form, client: client, key: key, resources: resources, binding: binding, at: now)
        let verdict = try await attempt { () async throws(StoreError) in
            try await singleSignOn.judge(user.id, grant.authentication, from: address, notes: true)
        }
        guard case .allowed = verdict else { throw OAuthProblem(.invalidGrant, Self.userMayNot) }
        try await issuer.requireKey(of: client)
        try await proofs.admit(binding.proof)
        switch try await stores.biometrics.open(grant, by: key.id, challenge: mark, charge: bucket, at: now) {
        case .opened(let canReauthenticate): grant.canReauthenticate = canReauthenticate
        case .challengeSpent, .keyGone: throw OAuthProblem.invalidCredentials
        case .tooMany:
            throw OAuthProblem(.temporarilyUnavailable, "too many sign-ins with one key: renew the session instead")
        case .userDisabled: throw OAuthProblem(.invalidGrant, Self.userMayNot)
        }
        audit.record(
            AuditEvent(
                .grantIssued, at: now, userID: user.id, clientID: client.id, address: address?.text,
                reason: "biometric", target: key.id))
        let signals = try await risks.signedIn(
            user.id, grant.authentication, byKey: key.id,
            from: SessionOrigin(address: address?.text, device: key.device), at: now)
        audit.record(
            AuditEvent(
                .signedIn, at: now, userID: user.id, clientID: client.id, address: address?.text,
                reason: BiometricNames.authenticationMethod, target: signals.isEmpty ? nil : signals.text))
        return try await tokens(
            for: grant, client: client, scope: grant.scope, resources: resources, binding: binding, nonce: nil, at: now)
    }

    /// Where the operator demands a second factor of the user, a key counts that was set up with one.
    private func requireFactors(of user: User, beside key: StoredBiometricKey) async throws {
        guard secondFactor.canBeRequired, !key.isStrong else { return }
        let account = try await attempt { () async throws(StoreError) in try await stores.users.account(user.id) }
        guard let account, !secondFactor.isRequired(for: account) else {
            throw OAuthProblem(.interactionRequired, "the user must set up a second factor first: use the browser")
        }
    }

    static let userMayNot = "the user may not sign in"

    private func biometricGrant(
        _ form: FormParameters, client: Client, key: StoredBiometricKey, resources: [String], binding: TokenBinding,
        at now: UnixTime
    ) throws(OAuthProblem) -> Grant {
        // A device secret is made by a sign-in in a browser, which it belongs to.
        let allowed = Scope(names: client.permittedScope.names.filter { $0 != Scope.deviceSSO })
            .intersection(key.scope)
        guard !allowed.isEmpty || key.scope.isEmpty else { throw CurrentPermissions.nothingLeft }
        let scope = try form.single("scope").map { text throws(OAuthProblem) in
            try Scope(asked: text).granted(from: allowed)
        }
        let idle = idleSeconds(client, scope: scope ?? allowed)
        return Grant(
            id: .make(ambient), clientID: client.id, userID: key.userID, sessionID: nil, scope: scope ?? allowed,
            resources: resources,
            authentication: AuthenticationFacts(
                time: now, methods: [BiometricNames.authenticationMethod],
                contextClass: AuthenticationFacts.singleFactorClass),
            nonce: nil, claimsRequest: nil,
            keyThumbprint: client.bindsGrants ? binding.proof?.keyThumbprint : nil, wantsBearer: binding.declines,
            createdAt: now, idleExpiresAt: now + min(idle, issuer.project.absoluteSeconds),
            absoluteExpiresAt: now + issuer.project.absoluteSeconds)
    }

    /// The client, if it is an app of the operator's own that keeps users signed in.
    private func biometric(_ client: Client?) throws(OAuthProblem) -> Client {
        guard let client else { throw OAuthProblem(.invalidClient, "no client is named") }
        guard client.isFirstParty, client.profile != .fapi2,
            client.allows(.biometricRequest) || client.allows(.authorizationCode) && client.allows(.refreshToken)
        else { throw OAuthProblem(.unauthorizedClient, BiometricNames.disallowed) }
        return client
    }

    /// Whether the app asks for two factors unless a request says otherwise.
    static func wantsSeveralFactors(_ client: Client) -> Bool {
        client.metadata.defaultACRValues?.first(where: AuthenticationFacts.classes.contains)
            == AuthenticationFacts.severalFactorsClass
    }

    func attempt<Answer: Sendable>(
        _ ask: () async throws(StoreError) -> Answer
    ) async throws(OAuthProblem) -> Answer {
        do throws(StoreError) {
            return try await ask()
        } catch {
            throw OAuthProblem(.temporarilyUnavailable, "the server cannot reach its database: try again")
        }
    }
}
