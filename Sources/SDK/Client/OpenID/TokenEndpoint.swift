internal import KeyturnBase
internal import KeyturnJose
internal import KeyturnVerify
internal import KeyturnWire

extension OpenIDProvider {
    /// Trades a code for tokens (RFC 6749 §4.1.3), bound to this device's key if the service can do that.
    func redeem(
        code: Secret, redirectURI: String, codeVerifier: Secret, resource: [String]
    ) async throws(AuthError) -> TokenGrant {
        let isRepeated = service.wire.endpoints?.repeatsRedirectURI ?? true
        let request = TokenRequest.authorizationCode(
            code: code, redirectURI: isRepeated ? redirectURI : nil, codeVerifier: codeVerifier, resource: resource)
        let key = try await bindingKey()
        return try await tokens(request, key: key, bindsAccessToken: service.binding == .allTokens)
    }

    /// Where tokens are asked for (RFC 6749 §3.2).
    func tokenEndpoint() async throws(AuthError) -> String {
        try await metadata().endpoint(.tokenEndpoint)
    }

    /// The key that a new session will be bound to; `nil` if it will not be.
    func bindingKey() async throws(AuthError) -> DPoPProofMaker.Key? {
        guard service.binding != .none,
            try await metadata().dpopSigningAlgValuesSupported?.contains(SignatureAlgorithm.es256.rawValue) == true
        else { return nil }
        return try await proofs.makeKey()
    }

    /// - Parameter extra: Sent along.
    func tokens(
        _ request: TokenRequest, key: DPoPProofMaker.Key?, bindsAccessToken: Bool,
        extra: [(name: String, value: String)] = [], timeoutSeconds: Int = Limits.requestSeconds
    ) async throws(AuthError) -> TokenGrant {
        var form = request.parameters
        for parameter in extra { form.append(parameter.name, parameter.value) }
        return try await tokens(form, key: key, bindsAccessToken: bindsAccessToken, timeoutSeconds: timeoutSeconds)
    }

    func tokens(
        _ parameters: FormParameters, key: DPoPProofMaker.Key?, bindsAccessToken: Bool,
        timeoutSeconds: Int = Limits.requestSeconds
    ) async throws(AuthError) -> TokenGrant {
        let endpoint = try await tokenEndpoint()
        let metadata = try await metadata()
        var form = parameters
        if key != nil, !bindsAccessToken, service.wire.authgear == nil {
            form.append(Self.boundAccessTokens, "false")
        }
        form.append(AuthgearNames.deviceInfo, deviceInfo)
        let json = try await post(form, to: endpoint, metadata, key: key, timeoutSeconds: timeoutSeconds)
        var grant = try TokenGrant(json, key: key, isPublicClient: service.clientAuthentication.isPublic)
        if service.receivesDeviceSecrets { grant.deviceSecret = TokenGrant.token(json[AuthgearNames.deviceSecret]) }
        if grant.refreshToken == nil, json["refresh_token"]?.stringValue?.isEmpty == false {
            logger?.log(
                .error,
                "token answer: its refresh_token is not used, because it is longer than \(Limits.tokenMaxBytes) bytes "
                    + "or has characters that none may have (RFC 6749 A.17)")
        }
        return grant
    }

    /// The verified ID token of a token answer (OpenID Connect Core §3.1.3.7).
    ///
    /// - Parameters:
    ///   - grant: What the token endpoint answered.
    ///   - nonce: What was sent with the authorization request; `nil`: nothing was.
    ///   - maxAgeSeconds: The `max_age` that was sent; `nil`: none was.
    func idToken(
        of grant: TokenGrant, nonce: String? = nil, maxAgeSeconds: Int64? = nil
    ) async throws(AuthError) -> IDToken {
        guard let compact = grant.idToken else {
            throw AuthError(
                .protocolViolation,
                "the token answer has no id_token of at most \(TokenGrant.idTokenMaxBytes) bytes (Core §3.1.3.3)")
        }
        let verified = try await idTokenVerifier().verify(
            compact, nonce: nonce, accessToken: grant.accessToken, maxAgeSeconds: maxAgeSeconds, at: clock.now())
        return IDToken(compact: compact, verified: verified)
    }

    /// The name by which a client registers what it wants (RFC 9449 §5.2), here for one request.
    private static let boundAccessTokens = "dpop_bound_access_tokens"

