package import KeyturnJose

/// The bounds of clients of Authgear's profile.
extension Limits {
    /// How old, and how far ahead of the server's clock, the DPoP proof of a client may be that takes no nonces, in seconds:
    /// nothing tells its device the time. Authgear's server allows as much.
    package static let proofWithoutNonceSeconds: Int64 = 300
    /// What such proofs are signed with beside the usual algorithms: devices without P-256 keys have RSA keys.
    package static let proofWithoutNonceAlgorithms = UnverifiedDPoPProof.algorithms + [.rs256]
}
