/// The signature algorithms of this product (RFC 7518 §3.1, RFC 8037 §3.1).
///
/// `none` and the algorithms with a shared secret do not exist here, so no token can ask for them.
public enum SignatureAlgorithm: String, CaseIterable, Hashable, Sendable {
    /// ECDSA on P-256 with SHA-256 (RFC 7518 §3.4).
    case es256 = "ES256"
    /// ECDSA on P-384 with SHA-384 (RFC 7518 §3.4).
    case es384 = "ES384"
    /// ECDSA on P-521 with SHA-512 (RFC 7518 §3.4).
    case es512 = "ES512"
    /// RSA PKCS #1 v1.5 with SHA-256 (RFC 7518 §3.3).
    case rs256 = "RS256"
    /// RSA PKCS #1 v1.5 with SHA-384 (RFC 7518 §3.3).
    case rs384 = "RS384"
    /// RSA PKCS #1 v1.5 with SHA-512 (RFC 7518 §3.3).
    case rs512 = "RS512"
    /// RSA-PSS with SHA-256 (RFC 7518 §3.5).
    case ps256 = "PS256"
    /// RSA-PSS with SHA-384 (RFC 7518 §3.5).
    case ps384 = "PS384"
    /// RSA-PSS with SHA-512 (RFC 7518 §3.5).
    case ps512 = "PS512"
    /// Ed25519.
    case edDSA = "EdDSA"
}