    /// The header fields that present an access token (RFC 6750 §2.1, RFC 9449 §7.1).
    ///
    /// - Parameter thumbprint: The key that the token is bound to; `nil`: any bearer may use it.
    func authorization(
        _ token: String, boundTo thumbprint: String?, method: String, url: String
    ) async throws(AuthError) -> [(name: String, value: String)] {
        guard let thumbprint else { return [("Authorization", "\(TokenType.bearer) \(token)")] }
        let key = try await proofs.key(thumbprint)
        let proof = try await proofs.proof(key, method: method, url: url, accessToken: token)
        return [("Authorization", "\(TokenType.dpop) \(token)"), (TokenType.dpop, proof)]
    }

    /// Sends a form with the client's own authentication (RFC 6749 §2.3), and with a proof of `key`.
    ///
    /// Sent again, with another proof, as ``DPoPProofMaker/Retries`` says.
    func post(
        _ parameters: FormParameters, to endpoint: String, _ metadata: ServerMetadata, key: DPoPProofMaker.Key? = nil,
        presenting accessToken: String? = nil, timeoutSeconds: Int
    ) async throws(AuthError) -> JSONValue {
        var retries = DPoPProofMaker.Retries()
        var isCorrected = false
        for _ in 0...DPoPProofMaker.Retries.requestsMax {
            let dated = clock.now()
            // A signed statement is good for one request.
            var (form, headers) = try authenticated(parameters, metadata, at: dated)
            if let accessToken { headers.append(("Authorization", "\(TokenType.bearer) \(accessToken)")) }
            let proof: [(name: String, value: String)] =
                if let key { [(TokenType.dpop, try await proofs.proof(key, method: "POST", url: endpoint))] } else {
                    []
                }
            let response = try await Exchange.send(
                form, to: endpoint, headers: headers + proof, timeoutSeconds: timeoutSeconds, over: transport)
            clock.note(response)
            let isNewNonce = proofs.note(response, from: endpoint)
            do throws(AuthError) {
                return try Exchange.answer(response)
            } catch {
                if !isCorrected, service.clientAuthentication.isOutOfTime(error, dated: dated, by: clock) {
                    isCorrected = true
                    continue
                }
                guard key != nil, retries.allow(error, isNewNonce: isNewNonce) else { throw error }
            }
        }
        throw AuthError(.protocolViolation, "the server never took a proof")
    }
}

extension OpenIDProvider: SessionRenewer {
    func prepare(_ record: SessionRecord) async throws(AuthError) {
        try checkTenant(of: record)
        _ = try await metadata()
    }

    func renew(_ record: SessionRecord) async throws(AuthError) -> TokenGrant {
        guard let token = record.refreshToken else { throw AuthError(.unsupported, "there is no refresh token") }
        var key: DPoPProofMaker.Key?
        if let thumbprint = record.keyThumbprint {
            key = try await proofs.key(thumbprint)
        } else if record.isSenderConstrained {
            key = try await proofs.makeKey()
        }
        // The first renewal after an unlock is what Trifork's clients call a login, and looks like one.
        let repeats = service.wire.repeatsParametersWhenUnlocked && record.isUnsealed
        let request = TokenRequest.refreshToken(
            Secret(token), scope: repeats && !record.scope.isEmpty ? record.scope.text : nil)
        return try await tokens(
            request, key: key, bindsAccessToken: record.isSenderConstrained,
            extra: (repeats ? service.wire.authorizationParameters : []) + Self.deviceSecret(of: record))
    }

    /// The session's device secret, as a parameter: the answer then holds the next one.
    static func deviceSecret(of record: SessionRecord) -> [(name: String, value: String)] {
        record.deviceSecret.map { [(AuthgearNames.deviceSecret, $0)] } ?? []
    }

    func proofKey(of record: SessionRecord) async throws(AuthError) -> String? {
        if let thumbprint = record.keyThumbprint { return thumbprint }
        return record.isSenderConstrained ? try await proofs.makeKey().thumbprint : nil
    }

    func verify(renewedIDToken compact: String, of record: SessionRecord) async throws(AuthError) -> IDToken {
        let verified = try await idTokenVerifier().verify(
            compact, nonce: nil, accessToken: record.accessToken, maxAgeSeconds: nil, at: clock.now())
        let token = IDToken(compact: compact, verified: verified)
        guard record.idToken == nil || record.isOfUser(named: token) else {
            throw AuthError(.tokenMisdirected, "the renewed ID token names another user (Core §12.2)")
        }
        return token
    }
}
