public import KeyturnBase
public import KeyturnJose
internal import KeyturnWire

/// Turns an untrusted access token into a ``VerifiedToken``, or refuses it.
///
/// Issuer and audience are required: a verifier that checks only a signature cannot be written. Immutable, and safe
/// to share between tasks. Implements RFC 9068 §4 with the rules of RFC 8725. Providers that write other access tokens
/// are named by a ``TokenProfile``.
///
/// ```swift
/// let verifier = TokenVerifier(
///     issuer: "https://id.example.com", audience: "https://api.example.com",
///     keys: KeySet(issuer: "https://id.example.com"))
/// let token = try await verifier.verify(.bearer(authorization: header), at: ambient.now())
/// ```
public struct TokenVerifier: Sendable {
    /// Who must have issued the token.
    public let issuer: String
    /// For whom it must have been issued: this service.
    public let audience: String
    /// How the issuer writes its access tokens.
    public let profile: TokenProfile
    /// The clients whose tokens are accepted; `nil`: any that the issuer gave one for this audience.
    public let clientIDs: Set<String>?
    /// The signature algorithms that are accepted. A key fits one family only, whatever the token says.
    public let algorithms: Set<SignatureAlgorithm>
    /// How far the issuer's clock may differ, in seconds.
    public let toleranceSeconds: Int64
    /// Whether tokens are accepted that are good for single objects alone.
    public let acceptsRestrictedTokens: Bool
    /// Sessions that are over; `nil`: their tokens are good until they expire.
    public let revocations: SessionRevocations?
    let keys: any KeySource

    /// - Parameters:
    ///   - issuer: Who must have issued the token (`iss`), character by character.
    ///   - audience: For whom it must have been issued (`aud`): this service.
    ///   - keys: The issuer's keys, usually a ``KeySet``.
    ///   - profile: How the issuer writes its access tokens. Default: as RFC 9068 says, and in no other way.
    ///   - clientIDs: The clients whose tokens to accept, one at least; `nil`: any that the issuer gave one for this
    ///     audience.
    ///   - algorithms: The signature algorithms to accept.
    ///   - toleranceSeconds: How far the issuer's clock may differ. Default 30, at most 300.
    ///   - acceptsRestrictedTokens: Whether to accept tokens that are good for single objects alone (`restricted_to`).
    ///     Say so only where each request is checked with ``TokenAuthority/require(object:scope:)``: a service that asks for
    ///     no object would take such a token for all of them.
    ///   - revocations: What the provider says of sessions that are over; `nil`: it is not asked to tell.
    public init(
        issuer: String, audience: String, keys: any KeySource, profile: TokenProfile = .rfc9068,
        clientIDs: Set<String>? = nil, algorithms: Set<SignatureAlgorithm> = .publicKeyAlgorithms,
        toleranceSeconds: Int64 = 30, acceptsRestrictedTokens: Bool = false,
        revocations: SessionRevocations? = nil
    ) {
        precondition(!issuer.isEmpty && !audience.isEmpty, "issuer and audience must be given")
        precondition(
            (0...VerifyLimits.toleranceSeconds).contains(toleranceSeconds), "tolerance must be 0...300 seconds")
        precondition(!profile.client.isEmpty, "a profile says where the client stands")
        precondition(
            !profile.isAmbiguous || !profile.requirements.isEmpty,
            "a profile that takes the type JWT, or none, says what marks an access token")
        precondition(clientIDs?.isEmpty != true, "no client would be accepted: leave clientIDs out to accept any")
        self.issuer = issuer
        self.audience = audience
        self.keys = keys
        self.profile = profile
        self.clientIDs = clientIDs
        self.algorithms = algorithms
        self.toleranceSeconds = toleranceSeconds
        self.acceptsRestrictedTokens = acceptsRestrictedTokens
        self.revocations = revocations
    }

    /// Accepts `token`, or says why not.
    ///
    /// - Parameters:
    ///   - token: What was presented, usually by ``UnverifiedToken/bearer(authorization:query:)``.
    ///   - proofKeyThumbprint: The thumbprint of the key whose possession the caller has checked (RFC 9449 §7.1). A
    ///     token that is bound to a key is refused without it: a stolen one must stay worthless.
    ///   - now: The moment to judge by; pass `ambient.now()`.
    /// - Throws: `token.malformed`, `token.kind`, `token.signature`, `token.misdirected`, `token.expired`,
    ///   `token.not_yet_valid`, `token.revoked`; `token.insufficient` for one that is good for single objects alone, unless such are
    ///   accepted; `transport.unavailable` if it cannot be decided because keys could not be fetched.
    public func verify(
        _ token: UnverifiedToken, proofKeyThumbprint: String? = nil, at now: UnixTime
    ) async throws(AuthError) -> VerifiedToken {
        let jws = try TokenRules.parse(token.compact)
        guard profile.accepts(type: jws.header.type) else { throw AuthError(.tokenKind, profile.typeRefusal) }
        try TokenRules.check(jws, isOneOf: algorithms)
        let claims = try ClaimReader(try await keys.open(jws, at: now), profile: profile)
        try claims.checkKind()
        guard try claims.text("iss") == issuer else { throw AuthError(.tokenMisdirected, "iss is another issuer") }
        let audience = try claims.audience()
        guard audience.contains(self.audience) else { throw AuthError(.tokenMisdirected, "aud lacks this service") }
        try checkClient(claims)
        let lifetime = try Lifetime(claims)
        try lifetime.check(at: now, toleranceSeconds: toleranceSeconds)
        try Self.checkBinding(claims, proofKeyThumbprint)
        let verified = try VerifiedToken(claims, audience: audience, expiresAt: lifetime.expiresAt)
        guard verified.restrictedTo == nil || acceptsRestrictedTokens else {
            throw AuthError(
                .tokenInsufficient, "good for single objects alone, which are not asked for here",
                cause: BearerChallenge.insufficientScope(.none))
        }
        try revocations?.check(verified, at: now)
        return verified
    }

    /// Verifies a token in its compact form; throws as for a parsed one.
    public func verify(_ token: String, at now: UnixTime) async throws(AuthError) -> VerifiedToken {
        try await verify(UnverifiedToken(token), at: now)
    }

    private func checkClient(_ claims: ClaimReader) throws(AuthError) {
        guard let clientIDs else { return }
        guard try clientIDs.contains(claims.clientID()) else {
            throw AuthError(.tokenMisdirected, "issued to a client that is not accepted here")
        }
    }

    /// `cnf` (RFC 7800 §3): every binding must be understood, and proven.
    private static func checkBinding(_ claims: ClaimReader, _ proofKeyThumbprint: String?) throws(AuthError) {
        guard let binding = claims.all["cnf"] else { return }
        guard binding["x5t#S256"] == nil else {
            throw AuthError(
                .tokenKind,
                "bound to a client's certificate (cnf x5t#S256, RFC 8705), which this verifier cannot check")
        }
        guard let members = binding.objectValue, members.count == 1, let bound = members["jkt"]?.stringValue else {
            throw AuthError(.tokenKind, "bound to its sender in a way that this verifier does not check")
        }
        guard let proofKeyThumbprint, bound == proofKeyThumbprint else {
            throw AuthError(.tokenKind, "bound to a key, and presented without proof of it (RFC 9449)")
        }
    }
}
