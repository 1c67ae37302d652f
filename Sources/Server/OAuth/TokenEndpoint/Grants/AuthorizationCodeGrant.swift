internal import KeyturnBase
public import KeyturnWire
internal import Model

/// `authorization_code` (RFC 6749 §4.1.3).
public enum AuthorizationCodeGrant: TokenGrant {
    public static let type = GrantType.authorizationCode
    public static let parameters: Set<String> = [
        "code", "code_verifier", "redirect_uri", "resource", "authorization_details", AppToAppNames.deviceKey,
    ]
    public static let admission = GrantAdmission(isForUnverifiedClients: true)

    public static func answer(_ request: TokenGrantRequest, at endpoint: TokenEndpoint) async throws -> TokenResponse {
        try await endpoint.redeem(request.form, client: request.client, binding: request.binding)
    }
}

extension TokenEndpoint {
    /// `authorization_code` (RFC 6749 §4.1.3, RFC 7636 §4.6): one statement when it succeeds.
    func redeem(
        _ form: FormParameters, client: Client, binding: TokenBinding
    ) async throws -> TokenResponse {
        guard let code = form.single("code") else { throw OAuthProblem(.invalidRequest, "code is missing") }
        let verifier = form.single("code_verifier")
        if let verifier, !PKCE.isWellFormed(verifier) {
            throw OAuthProblem(.invalidGrant, "code_verifier is not 43 to 128 unreserved characters")
        }
        if let derived = DerivedCode(code, seal) {
            return try await redeemDerived(derived, form, client: client, binding: binding)
        }
        guard code.utf8.count <= 256 else { throw OAuthProblem(.invalidGrant, Self.unknownCode) }
        try await issuer.requireKey(of: client)
        let now = ambient.now()
        let attempt = CodeAttempt(
            digest: SecretDigest(of: Secret(code)), clientID: client.id, redirectURI: form.single("redirect_uri"),
            mayOmitRedirectURI: Self.mayOmitRedirectURI(client, provesKey: verifier != nil),
            codeChallenge: verifier.map(PKCE.challenge), keyThumbprint: binding.proof?.keyThumbprint,
            bindsGrant: client.bindsGrants, wantsBearer: binding.declines)
        try await checkRequest(form, ofCode: attempt, client: client)
        let appKey = try appKey(in: form, of: client, at: now)
        try await proofs.admit(binding.proof)
        // Before the code: it counts once, and a refusal afterwards would leave a session without a client.
        if let appKey { try await spend(appKey, at: now) }
        let idleSeconds = client.allows(.refreshToken) ? issuer.project.idleSeconds : issuer.project.accessTokenSeconds
        let redemption = try await stores.grants.redeem(attempt, idleSeconds: idleSeconds, at: now)
        if case .replayed = redemption, let ended = try await stores.grants.grant(ofCode: attempt.digest) {
            audit.recordOnce(
                AuditEvent(
                    .codeReplayed, at: now, userID: ended.userID, clientID: client.id, sessionID: ended.tokenSessionID,
                    reason: "code_replay"))
        }
        var grant = try granted(redemption, client: client, at: now)
        try await bind(appKey, to: grant, at: now)
        access.remember(grant)
        let allowed = try permissions.current(GrantedAccess(grant), of: client)
        grant.authorizationDetails = try narrowed(
            details: form.single("authorization_details"), from: allowed.details)
        let resources = try narrowed(form.values("resource"), from: allowed.resources, client: client)
        audit.record(
            AuditEvent(.grantIssued, at: now, userID: grant.userID, clientID: client.id, sessionID: grant.sessionID))
        return try await tokens(
            for: grant, client: client, scope: allowed.scope, resources: resources, binding: binding,
            nonce: grant.nonce, at: now)
    }

    /// OAuth 2.1 does without the address, since the verifier shows that the code comes from the client that asked for
    /// it. Box's clients have neither: they send their secret in the form, as they registered.
    private static func mayOmitRedirectURI(_ client: Client, provesKey: Bool) -> Bool {
        !client.isPublic && client.profile != .fapi2
            && (provesKey || client.authenticationMethod == .clientSecretPost)
    }

    private static let unknownCode = "the code is unknown, or was issued to another client"

    private func granted(_ redemption: Redemption, client: Client, at now: UnixTime) throws(OAuthProblem) -> Grant {
        switch redemption {
        case .granted(let grant):
            return grant
        case .promoted(let grant, let promotion):
            audit.record(
                AuditEvent(
                    .anonymousPromoted, at: now, userID: grant.userID, clientID: client.id, sessionID: grant.sessionID,
                    reason: promotion.choice.rawValue, target: promotion.userID.rawValue))
            return grant
        case .promotionRefused:
            audit.recordOnce(AuditEvent(.anonymousPromotionRefused, at: now, clientID: client.id))
            throw OAuthProblem(
                .invalidGrant, "the anonymous user has an account already, or is gone: sign in without login_hint")
        case .replayed:
            throw OAuthProblem(.invalidGrant, "the code was used before; everything issued for it has been revoked")
        case .overtaken:
            audit.recordOnce(AuditEvent(.codeReplayed, at: now, clientID: client.id, reason: "overtaken"))
            throw OAuthProblem(.invalidGrant, "the code was used by another request while this one waited")
        case .expired:
            throw OAuthProblem(.invalidGrant, "the code has expired: codes live for \(Limits.codeSeconds) seconds")
        case .mismatched:
            throw OAuthProblem(
                .invalidGrant, "redirect_uri, code_verifier or the DPoP key does not belong to this code")
        case .ended:
            throw OAuthProblem(.invalidGrant, "the sign-in was ended before the code was redeemed")
        case .unknown:
            throw OAuthProblem(.invalidGrant, Self.unknownCode)
        }
    }

    /// Before the code is spent: a request for more than was granted is refused, and the code stays valid.
    private func checkRequest(_ form: FormParameters, ofCode attempt: CodeAttempt, client: Client) async throws {
        let resources = form.values("resource")
        let details = form.single("authorization_details")
        guard !resources.isEmpty || details != nil,
            let grant = try await stores.grants.grant(ofCode: attempt.digest)
        else { return }
        _ = try narrowed(resources, from: grant.resources, client: client)
        _ = try narrowed(details: details, from: grant.authorizationDetails)
    }

    /// Less of the granted details, never more (RFC 9396 §6.1).
    func narrowed(
        details asked: String?, from granted: AuthorizationDetails?
    ) throws(OAuthProblem) -> AuthorizationDetails? {
        guard let asked else { return granted }
        guard let details = AuthorizationDetails(parsing: asked, bytesMax: Limits.detailsBytesMax), let granted,
            details.isWithin(granted)
        else { throw OAuthProblem(.invalidAuthorizationDetails, "it is more than was granted, or not well-formed") }
        return details
    }

    /// The resources requested at this endpoint, if they were granted before (RFC 8707 §2.2).
    ///
    /// A sign-in that named none is for this server. The operator's own clients, whose users no page asks, may name one
    /// here then; a client of others may not.
    func narrowed(_ asked: [String], from granted: [String], client: Client) throws(OAuthProblem) -> [String] {
        guard !asked.isEmpty else { return granted }
        let checked = try issuer.project.checkedResources(asked)
        let isOpen = granted.isEmpty && client.isFirstParty
        let named = granted.isEmpty ? [issuer.project.issuer] : granted
        guard isOpen || checked.allSatisfy(named.contains) else {
            throw OAuthProblem(.invalidTarget, "the sign-in was not for that resource")
        }
        return checked
    }
}
