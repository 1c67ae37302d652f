public import KeyturnBase

/// A ``TokenVerifier`` that remembers what it accepted, for services that see the same token many times.
///
/// What is remembered is the acceptance of one exact token, found by its SHA-256. It ends with the token's own
/// lifetime, and after `secondsMax` in any case, so that a withdrawn key is noticed. Refusals are not remembered.
/// Tokens that are bound to a key are verified each time, and a revocation (``TokenVerifier/revocations``) counts at once.
public struct CachingTokenVerifier: Sendable {
    /// Verifies what is not remembered.
    public let verifier: TokenVerifier
    private let memory: Locked<BoundedCache<VerifiedToken>>
    private let secondsMax: Int64

    /// - Parameters:
    ///   - verifier: Verifies what is not remembered.
    ///   - entriesMax: How many tokens to remember; the one not seen for the longest time is forgotten first.
    ///   - secondsMax: How long to remember each, in seconds; 1…3600.
    public init(
        _ verifier: TokenVerifier, entriesMax: Int = VerifyLimits.rememberedTokens,
        secondsMax: Int64 = VerifyLimits.rememberedSeconds
    ) {
        precondition((1...3_600).contains(secondsMax), "remembers for 1...3600 seconds")
        self.verifier = verifier
        self.secondsMax = secondsMax
        memory = Locked(BoundedCache(entriesMax: entriesMax))
    }

    /// Accepts `token`, or says why not.
    ///
    /// - Throws: as ``TokenVerifier/verify(_:proofKeyThumbprint:at:)``.
    public nonisolated(nonsending) func verify(
        _ token: UnverifiedToken, at now: UnixTime
    ) async throws(AuthError) -> VerifiedToken {
        let key = BoundedCache<VerifiedToken>.key(token)
        if let known = memory.withLock({ $0.value(for: key, at: now) }) {
            try verifier.revocations?.check(known, at: now)
            return known
        }
        let verified = try await verifier.verify(token, at: now)
        // The tolerance belongs to the verifier: remembered or not, a token ends at the same second.
        let until = min(verified.expiresAt + verifier.toleranceSeconds, now + secondsMax)
        memory.withLock { $0.insert(verified, for: key, at: now, until: until) }
        return verified
    }

    /// Verifies a token in its compact form, or finds it among those that were verified.
    public nonisolated(nonsending) func verify(
        _ token: String, at now: UnixTime
    ) async throws(AuthError) -> VerifiedToken {
        try await verify(UnverifiedToken(token), at: now)
    }
}

extension SessionRevocations {
    /// - Throws: `token.revoked` if the token's session is over; `configuration.invalid` if the token lives longer than
    ///   a revocation is remembered: it would be accepted again.
    func check(_ token: VerifiedToken, at now: UnixTime) throws(AuthError) {
        guard token.expiresAt.seconds(since: token.issuedAt) <= tokenSecondsMax else {
            throw AuthError(.misconfigured, "access tokens live longer than tokenSecondsMax of the revocations")
        }
        try check(subject: token.subject, sessionID: token.sessionID, issuedAt: token.issuedAt, at: now)
    }
}
