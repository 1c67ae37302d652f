/// The signature algorithms of this product (RFC 7518 §3.1, RFC 8037 §3.1).
///
/// `none` and the algorithms with a shared secret do not exist here, so no token can ask for them.
public enum SignatureAlgorithm: String, CaseIterable, Hashable, Sendable {
    case es256 = "ES256"
    case es384 = "ES384"
    case es512 = "ES512"
    case rs256 = "RS256"
    case rs384 = "RS384"
    case rs512 = "RS512"
    case ps256 = "PS256"
    case ps384 = "PS384"
    case ps512 = "PS512"
    /// Ed25519.
    case edDSA = "EdDSA"
}
