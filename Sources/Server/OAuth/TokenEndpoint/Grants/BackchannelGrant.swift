internal import KeyturnBase
public import KeyturnWire
internal import Model

/// `urn:openid:params:grant-type:ciba` (OpenID Connect CIBA Core §10.1).
public enum BackchannelGrant: TokenGrant {
    public static let type = GrantType.ciba
    public static let parameters: Set<String> = ["auth_req_id"]
    public static let admission = GrantAdmission(needsAuthentication: true)

    public static func answer(_ request: TokenGrantRequest, at endpoint: TokenEndpoint) async throws -> TokenResponse {
        try await endpoint.redeemBackchannel(request.form, client: request.client, binding: request.binding)
    }
}

extension TokenEndpoint {
    /// One statement while there is no decision, two when the user has allowed the request. Unlike a device, a client
    /// here authenticates and can ask anew: an `auth_req_id` is redeemed once, and its answer is never repeated.
    func redeemBackchannel(_ form: FormParameters, client: Client, binding: TokenBinding) async throws -> TokenResponse
    {
        guard let code = form.single("auth_req_id") else {
            throw OAuthProblem(.invalidRequest, "auth_req_id is missing")
        }
        guard code.utf8.count <= 256 else { throw OAuthProblem(.invalidGrant, Self.unknownRequest) }
        try await issuer.requireKey(of: client)
        let now = ambient.now()
        try proofs.admit(binding.proof)
        let poll = DevicePoll(
            id: SecretDigest(of: Secret(code)), clientID: client.id, keyThumbprint: binding.proof?.keyThumbprint,
            bindsGrant: client.bindsGrants, wantsBearer: binding.declines)
        let idleSeconds = client.allows(.refreshToken) ? issuer.project.idleSeconds : issuer.project.accessTokenSeconds
        let answer = try await stores.backchannel.poll(poll, idleSeconds: idleSeconds, at: now)
        let grant = try approved(answer, client: client, at: now)
        return try tokens(
            for: grant, client: client, scope: grant.scope, resources: grant.resources, binding: binding, nonce: nil,
            userClaims: [:], at: now)
    }

    private static let unknownRequest =
        "the auth_req_id is unknown, was issued to another client, or is bound to a key that was not proved"

    private func approved(_ answer: DeviceAnswer, client: Client, at now: UnixTime) throws(OAuthProblem) -> Grant {
        switch answer {
        case .granted(let grant):
            audit.record(
                AuditEvent(
                    .grantIssued, at: now, userID: grant.userID, clientID: grant.clientID, sessionID: grant.sessionID))
            return grant
        case .repeated, .spent:
            audit.recordOnce(AuditEvent(.backchannelReplayed, at: now, clientID: client.id))
            throw OAuthProblem(.invalidGrant, "the auth_req_id was used before")
        case .pending:
            throw OAuthProblem(.authorizationPending, "the user has not decided yet: ask again after the interval")
        case .slowDown(let seconds):
            throw OAuthProblem(.slowDown, "asked too early: wait \(seconds) seconds between requests from now on")
        case .denied:
            throw OAuthProblem(.accessDenied, "the user refused")
        case .expired:
            throw OAuthProblem(.expiredToken, "the auth_req_id has expired")
        case .ended:
            throw OAuthProblem(.invalidGrant, "the sign-in was ended before the client asked for it")
        case .unknown:
            throw OAuthProblem(.invalidGrant, Self.unknownRequest)
        }
    }
}
