internal import Crypto
internal import CryptoExtras
internal import Foundation
internal import KeyturnBase
internal import KeyturnJose
public import KeyturnWebAuthn

/// A credential's private key.
public struct CredentialKey: Sendable {
    private enum Backing: Sendable {
        case p256(P256.Signing.PrivateKey)
        case p384(P384.Signing.PrivateKey)
        case p521(P521.Signing.PrivateKey)
        case ed25519(Curve25519.Signing.PrivateKey)
        case rsa(_RSA.Signing.PrivateKey)
    }

    public let algorithm: COSEAlgorithm
    public let publicKey: COSEKey
    private let backing: Backing

    /// One RSA key for all credentials of a process: generating one takes a second if the cryptographic library is not
    /// optimised.
    private static let rsa = Result { try _RSA.Signing.PrivateKey(keySize: .bits2048) }

    /// - Parameter seed: Determines the key, except RSA keys.
    public init(_ algorithm: COSEAlgorithm, seed: [UInt8]) throws {
        self.algorithm = algorithm
        let json: JSONValue
        switch algorithm {
        case .es256:
            let key = try P256.Signing.PrivateKey(rawRepresentation: Self.scalar(seed, 32))
            backing = .p256(key)
            json = Self.point("P-256", Array(key.publicKey.rawRepresentation))
        case .es384:
            let key = try P384.Signing.PrivateKey(rawRepresentation: Self.scalar(seed, 48))
            backing = .p384(key)
            json = Self.point("P-384", Array(key.publicKey.rawRepresentation))
        case .es512:
            let key = try P521.Signing.PrivateKey(rawRepresentation: Self.scalar(seed, 66))
            backing = .p521(key)
            json = Self.point("P-521", Array(key.publicKey.rawRepresentation))
        case .edDSA:
            let key = try Curve25519.Signing.PrivateKey(rawRepresentation: Self.scalar(seed, 32))
            backing = .ed25519(key)
            json = ["kty": "OKP", "crv": "Ed25519", "x": Self.text(Array(key.publicKey.rawRepresentation))]
        case .rs256, .ps256:
            let key = try Self.rsa.get()
            backing = .rsa(key)
            let numbers = try key.publicKey.getKeyPrimitives()
            json = [
                "kty": "RSA", "n": Self.text(Array(numbers.modulus)), "e": Self.text(Array(numbers.publicExponent)),
            ]
        }
        publicKey = try COSEKey(try JSONWebKey(json), algorithm: algorithm)
    }

    /// A signature in WebAuthn's form: DER for elliptic curves.
    public func signature(for message: [UInt8]) throws -> [UInt8] {
        switch backing {
        case .p256(let key): Array(try key.signature(for: message).derRepresentation)
        case .p384(let key): Array(try key.signature(for: message).derRepresentation)
        case .p521(let key): Array(try key.signature(for: message).derRepresentation)
        case .ed25519(let key): Array(try key.signature(for: message))
        case .rsa(let key):
            Array(
                try key.signature(
                    for: SHA256.hash(data: message), padding: algorithm == .ps256 ? .PSS : .insecurePKCS1v1_5
                ).rawRepresentation)
        }
    }

    /// A number of `count` bytes below the curve's order: its highest bits are zero.
    private static func scalar(_ seed: [UInt8], _ count: Int) -> [UInt8] {
        var bytes = Array(SHA512.hash(data: seed)) + Array(SHA512.hash(data: [1] + seed))
        bytes[0] = 0
        bytes[1] &= 0x7F
        return Array(bytes.prefix(count))
    }

    private static func point(_ curve: String, _ raw: [UInt8]) -> JSONValue {
        let half = raw.count / 2
        return [
            "kty": "EC", "crv": .string(curve), "x": text(Array(raw[..<half])), "y": text(Array(raw[half...])),
        ]
    }

    private static func text(_ bytes: [UInt8]) -> JSONValue {
        .string(Base64URL.encode(bytes))
    }
}
