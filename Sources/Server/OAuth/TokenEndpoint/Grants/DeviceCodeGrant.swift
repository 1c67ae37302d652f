internal import KeyturnBase
public import KeyturnWire
internal import Model

/// `urn:ietf:params:oauth:grant-type:device_code` (RFC 8628 §3.4).
public enum DeviceCodeGrant: TokenGrant {
    public static let type = GrantType.deviceCode
    public static let parameters: Set<String> = ["device_code"]
    public static let admission = GrantAdmission(isForUnverifiedClients: true)

    public static func answer(_ request: TokenGrantRequest, at endpoint: TokenEndpoint) async throws -> TokenResponse {
        try await endpoint.redeemDevice(request.form, client: request.client, binding: request.binding)
    }
}

extension TokenEndpoint {
    /// `device_code` (RFC 8628 §3.4): one statement while there is no decision, two when the device is allowed.
    ///
    /// A code is spent by its first redemption. A device that did not get that answer asks once more with the same
    /// code, and gets the same refresh token, for ``Limits/deviceRepeatSeconds`` and as long as it is unused. A thief
    /// of the code gains nothing by that: asking first would have been enough, and is just as possible without it. A
    /// code that comes back later is refused and ends nothing: an attacker who finds one in a log must not be able to
    /// sign a device out.
    func redeemDevice(_ form: FormParameters, client: Client, binding: TokenBinding) async throws -> TokenResponse {
        guard let code = form.single("device_code") else {
            throw OAuthProblem(.invalidRequest, "device_code is missing")
        }
        guard code.utf8.count <= 256 else { throw OAuthProblem(.invalidGrant, Self.unknownDevice) }
        try await issuer.requireKey(of: client)
        let now = ambient.now()
        try proofs.admit(binding.proof)
        let poll = DevicePoll(
            id: SecretDigest(of: Secret(code)), clientID: client.id, keyThumbprint: binding.proof?.keyThumbprint,
            bindsGrant: client.bindsGrants, wantsBearer: binding.declines)
        let idleSeconds = client.allows(.refreshToken) ? issuer.project.idleSeconds : issuer.project.accessTokenSeconds
        let answer = try await stores.devices.poll(poll, idleSeconds: idleSeconds, at: now)
        let grant = try granted(answer, client: client, at: now)
        return try tokens(
            for: grant, client: client, scope: grant.scope, resources: grant.resources, binding: binding, nonce: nil,
            userClaims: [:], at: now)
    }

    private static let unknownDevice =
        "the device code is unknown, was issued to another client, or is bound to a key that was not proved"

    private func granted(_ answer: DeviceAnswer, client: Client, at now: UnixTime) throws(OAuthProblem) -> Grant {
        switch answer {
        case .granted(let grant):
            record(.grantIssued, grant, at: now)
            return grant
        case .repeated(let grant):
            record(.deviceRepeated, grant, at: now)
            return grant
        case .spent:
            audit.recordOnce(AuditEvent(.deviceReplayed, at: now, clientID: client.id, reason: "device_code_replay"))
            throw OAuthProblem(.invalidGrant, "the device code was used before")
        case .pending:
            throw OAuthProblem(.authorizationPending, "nobody has decided yet: ask again after the interval")
        case .slowDown(let seconds):
            throw OAuthProblem(.slowDown, "asked too early: wait \(seconds) seconds between requests from now on")
        case .denied:
            throw OAuthProblem(.accessDenied, "the person refused")
        case .expired:
            throw OAuthProblem(
                .expiredToken, "the device code has expired: codes live for \(Limits.deviceCodeSeconds) seconds")
        case .ended:
            throw OAuthProblem(.invalidGrant, "the sign-in was ended before the device asked for it")
        case .unknown:
            throw OAuthProblem(.invalidGrant, Self.unknownDevice)
        }
    }

    private func record(_ kind: AuditEvent.Kind, _ grant: Grant, at now: UnixTime) {
        audit.record(
            AuditEvent(kind, at: now, userID: grant.userID, clientID: grant.clientID, sessionID: grant.sessionID))
    }
}
