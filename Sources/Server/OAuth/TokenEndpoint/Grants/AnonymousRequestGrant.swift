internal import Authority
internal import KeyturnBase
internal import KeyturnJose
public import KeyturnWire
public import Model

/// Authgear's anonymous request: a key is all that a user is known by (wire of Authgear). Only clients that are registered
/// for it have anonymous users.
public enum AnonymousRequestGrant: TokenGrant {
    public static let type = GrantType.anonymousRequest
    public static let parameters: Set<String> = [BiometricNames.jwt]
    public static let admission = GrantAdmission()

    public static func answer(_ request: TokenGrantRequest, at endpoint: TokenEndpoint) async throws -> TokenResponse {
        try await endpoint.anonymousSignIn(
            request.form, client: request.client, binding: request.binding, from: request.address)
    }
}

/// Sign-ins of anonymous users.
extension TokenEndpoint {
    /// Signs in the user of a key, who is made if the key is new. The request's own signature proves possession in both
    /// cases.
    func anonymousSignIn(
        _ form: FormParameters, client: Client, binding: TokenBinding, from address: NetworkAddress?
    ) async throws -> TokenResponse {
        let scope = try anonymousScope(of: client)
        let request = try UnverifiedSignedRequest<AnonymousAction>(in: form)
        guard request.action == .authenticate else {
            throw OAuthProblem(.invalidRequest, "a request to promote goes into a login_hint")
        }
        let now = ambient.now()
        try await issuer.requireKey(of: client)
        // A second time, if another request adds the same key at the same time.
        for _ in 0..<2 {
            guard let (key, user) = try await stores.anonymous.key(request.keyID) else {
                guard let publicKey = request.publicKey else { throw OAuthProblem.invalidCredentials }
                let mark = try anonymousMark(request, signedBy: publicKey, at: now)
                let user = User(id: .make(ambient), anonymousAt: now, createdAt: now, updatedAt: now)
                let key = StoredAnonymousKey(
                    id: request.keyID, userID: user.id, clientID: client.id, publicKey: publicKey.json,
                    algorithm: request.algorithm.rawValue, createdAt: now)
                let grant = anonymousGrant(of: user.id, client: client, scope: scope, binding: binding, at: now)
                guard
                    let tokens = try await signUp(
                        user, key: key, grant, client: client, challenge: mark, binding: binding, from: address)
                else { continue }
                return tokens
            }
            return try await open(key, of: user, request, client: client, scope: scope, binding: binding, from: address)
        }
        throw OAuthProblem.invalidCredentials
    }

    /// Makes a user who is known by this session alone, for pages that keep no keys.
    ///
    /// - Throws: ``OAuthProblem``.
    public func anonymousSignUp(
        client: Client, from address: NetworkAddress?
    ) async throws(OAuthProblem) -> TokenResponse {
        let scope = try anonymousScope(of: client)
        guard client.allows(AnonymousRequestGrant.type), client.isPublic else {
            throw OAuthProblem(.unauthorizedClient, AnonymousNames.disallowed)
        }
        let binding = try TokenBinding(FormParameters(), client: client, proof: nil)
        try await issuer.requireKey(of: client)
        let now = ambient.now()
        let user = User(id: .make(ambient), anonymousAt: now, createdAt: now, updatedAt: now)
        let grant = anonymousGrant(of: user.id, client: client, scope: scope, binding: binding, at: now)
        let tokens = try await signUp(
            user, key: nil, grant, client: client, challenge: nil, binding: binding, from: address)
        guard let tokens else { throw OAuthProblem(.serverError, "a user without a key has no key that is taken") }
        return tokens
    }

    /// Another access token for the live session of an anonymous user; the session does not change.
    ///
    /// - Parameters:
    ///   - session: of a refresh token that was presented and is good.
    /// - Throws: ``OAuthProblem``; `invalid_grant` if the session is another client's, or its user has an account.
    public func anonymousTokens(
        of session: Grant, user: User, client: Client
    ) async throws(OAuthProblem) -> TokenResponse {
        guard user.isAnonymous, session.clientID == client.id, session.keyThumbprint == nil else {
            throw OAuthProblem(.invalidGrant, "the session is not one of an anonymous user of this client")
        }
        try await issuer.requireKey(of: client)
        var grant = session
        grant.isAnonymous = true
        let access = try permissions.current(GrantedAccess(session), of: client)
        grant.authorizationDetails = access.details
        return try await tokens(
            for: grant, client: client, scope: access.scope, resources: access.resources,
            binding: try TokenBinding(FormParameters(), client: client, proof: nil), nonce: nil,
            at: ambient.now())
    }

    /// - Returns: `nil` if there is a key with that identifier.
    private func signUp(
        _ user: User, key: StoredAnonymousKey?, _ grant: Grant, client: Client, challenge: ReplayMark?,
        binding: TokenBinding, from address: NetworkAddress?
    ) async throws(OAuthProblem) -> TokenResponse? {
        // A user who has no address proves none.
        guard issuer.project.rulebook.allows(.createAccount, to: .anonymous, on: .newUser) else {
            throw OAuthProblem(.accessDenied, "no accounts are opened here, nor users without one")
        }
        let network = address?.network ?? "unknown"
        let charges = [
            RateLimitCharge(
                "anonymous:network:\(network)", max: Limits.anonymousSignUpsOfNetworkMax,
                windowSeconds: Limits.anonymousWindowSeconds),
            RateLimitCharge(
                "anonymous:site:\(address?.site ?? network)", max: Limits.anonymousSignUpsOfSiteMax,
                windowSeconds: Limits.anonymousWindowSeconds),
        ]
        try await proofs.admit(binding.proof)
        let opening = try await attempt { () async throws(StoreError) in
            try await stores.anonymous.signUp(
                user, key: key, opening: grant, challenge: challenge, charges: charges,
                by: try issuer.project.rulebook.permission(Acts.CreateAccount.self, to: .anonymous, on: .newUser),
                at: grant.createdAt)
        }
        if opening == .taken { return nil }
        audit.record(
            AuditEvent(
                .userCreated, at: grant.createdAt, userID: user.id, clientID: client.id, address: address?.text,
                reason: "anonymous"))
        return try await answer(opening, grant, key: key?.id, client: client, binding: binding, from: address)
    }

