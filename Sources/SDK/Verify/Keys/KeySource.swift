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

    /// The same, and says whether keys that are missing are asked for at once.
    ///
    /// A source that fetches keys pauses between two attempts, so that strangers with invented tokens cause no storm. A
    /// token that the issuer itself has just sent needs no such pause, and a person waits for it.
    ///
    /// - Parameters:
    ///   - jws: The token, parsed and not verified.
    ///   - now: The moment to judge by, for keys that age.
    ///   - askingAtOnce: Whether to ask without a pause after an attempt that failed, and with hardly any for a key
    ///     that is unknown.
    /// - Throws: as ``open(_:at:)``.
    func open(_ jws: UnverifiedJWS, at now: UnixTime, askingAtOnce: Bool) async throws(AuthError) -> VerifiedJWS
}

extension KeySource {
    /// For sources that fetch nothing: the same as ``open(_:at:)``.
    ///
    /// - Parameters:
    ///   - jws: The token, parsed and not verified.
    ///   - now: The moment to judge by, for keys that age.
    ///   - askingAtOnce: Changes nothing.
    /// - Throws: as ``open(_:at:)``.
    public func open(
        _ jws: UnverifiedJWS, at now: UnixTime, askingAtOnce: Bool
    ) async throws(AuthError) -> VerifiedJWS {
        try await open(jws, at: now)
    }
}
