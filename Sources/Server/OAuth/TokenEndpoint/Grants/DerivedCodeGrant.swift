internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// Codes for sessions that derive from an app's.
extension TokenEndpoint {
    /// `authorization_code` with such a code: once, for its client, redirect address, verifier and key. A second use ends
    /// what the first one gave (RFC 6749 §4.1.2).
    func redeemDerived(
        _ code: DerivedCode, _ form: FormParameters, client: Client, binding: TokenBinding
    ) async throws -> TokenResponse {
        let now = ambient.now()
        guard code.clientID == client.id, now < code.expiresAt, let parentID = GrantID(text: code.parentID),
            let grantID = GrantID(text: code.grantID)
        else { throw OAuthProblem(.invalidGrant, "the code was issued to another client, or has expired") }
        guard form.single("redirect_uri") == code.redirectURI,
            form.single("code_verifier").map(PKCE.challenge) == code.codeChallenge,
            code.keyThumbprint == nil || code.keyThumbprint == binding.proof?.keyThumbprint
        else {
            throw OAuthProblem(
                .invalidGrant, "redirect_uri, code_verifier or the DPoP key does not belong to this code")
        }
        let resources = try narrowed(form.values("resource"), from: code.resources, client: client)
        try await issuer.requireKey(of: client)
        guard let parent = try await stores.grants.live(parentID, at: now)?.grant else { throw Self.parentEnded }
        guard try await reuse.missing(parent.userID, parent.authentication) == nil else {
            throw OAuthProblem(.invalidGrant, "the app's session lacks what the account wants now: sign in again")
        }
        try await proofs.admit(binding.proof)
        let mark = ReplayMark(
            of: Array(code.grantID.utf8) + [0] + Array(DerivedCode.kind.utf8),
            expiresAt: code.expiresAt + Limits.spentMarginSeconds)
        guard try await stores.spent.spend(mark) else {
            _ = try await stores.grants.end(grantID, clientID: client.id, reason: .codeReplay, at: now)
            audit.recordOnce(
                AuditEvent(
                    .codeReplayed, at: now, userID: parent.userID, clientID: client.id,
                    sessionID: parent.sessionID ?? SessionID(of: grantID), reason: "code_replay"))
            throw OAuthProblem(.invalidGrant, "the code was used before; everything issued for it has been revoked")
        }
        let scope = Scope(names: code.scope).intersection(client.permittedScope)
        guard !scope.isEmpty || code.scope.isEmpty else { throw CurrentPermissions.nothingLeft }
        let grant = Grant(
            id: grantID, clientID: client.id, userID: parent.userID, sessionID: parent.sessionID, scope: scope,
            resources: code.resources, authentication: parent.authentication, nonce: code.nonce, claimsRequest: nil,
            keyThumbprint: client.bindsGrants ? binding.proof?.keyThumbprint : nil, wantsBearer: binding.declines,
            createdAt: now, idleExpiresAt: min(now + idleSeconds(client, scope: scope), parent.absoluteExpiresAt),
            absoluteExpiresAt: parent.absoluteExpiresAt)
        guard try await stores.grants.derive(grant, from: parentID, at: now) else { throw Self.parentEnded }
        audit.record(
            AuditEvent(
                .grantIssued, at: now, userID: grant.userID, clientID: client.id, sessionID: grant.sessionID,
                reason: code.reason, target: parent.clientID))
        return try await tokens(
            for: grant, client: client, scope: scope, resources: resources, binding: binding, nonce: code.nonce, at: now
        )
    }

    private static let parentEnded = OAuthProblem(.invalidGrant, "the session of the app has ended")
}
