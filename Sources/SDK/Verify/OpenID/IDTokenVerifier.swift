public import KeyturnBase
public import KeyturnJose
internal import KeyturnWire

/// Turns the ID token of a sign-in into a ``VerifiedIDToken``, or refuses it (OpenID Connect Core §3.1.3.7).
///
/// Immutable, and safe to share between tasks.
public struct IDTokenVerifier: Sendable {
    /// Who must have issued the token; of a provider with many tenants, the template of their issuers.
    public let issuer: String
    /// The client it must have been issued to.
    public let clientID: String
    /// The signature algorithms that are accepted.
    public let algorithms: Set<SignatureAlgorithm>
    /// How far the issuer's clock may differ, in seconds.
    public let toleranceSeconds: Int64
    /// Whether a key that is not at hand is asked for at once: tokens come from the token endpoint alone.
    public let asksForKeysAtOnce: Bool
    let keys: any KeySource
    /// What is checked at a provider with many tenants; `nil`: there is one issuer.
    private(set) var tenants: TenantRule?
    private static let claimLimits = JSONValue.Limits(
        bytesMax: VerifyLimits.idTokenBytes, membersMax: VerifyLimits.idTokenElements)

    /// - Parameters:
    ///   - issuer: Who must have issued the token, character by character.
    ///   - clientID: The client it must have been issued to.
    ///   - keys: The issuer's keys, usually a ``KeySet``.
    ///   - algorithms: The signature algorithms to accept.
    ///   - toleranceSeconds: How far the issuer's clock may differ. Default 60, for personal devices; at most 300.
    ///   - asksForKeysAtOnce: Whether a key that is not at hand is asked for at once, because a person waits for the
    ///     sign-in. Only where tokens come from the token endpoint alone: invented ones, such as apps could send, would
    ///     cause requests to the issuer.
    public init(
        issuer: String, clientID: String, keys: any KeySource,
        algorithms: Set<SignatureAlgorithm> = .publicKeyAlgorithms, toleranceSeconds: Int64 = 60,
        asksForKeysAtOnce: Bool = false
    ) {
        precondition(!issuer.isEmpty && !clientID.isEmpty, "issuer and client must be given")
        precondition(
            (0...VerifyLimits.toleranceSeconds).contains(toleranceSeconds), "tolerance must be 0...300 seconds")
        self.issuer = issuer
        self.clientID = clientID
        self.keys = keys
        self.algorithms = algorithms
        self.toleranceSeconds = toleranceSeconds
        self.asksForKeysAtOnce = asksForKeysAtOnce
    }

    /// Verifies the tokens of a provider with many tenants: `iss` must be the template, filled with the token's own
    /// `tid`, and a key that names an issuer must name the same.
    ///
    /// - Parameters:
    ///   - template: The issuers, as the provider's metadata spells them.
    ///   - tenants: Whose tokens are taken, in lower case; `nil`: every tenant's.
    ///   - clientID: The client it must have been issued to.
    ///   - keys: The keys of all tenants.
    package init(template: IssuerTemplate, tenants: Set<String>?, clientID: String, keys: any SharedKeySource) {
        self.init(issuer: template.text, clientID: clientID, keys: keys, asksForKeysAtOnce: true)
        self.tenants = TenantRule(template: template, tenants: tenants, keys: keys)
    }

