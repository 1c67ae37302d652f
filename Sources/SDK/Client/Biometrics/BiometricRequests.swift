internal import KeyturnBase
internal import KeyturnJose
internal import KeyturnVerify
internal import KeyturnWire

/// What is said to the service (Authgear's biometric grant).
extension OpenIDProvider {
    /// Asks for what a signed request is made fresh with.
    ///
    /// - Throws: `service.unsupported` if the service has no such place.
    func challenge(_ purpose: ChallengeRequest.Purpose) async throws(AuthError) -> Challenge {
        let url = try await challengeURL()
        let request = HTTPRequest(
            method: "POST", url: url,
            headers: [("Accept", "application/json"), ("Content-Type", "application/json")],
            body: ChallengeRequest(purpose: purpose).body, timeoutSeconds: Limits.requestSeconds)
        let response = try await transport.send(request)
        clock.note(response)
        guard response.status != 404 else {
            throw AuthError(.unsupported, "the service has no challenges for keys", server: .init(status: 404))
        }
        _ = try Exchange.answer(response)
        guard let challenge = Challenge(parsing: response.body) else {
            throw AuthError(.protocolViolation, "the challenge is none", server: .init(status: response.status))
        }
        return challenge
    }

    /// It is where the authorization endpoint is, whatever path the issuer has.
    private func challengeURL() async throws(AuthError) -> String {
        guard service.issuesIDTokens, let page = try await metadata().authorizationEndpoint,
            let origin = URIParts.origin(of: page)
        else { throw AuthError(.unsupported, "the service signs nobody in with a key behind a touch") }
        return origin + "/oauth2/challenge"
    }

    /// Trades a signed request for tokens, bound to this device's key if the service can do that.
    ///
    /// - Parameter maxAgeSeconds: Oldest acceptable sign-in; `nil`: any.
    func redeem(
        biometricRequest jwt: String, scope: Scope, maxAgeSeconds: Int64?
    ) async throws(AuthError) -> (TokenGrant, IDToken) {
        var form = Self.form(jwt)
        form.append("scope", scope.text)
        let grant = try await tokens(
            form, key: try await bindingKey(), bindsAccessToken: service.binding == .allTokens)
        guard let compact = grant.idToken else {
            throw AuthError(.protocolViolation, "the token answer has no ID token (Core §3.1.3.3)")
        }
        let verified = try await idTokenVerifier().verify(
            compact, nonce: nil, accessToken: grant.accessToken, maxAgeSeconds: maxAgeSeconds, at: clock.now())
        return (grant, IDToken(compact: compact, verified: verified))
    }

    /// Adds a key to the account of the access token that is presented. The answer says nothing.
    ///
    /// - Parameter authorization: The header fields that present the access token; the client names itself in the form.
    func setUp(
        biometricRequest jwt: String, authorization: [(name: String, value: String)]
    ) async throws(AuthError) {
        let endpoint = try await tokenEndpoint()
        let (form, _) = try authenticated(Self.form(jwt), try await metadata(), at: clock.now(), isInForm: true)
        let response = try await Exchange.send(
            form, to: endpoint, headers: authorization, timeoutSeconds: Limits.requestSeconds, over: transport)
        clock.note(response)
        proofs.note(response, from: endpoint)
        _ = try Exchange.answer(response)
    }

    private static func form(_ jwt: String) -> FormParameters {
        var form = FormParameters()
        form.append("grant_type", GrantType.biometricRequest.rawValue)
        form.append(BiometricNames.jwt, jwt)
        return form
    }
}

/// A request that a key has signed, and when.
struct SignedKeyRequest: Sendable {
    let jwt: String
    /// Its `iat`.
    let issuedAt: UnixTime
    /// When its challenge was asked for, in uptime seconds.
    let begunAt: Int64
    /// When it was dated, in uptime seconds.
    let datedAt: Int64

    /// Whether a refusal that has just come can only mean the key: the request was in time, by the service's own clock.
    func wasInTime(by clock: ServiceClock, _ ambient: Ambient) -> Bool {
        let now = ambient.uptime()
        guard clock.isKnown, now - begunAt <= Limits.biometricPatienceSeconds else { return false }
        return abs(clock.now().seconds(since: issuedAt) - (now - datedAt)) <= Limits.clockErrorSeconds
    }
}

extension SignedKeyRequest {
    /// Asks for a challenge, and the person; dated by the service's clock.
    ///
    /// - Parameters:
    ///   - isNew: Whether the service does not know the key yet.
    ///   - deviceInfo: What the device says about itself.
    init(
        _ action: BiometricAction, _ key: any BiometricKey, id: String, isNew: Bool, prompt: BiometricPrompt,
        deviceInfo: JSONValue, at provider: OpenIDProvider
    ) async throws(AuthError) {
        begunAt = provider.ambient.uptime()
        let challenge = try await provider.challenge(.biometricRequest)
        issuedAt = provider.clock.now()
        datedAt = provider.ambient.uptime()
        let draft = BiometricRequestDraft(
            type: BiometricNames.requestType, action: action.rawValue, keyID: id, algorithm: key.algorithm,
            publicKey: isNew ? key.publicKey : nil, challenge: challenge.token, deviceInfo: deviceInfo,
            issuedAt: issuedAt, seconds: Limits.biometricRequestSeconds)
        jwt = draft.request(signature: try await key.signature(of: draft.signingInput, prompt))
    }
}
