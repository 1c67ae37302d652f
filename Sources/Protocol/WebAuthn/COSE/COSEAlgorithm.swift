internal import KeyturnBase
public import KeyturnJose

/// The signature algorithms of credentials, by their COSE numbers (RFC 9053 §2, RFC 8812 §2; WebAuthn Level 3 §5.8.5).
public enum COSEAlgorithm: Int64, CaseIterable, Hashable, Sendable {
    /// ECDSA on P-256 with SHA-256.
    case es256 = -7
    /// Ed25519 alone.
    case edDSA = -8
    /// ECDSA on P-384 with SHA-384.
    case es384 = -35
    /// ECDSA on P-521 with SHA-512.
    case es512 = -36
    /// RSA-PSS with SHA-256.
    case ps256 = -37
    /// RSA PKCS #1 v1.5 with SHA-256.
    case rs256 = -257

    /// The same algorithm as JOSE names it.
    public var signatureAlgorithm: SignatureAlgorithm {
        switch self {
        case .es256: .es256
        case .edDSA: .edDSA
        case .es384: .es384
        case .es512: .es512
        case .ps256: .ps256
        case .rs256: .rs256
        }
    }

    /// The one algorithm that a key of this type and curve is used with; `nil` for RSA keys, which have several.
    public static func only(of key: JSONWebKey) -> COSEAlgorithm? {
        switch (key.json["kty"]?.stringValue, key.json["crv"]?.stringValue) {
        case ("EC", "P-256"): .es256
        case ("EC", "P-384"): .es384
        case ("EC", "P-521"): .es512
        case ("OKP", "Ed25519"): .edDSA
        default: nil
        }
    }

    /// The algorithm with that number.
    ///
    /// - Throws: `algorithmUnsupported`, with the algorithm's name where it has one.
    init(number: Int64) throws(WebAuthnProblem) {
        guard let algorithm = COSEAlgorithm(rawValue: number) else {
            let name = Self.foreign[number] ?? "COSE algorithm \(number)"
            throw WebAuthnProblem(.algorithmUnsupported, "\(name) is not supported")
        }
        self = algorithm
    }

    /// Algorithms that authenticators know and this product does not, so that a refusal can name them.
    private static let foreign: [Int64: String] = [
        -9: "ESP256", -19: "Ed25519 by its own number", -38: "PS384", -39: "PS512", -47: "ES256K", -51: "ESP384",
        -52: "ESP512", -53: "Ed448", -258: "RS384", -259: "RS512", -65_535: "RS1",
    ]
}
