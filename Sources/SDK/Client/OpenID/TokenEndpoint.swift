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
        guard let endpoint = try await metadata().tokenEndpoint else {
            throw AuthError(.protocolViolation, "the discovery document names no token endpoint")
        }
        return endpoint
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
        return grant
    }

    /// The name by which a client registers what it wants (RFC 9449 §5.2), here for one request.
    private static let boundAccessTokens = "dpop_bound_access_tokens"

    /// Asks about the signed-in person (OpenID Connect Core §5.3).
    ///
    /// - Parameters:
    ///   - authorization: The header fields that present the access token.
    ///   - subject: Whom the answer must be about; `nil`: any user.
    func userInfo(
        authorization: [(name: String, value: String)], subject: String?
    ) async throws(AuthError) -> UserInfo {
        let endpoint = try await userInfoEndpoint()
        let json = try await Exchange.get(endpoint, headers: authorization, over: transport) {
            self.proofs.note($0, from: endpoint)
        }
        let claims = service.issuesIDTokens ? json.objectValue : BoxUserAnswer.claims(json)
        guard let claims, let sub = claims["sub"]?.stringValue else {
            throw AuthError(.protocolViolation, "the userinfo answer names nobody")
        }
        guard subject == nil || sub == subject else {
            throw AuthError(.userInfoMismatch, "sub differs from the ID token's (Core §5.3.2)")
        }
        return UserInfo(subject: sub, claims: claims)
    }

    func userInfoEndpoint() async throws(AuthError) -> String {
        guard let endpoint = try await metadata().userinfoEndpoint else {
            throw AuthError(.unsupported, "the service has no userinfo endpoint")
        }
        return endpoint
    }

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
        guard record.idToken == nil || record.idToken?.subject == token.subject else {
            throw AuthError(.tokenMisdirected, "the renewed ID token names somebody else (Core §12.2)")
        }
        return token
    }

    func revoke(_ record: SessionRecord, timeoutSeconds: Int) async throws(AuthError) {
        let token = record.refreshToken ?? record.accessToken
        let hint = record.refreshToken == nil ? "access_token" : "refresh_token"
        let metadata = try await metadata()
        guard let endpoint = metadata.revocationEndpoint else { return }
        guard service.wire.authgear == nil else {
            // The token alone says whose it is.
            _ = try await Exchange.post(
                FormParameters(["token": token]), to: endpoint, headers: [], timeoutSeconds: timeoutSeconds,
                over: transport)
            return
        }
        let form = FormParameters(["token": token, "token_type_hint": service.issuesIDTokens ? hint : nil])
        do throws(AuthError) {
            _ = try await post(form, to: endpoint, metadata, timeoutSeconds: timeoutSeconds)
        } catch {
            // A service that cannot revoke this kind of token has nothing more to say (RFC 7009 §2.2.1).
            guard error.server?.code == OAuthProblem.Code.unsupportedTokenType.rawValue else { throw error }
        }
    }
}

extension TokenGrant {
    /// Checks a token answer (RFC 6749 §5.1, RFC 9449 §5).
    ///
    /// - Parameter key: The key that the request proved possession of, if it did.
    init(_ json: JSONValue, key: DPoPProofMaker.Key?, isPublicClient: Bool) throws(AuthError) {
        guard let accessToken = Self.token(json["access_token"]) else {
            throw AuthError(.protocolViolation, "the token answer has no usable access token")
        }
        let type = json["token_type"]?.stringValue?.lowercased()
        isSenderConstrained = type == TokenType.dpop.lowercased()
        guard type == TokenType.bearer.lowercased() || isSenderConstrained && key != nil else {
            throw AuthError(.protocolViolation, "the token answer has an unknown token type")
        }
        self.accessToken = accessToken
        expiresInSeconds = try Self.seconds(json["expires_in"])
        refreshToken = Self.token(json["refresh_token"])
        // A public client that proved a key has its refresh token bound, whatever its access token is (RFC 9449 §5).
        // If the server has not done so, a needless proof does no harm.
        let isBound = isPublicClient || json["cnf"]?["jkt"]?.stringValue == key?.thumbprint
        keyThumbprint = isBound ? key?.thumbprint : nil
        idToken = Self.token(json["id_token"])
        if let text = json["scope"]?.stringValue {
            guard let scope = Scope(text) else {
                throw AuthError(.protocolViolation, "the token answer has a malformed scope")
            }
            self.scope = scope
        } else {
            scope = nil
        }
    }

    /// Visible ASCII only: it goes into a header.
    static func token(_ json: JSONValue?) -> String? {
        guard let text = json?.stringValue, !text.isEmpty, text.utf8.count <= Limits.tokenMaxBytes,
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        return text
    }

    /// A lifetime; some servers write it as a string or with a fraction.
    private static func seconds(_ json: JSONValue?) throws(AuthError) -> Int64? {
        let value: Int64?
        switch json {
        case nil, .null: return nil
        case .integer(let seconds): value = seconds
        case .number(let seconds): value = Int64(exactly: seconds.rounded(.down))
        case .string(let text): value = Int64(text)
        default: value = nil
        }
        guard let value, value >= 0 else {
            throw AuthError(.protocolViolation, "the token answer has a malformed expires_in")
        }
        return min(value, Limits.tokenLifetimeMaxSeconds)
    }
}