    private func open(
        _ key: StoredAnonymousKey, of user: User, _ request: UnverifiedSignedRequest<AnonymousAction>, client: Client,
        scope: Scope, binding: TokenBinding, from address: NetworkAddress?
    ) async throws(OAuthProblem) -> TokenResponse {
        let now = ambient.now()
        let mark = try anonymousMark(request, of: key, user: user, client: client, at: now)
        let charge = RateLimitCharge(
            "anonymous:use:\(key.id)", max: Limits.anonymousSignInsMax,
            windowSeconds: Limits.anonymousWindowSeconds)
        let grant = anonymousGrant(of: user.id, client: client, scope: scope, binding: binding, at: now)
        try await proofs.admit(binding.proof)
        let opening = try await attempt { () async throws(StoreError) in
            try await stores.anonymous.open(grant, by: key.id, challenge: mark, charge: charge, at: now)
        }
        return try await answer(opening, grant, key: key.id, client: client, binding: binding, from: address)
    }

    private func answer(
        _ opening: AnonymousOpening, _ grant: Grant, key: String?, client: Client, binding: TokenBinding,
        from address: NetworkAddress?
    ) async throws(OAuthProblem) -> TokenResponse {
        var grant = grant
        switch opening {
        case .opened(let canReauthenticate): grant.canReauthenticate = canReauthenticate
        case .challengeSpent, .keyGone, .taken: throw .invalidCredentials
        case .tooMany:
            throw OAuthProblem(.temporarilyUnavailable, "too many users without an account, or sign-ins: try later")
        case .userDisabled: throw OAuthProblem(.invalidGrant, Self.userMayNot)
        }
        grant.isAnonymous = true
        audit.record(
            AuditEvent(
                .grantIssued, at: grant.createdAt, userID: grant.userID, clientID: client.id, address: address?.text,
                reason: "anonymous", target: key))
        return try await tokens(
            for: grant, client: client, scope: grant.scope, resources: [], binding: binding, nonce: nil,
            at: grant.createdAt)
    }

    /// The replay mark of a request that a known key signed. A request may bring the key once more: an app that did not
    /// get the first answer does.
    private func anonymousMark(
        _ request: UnverifiedSignedRequest<AnonymousAction>, of key: StoredAnonymousKey, user: User, client: Client,
        at now: UnixTime
    ) throws(OAuthProblem) -> ReplayMark {
        guard key.clientID == client.id, user.isAnonymous, key.algorithm == request.algorithm.rawValue,
            let publicKey = try? JSONWebKey(key.publicKey),
            request.publicKey.map({ $0.thumbprint() == publicKey.thumbprint() }) ?? true
        else { throw .invalidCredentials }
        return try anonymousMark(request, signedBy: publicKey, at: now)
    }

    private func anonymousMark(
        _ request: UnverifiedSignedRequest<AnonymousAction>, signedBy key: JSONWebKey, at now: UnixTime
    ) throws(OAuthProblem) -> ReplayMark {
        let verified = try request.verify(with: key, at: now)
        guard let mark = challenges.mark(verified.challenge, for: .anonymousRequest, at: now) else {
            throw .invalidCredentials
        }
        return mark
    }

    /// What a session of an anonymous user is good for, whatever the request says.
    ///
    /// - Throws: `unauthorized_client` for a client that may not have anonymous users; `invalid_scope` for one without
    ///   `openid`; `interaction_required` for one that wants two factors.
    private func anonymousScope(of client: Client) throws(OAuthProblem) -> Scope {
        guard client.isFirstParty, client.profile != .fapi2 else {
            throw OAuthProblem(.unauthorizedClient, AnonymousNames.disallowed)
        }
        guard !Self.wantsSeveralFactors(client) else {
            throw OAuthProblem(.interactionRequired, "the client wants two factors, and this is none")
        }
        let scope = client.permittedScope.intersection(
            Scope(names: [Scope.openID, Scope.offlineAccess, AuthgearNames.fullAccess]))
        guard scope.contains(Scope.openID) else { throw OAuthProblem(.invalidScope, "the client has no openid") }
        return scope
    }

    private func anonymousGrant(
        of user: UserID, client: Client, scope: Scope, binding: TokenBinding, at now: UnixTime
    ) -> Grant {
        let idle = idleSeconds(client, scope: scope)
        return Grant(
            id: .make(ambient), clientID: client.id, userID: user, sessionID: nil, scope: scope, resources: [],
            authentication: AuthenticationFacts(
                time: now, methods: [AnonymousNames.authenticationMethod],
                contextClass: AuthenticationFacts.anonymousClass),
            nonce: nil, claimsRequest: nil,
            keyThumbprint: client.bindsGrants ? binding.proof?.keyThumbprint : nil, wantsBearer: binding.declines,
            createdAt: now, idleExpiresAt: now + min(idle, issuer.project.absoluteSeconds),
            absoluteExpiresAt: now + issuer.project.absoluteSeconds)
    }
}
