public import KeyturnBase

extension SessionRevocations {
    /// Takes a provider's notice (OpenID Connect Back-Channel Logout 1.0 §2.5): the form parameter `logout_token` of its
    /// request.
    ///
    /// The same notice may come twice, and does no harm.
    ///
    /// - Parameters:
    ///   - logoutToken: What was sent; `nil` if the parameter was missing.
    ///   - verifier: Judges it.
    ///   - now: The moment to judge by.
    /// - Returns: What it said.
    /// - Throws: as ``LogoutTokenVerifier/verify(_:at:)``; `token.missing`. Nothing is revoked then; answer 400 (§2.8).
    @discardableResult
    public func receive(
        _ logoutToken: String?, verifiedBy verifier: LogoutTokenVerifier, at now: UnixTime
    ) async throws(AuthError) -> VerifiedLogoutToken {
        guard let logoutToken else { throw AuthError(.tokenMissing, "the request has no logout_token") }
        let token = try await verifier.verify(logoutToken, at: now)
        apply(token, at: now)
        return token
    }

    /// Refuses the tokens of what `token` says to be over, if they were issued until its ``VerifiedLogoutToken/issuedAt``.
    ///
    /// With `sid`: that session's tokens, and those of the user that name no session. Without it: every token of the user.
    public func apply(_ token: VerifiedLogoutToken, at now: UnixTime) {
        refuse(sessionID: token.sessionID, subject: token.subject, issuedBy: token.issuedAt, at: now)
    }
}
