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
        // Before a code is shown that nothing could be done with.
        _ = try metadata.endpoint(.tokenEndpoint)
        var form = FormParameters()
        form.append("scope", scope.text)
        for uri in options.resource { form.append("resource", uri) }
        if !options.acrValues.isEmpty { form.append("acr_values", options.acrValues.joined(separator: " ")) }
        let key = try await bindingKey()
        let json = try await post(form, to: endpoint, metadata, key: key, timeoutSeconds: Limits.requestSeconds)
        return (try DeviceAuthorizationResponse(checking: json), key)
    }

    /// Asks once whether the person has decided (RFC 8628 §3.4). Nothing of the answer is verified yet.
    func redeem(deviceCode: Secret, key: DPoPProofMaker.Key?) async throws(AuthError) -> TokenGrant {
        try await tokens(
            .deviceCode(deviceCode), key: key, bindsAccessToken: service.binding == .allTokens,
            timeoutSeconds: Limits.devicePollTimeoutSeconds)
    }
}

extension DeviceAuthorizationResponse {
    /// Checks an answer: it is shown to a person, who goes where it says. Google's follows a draft
    /// (`verification_url`).
    fileprivate init(checking json: JSONValue) throws(AuthError) {
        guard let code = json["device_code"]?.stringValue, !code.isEmpty, code.utf8.count <= Limits.tokenMaxBytes
        else { throw Self.lacks("device_code") }
        guard let userCode = json["user_code"]?.stringValue, Self.isShowable(userCode) else {
            throw Self.lacks("user_code")
        }
        guard let page = Self.page(json, "verification_uri", "verification_url") else {
            throw Self.lacks("verification_uri")
        }
        guard let seconds = json["expires_in"]?.secondsValue, seconds > 0 else { throw Self.lacks("expires_in") }
        self.init(
            deviceCode: code, userCode: userCode, verificationURI: page,
            verificationURIComplete: Self.page(json, "verification_uri_complete", "verification_url_complete"),
            expiresInSeconds: min(seconds, Limits.deviceSecondsMax), intervalSeconds: json["interval"]?.secondsValue)
    }

    /// The first of the members that is an address.
    private static func page(_ json: JSONValue, _ members: String...) -> String? {
        members.lazy.compactMap { json[$0]?.stringValue }.first(where: URLText.isAcceptableEndpoint)
    }

    private static func lacks(_ member: String) -> AuthError {
        AuthError(
            .protocolViolation, "the device authorization answer has no \(member) that can be used (RFC 8628 §3.2)")
    }

    /// Visible ASCII: it must not steer a terminal.
    private static func isShowable(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }
}
