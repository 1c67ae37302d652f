public import KeyturnBase
public import KeyturnJose
internal import KeyturnWire

/// A logout token that a ``LogoutTokenVerifier`` accepted. Nothing else can make one.
public struct VerifiedLogoutToken: Sendable {
    /// Who issued it (`iss`).
    public let issuer: String
    /// Whose sessions end (`sub`). At least one of ``subject`` and ``sessionID`` is there.
    public let subject: String?
    /// Which session ends (`sid`); `nil`: all of the subject's.
    public let sessionID: String?
    /// The token's own name (`jti`). Remember it until ``expiresAt`` if acting twice would do harm (§2.6 step 8).
    public let tokenID: String
    /// When it was issued (`iat`).
    public let issuedAt: UnixTime
    /// When it ends (`exp`).
    public let expiresAt: UnixTime
}

/// Turns an identity provider's request to end sessions into a ``VerifiedLogoutToken``, or refuses it (OpenID
/// Connect Back-Channel Logout §2.6).
public struct LogoutTokenVerifier: Sendable {
    /// Who must have issued the token.
    public let issuer: String
    /// The client whose sessions end.
    public let clientID: String
    /// Whether a token without `typ` is accepted, as providers older than the final standard send it.
    public let allowsMissingType: Bool
    /// The signature algorithms that are accepted.
    public let algorithms: Set<SignatureAlgorithm>
    /// How far the issuer's clock may differ, in seconds.
    public let toleranceSeconds: Int64
    let keys: any KeySource

    /// - Parameters:
    ///   - issuer: Who must have issued the token, character by character.
    ///   - clientID: The client whose sessions end.
    ///   - keys: The issuer's keys, usually a ``KeySet``.
    ///   - allowsMissingType: For providers older than the final standard.
    ///   - algorithms: The signature algorithms to accept.
    ///   - toleranceSeconds: How far the issuer's clock may differ. Default 30, at most 300.
    public init(
        issuer: String, clientID: String, keys: any KeySource, allowsMissingType: Bool = false,
        algorithms: Set<SignatureAlgorithm> = .publicKeyAlgorithms, toleranceSeconds: Int64 = 30
    ) {
        precondition(!issuer.isEmpty && !clientID.isEmpty, "issuer and client must be given")
        precondition(
            (0...VerifyLimits.toleranceSeconds).contains(toleranceSeconds), "tolerance must be 0...300 seconds")
        self.issuer = issuer
        self.clientID = clientID
        self.keys = keys
        self.allowsMissingType = allowsMissingType
        self.algorithms = algorithms
        self.toleranceSeconds = toleranceSeconds
    }

    /// Accepts `logoutToken`, or says why not.
    ///
    /// - Parameters:
    ///   - logoutToken: The form parameter of that name in the provider's request.
    ///   - now: The moment to judge by.
    /// - Throws: as ``TokenVerifier/verify(_:proofKeyThumbprint:at:)``. A token older than two minutes is
    ///   `token.expired`, whatever its `exp` says.
    public func verify(_ logoutToken: String, at now: UnixTime) async throws(AuthError) -> VerifiedLogoutToken {
        let jws = try TokenRules.parse(logoutToken)
        let kind = jws.header.type
        guard kind == TokenKind.logoutToken || (kind == nil && allowsMissingType) else {
            throw AuthError(.tokenKind, "typ is not logout+jwt")
        }
        try TokenRules.check(jws, isOneOf: algorithms)
        let claims = try ClaimReader(try await keys.open(jws, at: now))
        guard try claims.text("iss") == issuer else { throw AuthError(.tokenMisdirected, "iss is another issuer") }
        guard try claims.audience().contains(clientID) else {
            throw AuthError(.tokenMisdirected, "aud lacks this client")
        }
        let lifetime = try Lifetime(claims)
        try lifetime.check(at: now, toleranceSeconds: toleranceSeconds)
        guard now <= lifetime.issuedAt + VerifyLimits.logoutTokenSeconds + toleranceSeconds else {
            throw AuthError(.tokenExpired, "issued more than two minutes ago")
        }
        try Self.checkEvent(claims)
        return try Self.read(claims, issuer: issuer, lifetime: lifetime)
    }

    /// The event must be a logout; a `nonce` would make the token pass for an ID token (§2.4).
    private static func checkEvent(_ claims: ClaimReader) throws(AuthError) {
        guard claims.all["events"]?[LogoutEvent.backchannel]?.objectValue != nil else {
            throw AuthError(.tokenKind, "events holds no logout")
        }
        guard claims.all["nonce"] == nil else { throw AuthError(.tokenKind, "a logout token has no nonce") }
    }

    private static func read(
        _ claims: ClaimReader, issuer: String, lifetime: Lifetime
    ) throws(AuthError) -> VerifiedLogoutToken {
        let subject = try claims.textIfPresent("sub")
        let sessionID = try claims.textIfPresent("sid")
        guard subject ?? sessionID != nil else { throw AuthError(.tokenMalformed, "neither sub nor sid") }
        return VerifiedLogoutToken(
            issuer: issuer, subject: subject, sessionID: sessionID, tokenID: try claims.text("jti"),
            issuedAt: lifetime.issuedAt, expiresAt: lifetime.expiresAt)
    }
}
