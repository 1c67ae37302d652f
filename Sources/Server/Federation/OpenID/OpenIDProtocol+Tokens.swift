internal import KeyturnBase
internal import KeyturnWire
public import Model
public import SignIn

/// Tokens of providers that are kept: refreshed (RFC 6749 §6) and revoked (RFC 7009).
extension OpenIDProtocol {
    public func refresh(_ tokens: ProviderTokens, at connection: Connection) async throws(ConnectionProblem)
        -> ProviderTokens
    {
        do throws(ConnectionFault) {
            guard let refreshToken = tokens.refreshToken else { throw ConnectionFault(.refused, "no_refresh_token") }
            let (settings, preset) = try Self.parts(connection)
            let (metadata, _) = try await directory.provider(connection, settings, preset)
            var form = FormParameters()
            form.append("grant_type", "refresh_token")
            form.append("refresh_token", refreshToken)
            let headers = try authenticate(&form, settings, preset, metadata)
            let answer = try await ProviderRequests(http: http, connection: connection).post(
                metadata.tokenEndpoint, form, headers: headers)
            guard var fresh = kept(answer) else { throw ConnectionFault(.refused, "no_access_token") }
            // Providers that do not rotate leave it out.
            fresh.refreshToken = fresh.refreshToken ?? refreshToken
            if fresh.scopes.isEmpty { fresh.scopes = tokens.scopes }
            return fresh
        } catch {
            throw ConnectionProblem(error)
        }
    }

    public func revoke(_ tokens: ProviderTokens, at connection: Connection) async throws(ConnectionProblem) {
        do throws(ConnectionFault) {
            let (settings, preset) = try Self.parts(connection)
            let (metadata, _) = try await directory.provider(connection, settings, preset)
            guard let endpoint = metadata.revocationEndpoint else {
                throw ConnectionFault(.misconfigured, "no_revocation_endpoint")
            }
            var form = FormParameters()
            // The access tokens of a refresh token end with it (RFC 7009 §2.1).
            form.append("token", tokens.refreshToken ?? tokens.accessToken)
            form.append("token_type_hint", tokens.refreshToken == nil ? "access_token" : "refresh_token")
            var headers = try authenticate(&form, settings, preset, metadata)
            headers["Content-Type"] = "application/x-www-form-urlencoded"
            let answer = try await ProviderRequests(http: http, connection: connection).send(
                OutgoingRequest(
                    .post, endpoint, headers: headers, body: Array(form.encoded.utf8),
                    allowsPrivateAddress: connection.allowsPrivateAddresses))
            guard answer.status == 200 else {
                throw ConnectionFault(answer.status >= 500 ? .unavailable : .refused, "status_\(answer.status)")
            }
        } catch {
            throw ConnectionProblem(error)
        }
    }

    /// Adds the client's authentication to a request of the token endpoint.
    ///
    /// - Returns: headers.
    func authenticate(
        _ form: inout FormParameters, _ settings: OpenIDConnectionSettings, _ preset: ProviderPreset,
        _ metadata: ProviderMetadata
    ) throws(ConnectionFault) -> [String: String] {
        let secret =
            try preset.clientSecret.map { make throws(ConnectionFault) in try make(settings, ambient) }
            ?? settings.clientSecret
        if let secret, !preset.secretInForm, !metadata.secretInForm {
            return [
                "Authorization": BasicCredentials(clientID: settings.clientID, clientSecret: Secret(secret)).header
            ]
        }
        form.append("client_id", settings.clientID)
        if let secret { form.append("client_secret", secret) }
        return [:]
    }

    /// What is kept of a token endpoint's answer; `nil`: there is no access token.
    func kept(_ answer: JSONValue) -> ProviderTokens? {
        guard let accessToken = answer["access_token"]?.stringValue, !accessToken.isEmpty else { return nil }
        let seconds: Int64? =
            switch answer["expires_in"] {
            case .integer(let seconds): seconds
            case .string(let text): Int64(text)
            default: nil
            }
        return ProviderTokens(
            accessToken: accessToken, refreshToken: answer["refresh_token"]?.stringValue,
            scopes: answer["scope"]?.stringValue?.split { " ,".contains($0) }.map(String.init) ?? [],
            expiresAt: seconds.flatMap { (0...315_360_000).contains($0) ? ambient.now() + $0 : nil })
    }
}
