package import KeyturnJose

/// The bounds of clients of Authgear's profile.
extension Limits {
    /// The largest age, and lead over the server's clock, of the DPoP proof of a client that takes no nonces, in
    /// seconds: its device cannot learn the time. Authgear's server allows as much.
    package static let proofWithoutNonceSeconds: Int64 = 300
    /// Algorithms of such proofs beside the usual ones: devices without P-256 keys have RSA keys.
    package static let proofWithoutNonceAlgorithms = UnverifiedDPoPProof.algorithms + [.rs256]
}
