internal import KeyturnBase
internal import KeyturnWire

/// The service, as the keeper of a session sees it.
protocol SessionRenewer: Sendable {
    /// Fetches what ``renew(_:)`` needs, so that its request is then sent at once.
    func prepare(_ record: SessionRecord) async throws(AuthError)

    /// Trades the record's refresh token for new tokens (RFC 6749 §6).
    func renew(_ record: SessionRecord) async throws(AuthError) -> TokenGrant

    /// Verifies an ID token that came with a renewal: it must name the same person (OpenID Connect Core §12.2).
    func verify(renewedIDToken compact: String, of record: SessionRecord) async throws(AuthError) -> IDToken

    /// The key that the record's access token is bound to.
    func proofKey(of record: SessionRecord) async throws(AuthError) -> String?

    /// Whether the service issues the record's ID token anew for its access token, see ``renewIDToken(of:)``.
    func renewsIDToken(of record: SessionRecord) -> Bool

    /// The session's ID token anew, without a renewal of the session.
    ///
    /// - Throws: `service.unsupported` where ``renewsIDToken(of:)`` is `false`.
    func renewIDToken(of record: SessionRecord) async throws(AuthError) -> RenewedIDToken

    /// Ends the record's session at the service (RFC 7009). Done when the service has no place to revoke at.
    func revoke(_ record: SessionRecord, timeoutSeconds: Int) async throws(AuthError)
}

extension SessionRenewer {
    func renewsIDToken(of record: SessionRecord) -> Bool { false }

    func renewIDToken(of record: SessionRecord) async throws(AuthError) -> RenewedIDToken {
        throw AuthError(.unsupported, "the service issues no ID token for an access token")
    }
}

/// An ID token for a session that goes on as it is.
struct RenewedIDToken: Hashable, Sendable {
    /// Not verified yet.
    let compact: String
    /// In the place of the one before; `nil`: that one stays.
    let deviceSecret: String?
}

/// A token answer, checked for its form.
struct TokenGrant: Hashable, Sendable {
    let accessToken: String
    /// Lifetime of the access token from its arrival, in seconds; `nil` when the server did not say.
    let expiresInSeconds: Int64?
    let refreshToken: String?
    /// Not verified yet.
    let idToken: String?
    /// `nil`: exactly what was asked for.
    let scope: Scope?
    /// Whether the access token wants a proof with each request (`token_type` DPoP, RFC 9449 §5).
    var isSenderConstrained = false
    /// The thumbprint of the key that the refresh token was bound to; `nil`: none.
    var keyThumbprint: String?
    /// What pages of web applications are opened with, together with the ID token; `nil`: none, or the one before stays.
    var deviceSecret: String?
}
