internal import KeyturnBase
internal import KeyturnVerify
internal import KeyturnWire

extension OpenIDProvider {
    /// Asks for a code that a person types elsewhere (RFC 8628 §3.1). It is bound to this device's key if the service can
    /// do that.
    func startDevice(_ options: DeviceSignInOptions, scope: Scope) async throws(AuthError)
        -> (DeviceAuthorizationResponse, DPoPProofMaker.Key?)
    {
        let metadata = try await metadata()
        guard let endpoint = metadata.deviceAuthorizationEndpoint else {
            throw AuthError(.unsupported, "the service does not sign devices in with a code (RFC 8628)")
        }
        var form = FormParameters()
        form.append("scope", scope.text)
        for uri in options.resource { form.append("resource", uri) }
        if !options.acrValues.isEmpty { form.append("acr_values", options.acrValues.joined(separator: " ")) }
        let key = try await bindingKey()
        let json = try await post(form, to: endpoint, metadata, key: key, timeoutSeconds: Limits.requestSeconds)
        return (try DeviceAuthorizationResponse(checking: json), key)
    }

    /// Asks once whether the person has decided, and verifies what comes of it.
    func redeem(deviceCode: Secret, key: DPoPProofMaker.Key?) async throws(AuthError) -> (TokenGrant, IDToken) {
        let grant = try await tokens(
            .deviceCode(deviceCode), key: key, bindsAccessToken: service.binding == .allTokens,
            timeoutSeconds: Limits.devicePollTimeoutSeconds)
        guard let compact = grant.idToken else {
            throw AuthError(.protocolViolation, "the token answer has no ID token (Core §3.1.3.3)")
        }
        let verified = try await idTokenVerifier().verify(
            compact, nonce: nil, accessToken: grant.accessToken, maxAgeSeconds: nil, at: clock.now())
        return (grant, IDToken(compact: compact, verified: verified))
    }
}

extension DeviceAuthorizationResponse {
    /// Checks an answer: it is shown to a person, who goes where it says.
    fileprivate init(checking json: JSONValue) throws(AuthError) {
        guard let code = json["device_code"]?.stringValue, !code.isEmpty, code.utf8.count <= Limits.tokenMaxBytes,
            let userCode = json["user_code"]?.stringValue, Self.isShowable(userCode),
            let page = json["verification_uri"]?.stringValue, URLText.isAcceptableEndpoint(page),
            let seconds = json["expires_in"]?.integerValue, seconds > 0
        else { throw AuthError(.protocolViolation, "the device authorization answer is not complete (RFC 8628 §3.2)") }
        self.init(
            deviceCode: code, userCode: userCode, verificationURI: page,
            verificationURIComplete: json["verification_uri_complete"]?.stringValue.flatMap {
                URLText.isAcceptableEndpoint($0) ? $0 : nil
            },
            expiresInSeconds: min(seconds, Limits.deviceSecondsMax), intervalSeconds: json["interval"]?.integerValue)
    }

    /// Visible ASCII: it must not steer a terminal.
    private static func isShowable(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }
}
