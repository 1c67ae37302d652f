internal import KeyturnBase
public import KeyturnJose

/// A credential's public key (RFC 9052 §7, RFC 9053 §7, RFC 8230 §4), bound to the one algorithm that it names.
public struct COSEKey: Sendable {
    /// The only algorithm that the key is used with.
    public let algorithm: COSEAlgorithm
    /// The same key as JOSE writes it.
    public let jsonWebKey: JSONWebKey
    /// The key as the authenticator wrote it: what a store keeps.
    public let encoded: [UInt8]
    private let verification: VerificationKey

    /// Labels of RFC 9052 §7.1 and of the key types.
    private enum Label {
        static let keyType: Int64 = 1
        static let algorithm: Int64 = 3
    }

    /// Reads a key in canonical CBOR. It must have exactly the members that its type needs (§6.5.1.1).
    ///
    /// - Throws: `keyInvalid` if it is not such a key, or one that is too weak; `algorithmUnsupported`.
    public init(_ encoded: some Collection<UInt8>) throws(WebAuthnProblem) {
        let value: CBORValue
        do {
            value = try CBORValue(decoding: encoded)
        } catch {
            throw WebAuthnProblem(.keyInvalid, "the key is not canonical CBOR: \(error.rule.rawValue)")
        }
        guard let map = value.mapValue else { throw WebAuthnProblem(.keyInvalid, "the key is not a map") }
        try self.init(map, encoded: Array(encoded))
    }

    /// Writes the key of that algorithm.
    ///
    /// - Throws: `keyInvalid` if the key does not fit the algorithm.
    public init(_ key: JSONWebKey, algorithm: COSEAlgorithm) throws(WebAuthnProblem) {
        let json = key.json
        let bytes = { (name: String) in
            CBORValue.bytes(json[name]?.stringValue.flatMap { Base64URL.decode($0) } ?? [])
        }
        var pairs: [(CBORValue, CBORValue)] = [(.integer(Label.algorithm), .integer(algorithm.rawValue))]
        switch json["kty"]?.stringValue {
        case "EC":
            let curve: Int64? = ["P-256": 1, "P-384": 2, "P-521": 3][json["crv"]?.stringValue ?? ""]
            pairs += [
                (.integer(Label.keyType), .integer(2)), (.integer(-1), .integer(curve ?? 0)),
                (.integer(-2), bytes("x")), (.integer(-3), bytes("y")),
            ]
        case "RSA":
            pairs += [(.integer(Label.keyType), .integer(3)), (.integer(-1), bytes("n")), (.integer(-2), bytes("e"))]
        default:
            pairs += [(.integer(Label.keyType), .integer(1)), (.integer(-1), .integer(6)), (.integer(-2), bytes("x"))]
        }
        try self.init(CBORValue.map(CBORMap(pairs)).encoded)
    }

    private init(_ map: CBORMap, encoded: [UInt8]) throws(WebAuthnProblem) {
        guard let number = map[Label.algorithm]?.integerValue else {
            throw WebAuthnProblem(.keyInvalid, "the key names no algorithm")
        }
        algorithm = try COSEAlgorithm(number: number)
        let json: JSONValue
        switch algorithm {
        case .es256: json = try Self.curve(map, "P-256", number: 1, byteCount: 32)
        case .es384: json = try Self.curve(map, "P-384", number: 2, byteCount: 48)
        case .es512: json = try Self.curve(map, "P-521", number: 3, byteCount: 66)
        case .edDSA: json = try Self.edwards(map)
        case .ps256, .rs256: json = try Self.rsa(map)
        }
        do {
            jsonWebKey = try JSONWebKey(json)
            verification = try VerificationKey(jsonWebKey, algorithm: algorithm.signatureAlgorithm)
        } catch {
            throw WebAuthnProblem(.keyInvalid, error.detail)
        }
        self.encoded = encoded
    }

    /// Whether `signature`, in the form of §6.5.5 (DER for elliptic curves), is by this key.
    public func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool {
        WebAuthnSignature.isValid(signature, for: message, by: verification)
    }

    private static func curve(
        _ map: CBORMap, _ name: String, number: Int64, byteCount: Int
    ) throws(WebAuthnProblem) -> JSONValue {
        try check(map, type: 2, curve: number, count: 5)
        return [
            "kty": "EC", "crv": .string(name), "x": try bytes(map, -2, byteCount), "y": try bytes(map, -3, byteCount),
        ]
    }

    private static func edwards(_ map: CBORMap) throws(WebAuthnProblem) -> JSONValue {
        try check(map, type: 1, curve: 6, count: 4)
        return ["kty": "OKP", "crv": "Ed25519", "x": try bytes(map, -2, 32)]
    }

    private static func rsa(_ map: CBORMap) throws(WebAuthnProblem) -> JSONValue {
        try check(map, type: 3, curve: nil, count: 4)
        return ["kty": "RSA", "n": try bytes(map, -1, nil), "e": try bytes(map, -2, nil)]
    }

    private static func check(
        _ map: CBORMap, type: Int64, curve: Int64?, count: Int
    ) throws(WebAuthnProblem) {
        guard map[Label.keyType]?.integerValue == type else {
            throw WebAuthnProblem(.keyInvalid, "the key's type does not fit its algorithm")
        }
        guard curve == nil || map[-1]?.integerValue == curve else {
            throw WebAuthnProblem(.keyInvalid, "the key's curve does not fit its algorithm")
        }
        guard map.entries.count == count else {
            throw WebAuthnProblem(.keyInvalid, "the key has members that it must not have, or lacks some")
        }
    }

    private static func bytes(
        _ map: CBORMap, _ label: Int64, _ count: Int?
    ) throws(WebAuthnProblem) -> JSONValue {
        guard let bytes = map[label]?.bytesValue, !bytes.isEmpty, count == nil || bytes.count == count else {
            throw WebAuthnProblem(.keyInvalid, "member \(label) of the key is missing or not of its length")
        }
        return .string(Base64URL.encode(bytes))
    }
}

extension COSEKey: Hashable {
    /// Two keys are equal when their bytes are: there is one spelling.
    public static func == (left: COSEKey, right: COSEKey) -> Bool {
        left.encoded == right.encoded
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(encoded)
    }
}
