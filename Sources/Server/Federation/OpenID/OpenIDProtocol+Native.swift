internal import KeyturnBase
public import Model
public import SignIn

/// Sign-in with the provider's own sheet or library: the app brings the ID token.
extension OpenIDProtocol {
    /// The token must be for one of the connection's own clients, and carry the nonce of this sign-in. An access token
    /// alone says nothing: it could have been given to any app of the provider.
    public func verify(_ token: NativeIDToken, at connection: Connection) async throws(ConnectionProblem)
        -> FederatedProfile
    {
        do throws(ConnectionFault) {
            return try await profile(token, connection)
        } catch {
            throw ConnectionProblem(error)
        }
    }

    private func profile(_ token: NativeIDToken, _ connection: Connection) async throws(ConnectionFault)
        -> FederatedProfile
    {
        let (settings, preset) = try Self.parts(connection)
        guard preset.user == nil, !token.nonce.isEmpty else { throw ConnectionFault(.misconfigured, "native") }
        let (metadata, keys) = try await directory.provider(connection, settings, preset)
        guard let keys else { throw ConnectionFault(.misconfigured, "native") }
        let check = IDTokenCheck(
            settings: settings, preset: preset, metadata: metadata, keys: keys, nonce: token.nonce,
            audiences: [settings.clientID] + settings.nativeClientIDs)
        let claims = try await check.claims(of: token.idToken.exposed(), accessToken: nil, at: ambient.now())
        var profile = try ProfileClaims(claims: claims, settings: settings, preset: preset)
            .profile(names: token.names).bounded().vouched(for: connection, settings, preset)
        profile.issuedAt = IDTokenCheck.time(claims["iat"])
        return profile
    }
}
