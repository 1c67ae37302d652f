internal import KeyturnBase
public import KeyturnJose
internal import SwiftASN1

/// Public keys as X.509 writes them (RFC 5280 §4.1.2.7).
enum SubjectPublicKeyInfo {
    private static let ed25519: ASN1ObjectIdentifier = [1, 3, 101, 112]

    /// Reads a key (RFC 5480 §2, RFC 3279 §2.3.1, RFC 8410 §4).
    ///
    /// - Returns: `nil` for a key of a kind that no signature here has.
    static func key(_ info: ASN1Node) throws -> JSONWebKey? {
        let (algorithm, bits) = try DER.sequence(info, identifier: .sequence) { parts in
            (try AlgorithmIdentifier(derEncoded: &parts), try ASN1BitString(derEncoded: &parts).wholeBytes)
        }
        let text = { (bytes: ArraySlice<UInt8>) in JSONValue.string(Base64URL.encode(bytes)) }
        switch algorithm.type {
        case .AlgorithmIdentifier.idEcPublicKey:
            let curves: [ASN1ObjectIdentifier: String] = [
                .NamedCurves.secp256r1: "P-256", .NamedCurves.secp384r1: "P-384", .NamedCurves.secp521r1: "P-521",
            ]
            // A certificate may hold a compressed point, or name a curve that is not ours: such a key is not used.
            guard let named = algorithm.parameters, named.identifier == .objectIdentifier,
                let curve = curves[try ASN1ObjectIdentifier(derEncoded: named)], bits.first == 4, bits.count % 2 == 1
            else { return nil }
            let point = bits.dropFirst()
            return try? JSONWebKey([
                "kty": "EC", "crv": .string(curve), "x": text(point.prefix(point.count / 2)),
                "y": text(point.suffix(point.count / 2)),
            ])
        case .AlgorithmIdentifier.rsaEncryption:
            let (modulus, exponent) = try DER.sequence(DER.parse(bits), identifier: .sequence) { parts in
                (try ArraySlice<UInt8>(derEncoded: &parts), try ArraySlice<UInt8>(derEncoded: &parts))
            }
            return try? JSONWebKey(["kty": "RSA", "n": text(modulus), "e": text(exponent)])
        case ed25519:
            return try? JSONWebKey(["kty": "OKP", "crv": "Ed25519", "x": text(bits)])
        default:
            return nil
        }
    }
}

extension JSONWebKey {
    /// Reads a key in DER, as `getPublicKey()` of a browser gives it (WebAuthn Level 3 §5.2.1.1).
    ///
    /// - Throws: `keyInvalid` if it is no such key, or of a kind that no signature here has.
    public init(subjectPublicKeyInfo bytes: [UInt8]) throws(WebAuthnProblem) {
        guard bytes.count <= WebAuthnLimits.publicKeyBytes, let node = try? DER.parse(bytes),
            let key = try? SubjectPublicKeyInfo.key(node)
        else { throw WebAuthnProblem(.keyInvalid, "the key is no SubjectPublicKeyInfo that is supported") }
        self = key
    }
}
