public import KeyturnBase
public import KeyturnJose
internal import KeyturnWire

/// Turns the session token of a sign-in by method into a ``VerifiedSessionToken``, or refuses it.
///
/// Codes, links, authenticators, passwords and access keys give an app two JWTs that look alike and are signed by the
/// same key: the session token (`drn` is `DS`), which goes to backends, and the refresh token (`DSR`), which goes to the
/// service alone. This verifier takes the first and never the second; neither is an access token, so ``TokenVerifier``
/// takes none of them. Immutable, and safe to share between tasks; its rules are those of RFC 8725.
///
/// ```swift
/// let verifier = SessionTokenVerifier(issuer: "https://id.example.com", projectID: "P1")
/// let token = try await verifier.verify(.bearer(authorization: header), at: ambient.now())
/// guard token.permissions(tenant: "acme").contains("invoice.read") else { throw Forbidden() }
/// ```
public struct SessionTokenVerifier: Sendable {
    /// Who must have issued the token: the service's issuer, a slash, and the project.
    public let issuer: String
    /// The project that it must have been issued for.
    public let projectID: String
    /// The signature algorithms that are accepted. A key fits one family only, whatever the token says.
    public let algorithms: Set<SignatureAlgorithm>
    /// How far the service's clock may differ, in seconds.
    public let toleranceSeconds: Int64
    let keys: any KeySource

    /// - Parameters:
    ///   - issuer: The service's issuer, exactly as it spells itself.
    ///   - projectID: The project that the token must have been issued for (`aud`).
    ///   - keys: The project's keys; `nil`: a ``KeySet`` of those at `<issuer>/v2/keys/<projectID>`.
    ///   - algorithms: The signature algorithms to accept.
    ///   - toleranceSeconds: How far the service's clock may differ. Default 30, at most 300.
    public init(
        issuer: String, projectID: String, keys: (any KeySource)? = nil,
        algorithms: Set<SignatureAlgorithm> = .publicKeyAlgorithms, toleranceSeconds: Int64 = 30
    ) {
        precondition(!issuer.isEmpty && !projectID.isEmpty, "issuer and project must be given")
        precondition(
            (0...VerifyLimits.toleranceSeconds).contains(toleranceSeconds), "tolerance must be 0...300 seconds")
        self.issuer = "\(issuer)/\(projectID)"
        self.projectID = projectID
        let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        self.keys = keys ?? KeySet(jwksURI: "\(base)/v2/keys/\(projectID)")
        self.algorithms = algorithms
        self.toleranceSeconds = toleranceSeconds
    }

    /// Accepts `token`, or says why not.
    ///
    /// - Parameters:
    ///   - token: What was presented, usually by ``UnverifiedToken/bearer(authorization:query:)``.
    ///   - now: The moment to judge by; pass `ambient.now()`.
    /// - Throws: `token.kind` for a refresh token, an access token, and one that is bound to a key;
    ///   `token.malformed`, `token.signature`, `token.misdirected`, `token.expired`, `token.not_yet_valid`;
    ///   `transport.unavailable` if it cannot be decided because keys could not be fetched.
    public func verify(_ token: UnverifiedToken, at now: UnixTime) async throws(AuthError) -> VerifiedSessionToken {
        let jws = try TokenRules.parse(token.compact)
        guard jws.header.type == SessionTokenKind.type else { throw AuthError(.tokenKind, "typ is not JWT") }
        try TokenRules.check(jws, isOneOf: algorithms)
        let claims = try ClaimReader(try await keys.open(jws, at: now))
        // Before anything else: a refresh token is genuine, of this issuer, and good for months.
        guard try claims.textIfPresent("drn") == SessionTokenKind.session else {
            throw AuthError(.tokenKind, "drn is not that of a session token")
        }
        guard try claims.text("iss") == issuer else { throw AuthError(.tokenMisdirected, "iss is another project") }
        guard try claims.audience().contains(projectID) else {
            throw AuthError(.tokenMisdirected, "aud lacks this project")
        }
        let lifetime = try Lifetime(claims)
        try lifetime.check(at: now, toleranceSeconds: toleranceSeconds)
        guard claims.all["cnf"] == nil else {
            throw AuthError(.tokenKind, "bound to its sender, which this verifier does not check")
        }
        return try VerifiedSessionToken(claims, lifetime: lifetime)
    }

    /// Verifies a session token in its compact form; throws as for a parsed one.
    public func verify(_ token: String, at now: UnixTime) async throws(AuthError) -> VerifiedSessionToken {
        try await verify(UnverifiedToken(token), at: now)
    }
}

/// What tells the tokens of a sign-in by method apart.
enum SessionTokenKind {
    /// The `typ` of both.
    static let type = "JWT"
    /// The `drn` of a session token; a refresh token's is `DSR`.
    static let session = "DS"
}
