public import KeyturnBase

extension Keyturn {
    /// Asks the service about the signed-in person (OpenID Connect Core §5.3).
    ///
    /// Claims that this library does not know are kept. An answer about somebody else than the ID token names is
    /// refused (§5.3.2).
    ///
    /// - Throws: `service.unsupported` if the service has no userinfo endpoint; `protocol.violation`;
    ///   `server.refused`; otherwise as ``accessToken(minimumSeconds:)``.
    public func userInfo() async throws(AuthError) -> UserInfo {
        let token = try await accessToken()
        let subject = await idToken?.subject
        do throws(AuthError) {
            return try await provider.userInfo(accessToken: token, subject: subject)
        } catch {
            guard error.server?.status == 401 else { throw error }
            let replacement = try await replacement(for: token)
            return try await provider.userInfo(accessToken: replacement, subject: subject)
        }
    }
}
