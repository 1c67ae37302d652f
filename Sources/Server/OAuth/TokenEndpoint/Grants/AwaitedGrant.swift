internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// What the grants that a client polls for differ in: the device grant and the backchannel grant.
struct AwaitedGrant: Sendable {
    /// The parameter with the code.
    let parameter: String
    /// The answer to a redemption was repeated.
    let repeated: AuditEvent.Kind
    /// A spent code came back.
    let replayed: AuditEvent.Kind
    let pending: String
    let denied: String
    let expired: String

    /// - Parameter poll: asks the store, with the seconds that an unused grant lives.
    func redeem(
        _ form: FormParameters, client: Client, binding: TokenBinding, at endpoint: TokenEndpoint,
        poll: (DevicePoll, _ idleSeconds: Int64, _ now: UnixTime) async throws -> DeviceAnswer
    ) async throws -> TokenResponse {
        guard let code = form.single(parameter) else {
            throw OAuthProblem(.invalidRequest, "\(parameter) is missing")
        }
        guard code.utf8.count <= Limits.awaitedCodeBytesMax else { throw OAuthProblem(.invalidGrant, unknown) }
        try await endpoint.issuer.requireKey(of: client)
        let now = endpoint.ambient.now()
        try await endpoint.proofs.admit(binding.proof)
        let ask = DevicePoll(
            id: SecretDigest(of: Secret(code)), clientID: client.id, keyThumbprint: binding.proof?.keyThumbprint,
            bindsGrant: client.bindsGrants, wantsBearer: binding.declines)
        let project = endpoint.issuer.project
        let idleSeconds = client.allows(.refreshToken) ? project.idleSeconds : project.accessTokenSeconds
        var grant = try granted(try await poll(ask, idleSeconds, now), client, endpoint.audit, at: now)
        let allowed = try endpoint.permissions.current(GrantedAccess(grant), of: client)
        grant.authorizationDetails = allowed.details
        // A client that is refused here asks once more, without.
        let resources = try endpoint.narrowed(form.values("resource"), from: allowed.resources, client: client)
        return try await endpoint.tokens(
            for: grant, client: client, scope: allowed.scope, resources: resources, binding: binding, nonce: nil,
            at: now)
    }

    private var unknown: String {
        "the \(parameter) is unknown, was issued to another client, or is bound to a key that was not proved"
    }

    /// A code is spent by its first redemption. A client that did not get that answer asks once more with the same code,
    /// and gets the same refresh token, for ``Limits/deviceRepeatSeconds`` and as long as it is unused. A thief of the
    /// code gains nothing by that: asking first would have been enough, and is just as possible without it. A code that
    /// comes back later is refused and ends nothing: an attacker who finds one in a log must not be able to sign a user
    /// out.
    private func granted(
        _ answer: DeviceAnswer, _ client: Client, _ audit: any AuditLog, at now: UnixTime
    ) throws(OAuthProblem) -> Grant {
        switch answer {
        case .granted(let grant):
            audit.record(event(.grantIssued, grant, at: now))
            return grant
        case .repeated(let grant):
            audit.recordOnce(event(repeated, grant, at: now))
            return grant
        case .spent:
            audit.recordOnce(AuditEvent(replayed, at: now, clientID: client.id, reason: "\(parameter)_replay"))
            throw OAuthProblem(.invalidGrant, "the \(parameter) was used before")
        case .pending:
            throw OAuthProblem(.authorizationPending, pending)
        case .slowDown(let seconds):
            throw OAuthProblem(.slowDown, "asked too early: wait \(seconds) seconds between requests from now on")
        case .denied:
            throw OAuthProblem(.accessDenied, denied)
        case .expired:
            throw OAuthProblem(.expiredToken, expired)
        case .ended:
            throw OAuthProblem(.invalidGrant, "the sign-in was ended before the client asked for it")
        case .unknown:
            throw OAuthProblem(.invalidGrant, unknown)
        }
    }

    private func event(_ kind: AuditEvent.Kind, _ grant: Grant, at now: UnixTime) -> AuditEvent {
        AuditEvent(kind, at: now, userID: grant.userID, clientID: grant.clientID, sessionID: grant.sessionID)
    }
}
