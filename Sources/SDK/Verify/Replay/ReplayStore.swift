public import KeyturnBase

/// Remembers names that may be used once, such as those of DPoP proofs (RFC 9449 §11.1). Backends of one service share one
/// store, so that none of them accepts what another has accepted: give it to
/// ``DPoPVerifier/init(sharing:nonceSecret:areNoncesRequired:window:)``.
///
/// What a store promises:
/// - **Atomic.** Of any number of calls with one name, from any number of tasks, processes and machines that share the
///   store, one at most gets `admitted`. To look and to write afterwards is not enough: use an insertion that fails when
///   the name is there (`INSERT … ON CONFLICT DO NOTHING`, `SET … NX`).
/// - **Kept.** A name that was admitted is `replayed` until the moment `until`, not included. After that either answer is
///   right.
/// - **Never forgotten unsaid.** A store that began empty, was emptied, or dropped names for want of room answers `tooOld`
///   to evidence from before that moment.
/// - **Never guessed.** A store that cannot be asked throws `transport.unavailable`, and nothing is accepted.
///
/// ``ReplayStoreConformance`` checks the first three.
public protocol ReplayStore: Sendable {
    /// Admits a name that was not seen before.
    ///
    /// - Parameters:
    ///   - name: A digest: 43 characters of the alphabet of base64url. Case matters.
    ///   - evidence: The earliest moment at which the name can have been admitted.
    ///   - until: When the name may be forgotten.
    ///   - now: The moment to judge by, by the caller's clock.
    /// - Throws: `transport.unavailable` if the store cannot be asked.
    func admit(
        _ name: String, evidence: UnixTime, until: UnixTime, at now: UnixTime
    ) async throws(AuthError) -> ReplayAdmission
}

/// What became of a name that was presented to a ``ReplayStore``.
public enum ReplayAdmission: Hashable, Sendable {
    /// Seen for the first time, and from now on known.
    case admitted
    /// Known.
    case replayed
    /// From a time of which the store knows nothing: it cannot tell. The sender may try again with a new nonce.
    case tooOld
}
