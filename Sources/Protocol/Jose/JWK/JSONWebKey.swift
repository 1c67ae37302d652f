internal import Crypto
public import KeyturnBase

/// A public key as it is published (RFC 7517, RFC 7518 §6, RFC 8037 §2). Never holds anything private.
public struct JSONWebKey: Hashable, Sendable {
    /// What the key is made of, as bytes.
    package enum Material: Hashable, Sendable {
        /// Curve, and the coordinates at their full length.
        case ec(Curve, x: [UInt8], y: [UInt8])
        case rsa(modulus: [UInt8], exponent: [UInt8])
        case ed25519([UInt8])
    }

    package enum Curve: String, Hashable, Sendable {
        case p256 = "P-256"
        case p384 = "P-384"
        case p521 = "P-521"

        var coordinateBytes: Int {
            switch self {
            case .p256: 32
            case .p384: 48
            case .p521: 66
            }
        }
    }

    package let material: Material
    /// `kid`.
    public var keyID: String?
    /// `alg`, if it is one that this product knows.
    public var algorithm: SignatureAlgorithm?
    /// `use`: `sig` or `enc`.
    public var use: String?
    /// `key_ops`.
    public var keyOperations: [String]?
    /// An `alg` that this product does not know: the key is for something else.
    let hasForeignAlgorithm: Bool

    /// Longest `kid`, in bytes.
    private static let keyIDBytesMax = 512

    init(material: Material, keyID: String?, algorithm: SignatureAlgorithm?, use: String?) {
        self.material = material
        self.keyID = keyID
        self.algorithm = algorithm
        self.use = use
        keyOperations = nil
        hasForeignAlgorithm = false
    }

    /// Reads a public key. Members that it does not know are ignored (RFC 7517 §4), and so are members that are `null`.
    ///
    /// A `kid` of another type than a string is no name: the key has none. What restricts a key's use must be readable.
    ///
    /// - Throws: `invalidKey` for another key type or curve, a missing or misspelt member, a private member, or a
    ///   member of the wrong type.
    public init(_ json: JSONValue) throws(JoseProblem) {
        guard let members = json.objectValue else { throw JoseProblem(.invalidKey, "a key is a JSON object") }
        let secret = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"].first { Self.value(json, $0) != nil }
        guard secret == nil else { throw JoseProblem(.invalidKey, "a published key must not have private members") }
        material = try Self.material(of: json)
        keyID = members["kid"]?.stringValue == nil ? nil : try Self.text(json, "kid", bytesMax: Self.keyIDBytesMax)
        use = try Self.text(json, "use", bytesMax: 16)
        let algorithmName = try Self.text(json, "alg", bytesMax: 32)
        algorithm = algorithmName.flatMap(SignatureAlgorithm.init(rawValue:))
        hasForeignAlgorithm = algorithmName != nil && algorithm == nil
        keyOperations = nil
        if let operations = Self.value(json, "key_ops") {
            guard let names = operations.stringArrayValue, Set(names).count == names.count else {
                throw JoseProblem(.invalidKey, "key_ops is a list of different names")
            }
            keyOperations = names
        }
    }

    static func material(of json: JSONValue) throws(JoseProblem) -> Material {
        switch json["kty"]?.stringValue {
        case "EC":
            guard let curve = json["crv"]?.stringValue.flatMap(Curve.init(rawValue:)) else {
                throw JoseProblem(.invalidKey, "crv must be P-256, P-384 or P-521")
            }
            let x = try bytes(json, "x", count: curve.coordinateBytes)
            return .ec(curve, x: x, y: try bytes(json, "y", count: curve.coordinateBytes))
        case "RSA":
            let modulus = try bytes(json, "n", count: nil)
            let exponent = try bytes(json, "e", count: nil)
            guard modulus.first != 0, exponent.first != 0 else {
                throw JoseProblem(.invalidKey, "n and e are written without leading zeros (RFC 7518 §2)")
            }
            return .rsa(modulus: modulus, exponent: exponent)
        case "OKP":
            guard json["crv"]?.stringValue == "Ed25519" else {
                throw JoseProblem(.invalidKey, "of the Edwards curves only Ed25519 is supported")
            }
            return .ed25519(try bytes(json, "x", count: 32))
        default:
            throw JoseProblem(.invalidKey, "kty must be EC, RSA or OKP")
        }
    }

    /// A member that is base64url, of exactly `count` bytes where one is given.
    static func bytes(_ json: JSONValue, _ name: String, count: Int?) throws(JoseProblem) -> [UInt8] {
        guard let bytes = json[name]?.stringValue.flatMap({ Base64URL.decode($0) }), !bytes.isEmpty,
            count == nil || bytes.count == count
        else { throw JoseProblem(.invalidKey, "\(name) is missing, not base64url, or not of the right length") }
        return bytes
    }

    /// A member that is there and not `null`, which some providers write for what they leave out.
    private static func value(_ json: JSONValue, _ name: String) -> JSONValue? {
        json[name].flatMap { $0 == .null ? nil : $0 }
    }

    private static func text(_ json: JSONValue, _ name: String, bytesMax: Int) throws(JoseProblem) -> String? {
        guard let value = Self.value(json, name) else { return nil }
        guard let text = value.stringValue, text.utf8.count <= bytesMax else {
            throw JoseProblem(.invalidKey, "\(name) is not a string of reasonable length")
        }
        return text
    }

    /// Why no signature of this key is believed, as it is too weak; `nil` for a key that is fit.
    public var flaw: String? {
        guard case .rsa(let modulus, let exponent) = material else { return nil }
        return RSAStrength.flaw(modulus: modulus, exponent: exponent)
    }

    /// The key as it is published.
    public var json: JSONValue {
        var members = required
        if let keyID { members["kid"] = .string(keyID) }
        if let algorithm { members["alg"] = .string(algorithm.rawValue) }
        if let use { members["use"] = .string(use) }
        if let keyOperations { members["key_ops"] = .array(keyOperations.map(JSONValue.string)) }
        return .object(members)
    }

    /// The SHA-256 thumbprint in base64url (RFC 7638 §3): the name of a key that everybody can compute.
    public func thumbprint() -> String {
        Base64URL.encode(Array(SHA256.hash(data: JSONValue.object(required).serialized)))
    }

    /// The members that make the key what it is, and nothing else (RFC 7638 §3.2).
    private var required: [String: JSONValue] {
        let text = { (bytes: [UInt8]) in JSONValue.string(Base64URL.encode(bytes)) }
        return switch material {
        case .ec(let curve, let x, let y): ["kty": "EC", "crv": .string(curve.rawValue), "x": text(x), "y": text(y)]
        case .rsa(let modulus, let exponent): ["kty": "RSA", "n": text(modulus), "e": text(exponent)]
        case .ed25519(let point): ["kty": "OKP", "crv": "Ed25519", "x": text(point)]
        }
    }
}