    /// Accepts `idToken`, or says why not.
    ///
    /// - Parameters:
    ///   - idToken: The token as the token endpoint returned it, at most ``VerifyLimits/idTokenBytes``.
    ///   - nonce: What was sent with the authorization request; `nil` if nothing was, as at a refresh.
    ///   - accessToken: The access token that came with it; checked if the ID token vouches for one (`at_hash`).
    ///   - maxAgeSeconds: The `max_age` that was sent; `nil` if none was.
    ///   - now: The moment to judge by.
    /// - Throws: as ``TokenVerifier/verify(_:proofKeyThumbprint:at:)``; also `token.misdirected` if the token
    ///   answers another request (`nonce`), goes with another access token or is of a tenant that is not allowed, and
    ///   `token.insufficient` if the sign-in is older than was asked for.
    public func verify(
        _ idToken: String, nonce: String?, accessToken: String?, maxAgeSeconds: Int64?, at now: UnixTime
    ) async throws(AuthError) -> VerifiedIDToken {
        let jws = try TokenRules.parse(idToken, bytesMax: VerifyLimits.idTokenBytes)
        try Self.checkKind(jws)
        // Steps 6 to 8 come first: nothing in a token is worth reading before its signature is checked.
        try TokenRules.check(jws, isOneOf: algorithms)
        let opened = try await open(jws, at: now)
        let claims = try ClaimReader(opened, limits: Self.claimLimits)
        guard claims.all["events"] == nil else { throw AuthError(.tokenKind, "an event, not an ID token") }
        // Step 2.
        try checkIssuer(claims)
        // Steps 3 to 5.
        let audience = try checkedAudience(claims)
        // Steps 9 and 10.
        let lifetime = try Lifetime(claims)
        try lifetime.check(at: now, toleranceSeconds: toleranceSeconds)
        // Step 11.
        if let nonce, try claims.textIfPresent("nonce") != nonce {
            throw AuthError(.tokenMisdirected, "nonce is not the one sent")
        }
        let verified = try VerifiedIDToken(claims, audience: audience, lifetime: lifetime)
        // Step 13.
        try checkAge(verified.authTime, maxAgeSeconds, at: now)
        // §3.1.3.8.
        try HalfHash.check(claims.textIfPresent("at_hash"), of: accessToken, algorithm: jws.header.algorithm)
        return verified
    }

    /// An ID token names no `typ`, or `JWT`: any other is a token of another kind (RFC 8725 §3.11).
    private static func checkKind(_ jws: UnverifiedJWS) throws(AuthError) {
        let kind = jws.header.type
        guard kind == nil || kind == TokenKind.idToken else {
            throw AuthError(.tokenKind, "typ is not that of an ID token")
        }
    }

    private func open(_ jws: UnverifiedJWS, at now: UnixTime) async throws(AuthError) -> VerifiedJWS {
        guard let tenants, let named = TenantRule.issuer(namedBy: jws, limits: Self.claimLimits) else {
            return try await keys.open(jws, at: now, askingAtOnce: asksForKeysAtOnce)
        }
        return try await tenants.keys.open(jws, at: now, askingAtOnce: asksForKeysAtOnce, issuer: named)
    }

    private func checkIssuer(_ claims: ClaimReader) throws(AuthError) {
        if let tenants { return try tenants.check(claims) }
        guard try claims.text("iss") == issuer else { throw AuthError(.tokenMisdirected, "iss is another issuer") }
    }

    /// `aud` must have us in it; with others beside us, `azp` must say that it was issued to us.
    private func checkedAudience(_ claims: ClaimReader) throws(AuthError) -> [String] {
        let audience = try claims.audience()
        guard audience.contains(clientID) else { throw AuthError(.tokenMisdirected, "aud lacks this client") }
        let party = try claims.textIfPresent("azp")
        guard party == clientID || (party == nil && audience.count == 1) else {
            throw AuthError(.tokenMisdirected, "azp is not this client")
        }
        return audience
    }

    private func checkAge(_ authTime: UnixTime?, _ maxAgeSeconds: Int64?, at now: UnixTime) throws(AuthError) {
        guard let maxAgeSeconds else { return }
        guard let authTime else {
            throw AuthError(.tokenInsufficient, "auth_time is missing or no number, though max_age was sent")
        }
        guard now <= authTime + maxAgeSeconds + toleranceSeconds, authTime <= now + toleranceSeconds else {
            throw AuthError(.tokenInsufficient, "the sign-in is older than max_age")
        }
    }
}
