internal import KeyturnBase
internal import KeyturnVerify
internal import KeyturnWire

extension OpenIDProvider {
    /// Trades a code, or whatever else, for tokens (RFC 6749 §3.2).
    func tokens(_ request: TokenRequest) async throws(AuthError) -> TokenGrant {
        let metadata = try await metadata()
        guard let endpoint = metadata.tokenEndpoint else {
            throw AuthError(.protocolViolation, "the discovery document names no token endpoint")
        }
        let json = try await post(request.parameters, to: endpoint, metadata, timeoutSeconds: Limits.requestSeconds)
        return try TokenGrant(json)
    }

    /// Asks about the signed-in person (OpenID Connect Core §5.3).
    ///
    /// - Parameter subject: Whom the answer must be about; `nil`: anybody.
    func userInfo(accessToken: String, subject: String?) async throws(AuthError) -> UserInfo {
        guard let endpoint = try await metadata().userinfoEndpoint else {
            throw AuthError(.unsupported, "the service has no userinfo endpoint")
        }
        let json = try await Exchange.get(
            endpoint, headers: [("Authorization", "Bearer " + accessToken)], over: transport)
        guard let claims = json.objectValue, let sub = claims["sub"]?.stringValue else {
            throw AuthError(.protocolViolation, "the userinfo answer names nobody")
        }
        guard subject == nil || sub == subject else {
            throw AuthError(.protocolViolation, "the userinfo answer is about somebody else (Core §5.3.2)")
        }
        return UserInfo(subject: sub, claims: claims)
    }

    /// Sends a form with the client's own authentication (RFC 6749 §2.3).
    private func post(
        _ parameters: FormParameters, to endpoint: String, _ metadata: ServerMetadata, timeoutSeconds: Int
    ) async throws(AuthError) -> JSONValue {
        var form = parameters
        var headers: [(name: String, value: String)] = []
        if let secret = service.clientSecret {
            let methods = metadata.tokenEndpointAuthMethodsSupported ?? []
            if methods.isEmpty || methods.contains(ClientAuthenticationMethod.clientSecretBasic.rawValue) {
                let credentials = BasicCredentials(clientID: service.clientID, clientSecret: secret)
                headers.append(("Authorization", credentials.header))
            } else {
                form.append("client_id", service.clientID)
                form.append("client_secret", secret.exposed())
            }
        } else {
            form.append("client_id", service.clientID)
        }
        return try await Exchange.post(
            form, to: endpoint, headers: headers, timeoutSeconds: timeoutSeconds, over: transport)
    }
}

extension OpenIDProvider: SessionRenewer {
    func renew(_ record: SessionRecord) async throws(AuthError) -> TokenGrant {
        guard let token = record.refreshToken else { throw AuthError(.unsupported, "there is no refresh token") }
        return try await tokens(.refreshToken(Secret(token)))
    }

    func verify(renewedIDToken compact: String, of record: SessionRecord) async throws(AuthError) -> IDToken {
        let verified = try await idTokenVerifier().verify(
            compact, nonce: nil, accessToken: record.accessToken, maxAgeSeconds: nil, at: ambient.now())
        let token = IDToken(compact: compact, verified: verified)
        guard record.idToken == nil || record.idToken?.subject == token.subject else {
            throw AuthError(.tokenMisdirected, "the renewed ID token names somebody else (Core §12.2)")
        }
        return token
    }

    func revoke(_ token: String, isRefreshToken: Bool, timeoutSeconds: Int) async throws(AuthError) {
        let metadata = try await metadata()
        guard let endpoint = metadata.revocationEndpoint else { return }
        let form = FormParameters([
            "token": token, "token_type_hint": isRefreshToken ? "refresh_token" : "access_token",
        ])
        do throws(AuthError) {
            _ = try await post(form, to: endpoint, metadata, timeoutSeconds: timeoutSeconds)
        } catch {
            // A service that cannot revoke this kind of token has nothing more to say (RFC 7009 §2.2.1).
            guard error.server?.code == OAuthProblem.Code.unsupportedTokenType.rawValue else { throw error }
        }
    }
}

extension TokenGrant {
    /// Checks a token answer (RFC 6749 §5.1).
    init(_ json: JSONValue) throws(AuthError) {
        guard let accessToken = Self.token(json["access_token"]) else {
            throw AuthError(.protocolViolation, "the token answer has no usable access token")
        }
        guard json["token_type"]?.stringValue?.lowercased() == "bearer" else {
            throw AuthError(.protocolViolation, "the token answer has an unknown token type")
        }
        self.accessToken = accessToken
        expiresInSeconds = try Self.seconds(json["expires_in"])
        refreshToken = Self.token(json["refresh_token"])
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
    private static func token(_ json: JSONValue?) -> String? {
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
