internal import KeyturnBase
internal import KeyturnWire

/// Ends what was granted, at the service (RFC 7009).
extension OpenIDProvider {
    func revoke(_ record: SessionRecord, timeoutSeconds: Int) async throws(AuthError) {
        try await revoke(
            refreshToken: record.refreshToken, accessToken: record.accessToken, timeoutSeconds: timeoutSeconds)
    }

    /// Ends a grant of which no session came. Done when the service has no place to revoke at.
    func revoke(_ grant: TokenGrant, timeoutSeconds: Int) async throws(AuthError) {
        try await revoke(
            refreshToken: grant.refreshToken, accessToken: grant.accessToken, timeoutSeconds: timeoutSeconds)
    }

    private func revoke(
        refreshToken: String?, accessToken: String, timeoutSeconds: Int
    ) async throws(AuthError) {
        let token = refreshToken ?? accessToken
        let hint = refreshToken == nil ? "access_token" : "refresh_token"
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
