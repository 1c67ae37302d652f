public import KeyturnBase
public import KeyturnJose

/// Knows an issuer's public keys, and opens what they signed.
///
/// ``KeySet`` fetches and keeps them; ``PinnedKeys`` is told them once and for all. Where to find a key is never
/// read from the token: its header members `jwk`, `jku`, `x5u` and `x5c` are ignored (RFC 8725 §3.10).
public protocol KeySource: Sendable {
    /// The content of `jws`, whose signature was checked with a key of the issuer.
    ///
    /// - Parameters:
    ///   - jws: The token, parsed and not verified.
    ///   - now: The moment to judge by, for keys that age.
    /// - Throws: `token.signature` if no key of the issuer signed this; `transport.unavailable` if that cannot be
    ///   decided because keys could not be fetched.
    func open(_ jws: UnverifiedJWS, at now: UnixTime) async throws(AuthError) -> VerifiedJWS
}
