import Crypto
import CryptoExtras
import Foundation
import KeyturnJose

/// The crypto library by itself: what nobody can be faster than.
enum BareSignature {
    case p256(P256.Signing.PrivateKey, P256.Signing.PublicKey)
    case ed25519(Curve25519.Signing.PrivateKey, Curve25519.Signing.PublicKey)
    case rsa(_RSA.Signing.PrivateKey, _RSA.Signing.PublicKey)

    init(_ algorithm: SignatureAlgorithm, _ key: SigningKey) throws {
        switch algorithm {
        case .es256:
            let key = try P256.Signing.PrivateKey(derRepresentation: key.pkcs8DER)
            self = .p256(key, key.publicKey)
        case .edDSA:
            let key = try Curve25519.Signing.PrivateKey(rawRepresentation: key.pkcs8DER[16...])
            self = .ed25519(key, key.publicKey)
        default:
            let key = try _RSA.Signing.PrivateKey(derRepresentation: key.pkcs8DER)
            self = .rsa(key, key.publicKey)
        }
    }

    func sign(_ message: [UInt8]) throws -> Data {
        switch self {
        case .p256(let key, _): try key.signature(for: message).rawRepresentation
        case .ed25519(let key, _): try key.signature(for: message)
        case .rsa(let key, _):
            try key.signature(for: SHA256.hash(data: message), padding: .insecurePKCS1v1_5).rawRepresentation
        }
    }

    func verify(_ signature: Data, _ message: [UInt8]) throws -> Bool {
        switch self {
        case .p256(_, let key):
            key.isValidSignature(try P256.Signing.ECDSASignature(rawRepresentation: signature), for: message)
        case .ed25519(_, let key):
            key.isValidSignature(signature, for: message)
        case .rsa(_, let key):
            key.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: signature), for: SHA256.hash(data: message),
                padding: .insecurePKCS1v1_5)
        }
    }
}
