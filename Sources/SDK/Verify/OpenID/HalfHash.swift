internal import Crypto
internal import KeyturnBase
internal import KeyturnJose

/// The left half of a token's hash, by which an ID token vouches for it (OpenID Connect Core §3.1.3.6).
enum HalfHash {
    /// Throws if `claim` is there and is not the half hash of `token`. A missing claim vouches for nothing, and the
    /// code flow allows that; so does a caller without an access token.
    static func check(_ claim: String?, of token: String?, algorithm: SignatureAlgorithm) throws(AuthError) {
        guard let claim, let token else { return }
        guard ConstantTime.equal(Array(claim.utf8), Base64URL.encoded(half(of: token, algorithm: algorithm))) else {
            throw AuthError(.tokenMisdirected, "at_hash is of another access token")
        }
    }

    /// The hash is the one of the ID token's own signature; Ed25519 signs with SHA-512.
    static func half(of token: String, algorithm: SignatureAlgorithm) -> ArraySlice<UInt8> {
        let bytes = Array(token.utf8)
        return switch algorithm.rawValue.suffix(3) {
        case "256": Array(SHA256.hash(data: bytes))[..<16]
        case "384": Array(SHA384.hash(data: bytes))[..<24]
        default: Array(SHA512.hash(data: bytes))[..<32]
        }
    }
}
