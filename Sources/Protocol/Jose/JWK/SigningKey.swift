internal import Crypto
internal import CryptoExtras
internal import Foundation
public import KeyturnBase

/// Signs where a private key is that this process cannot read.
package protocol ExternalSigner: Sendable {
    var publicMaterial: JSONWebKey.Material { get }
    /// Whether a signature can be expected now. Asked before anything is spent for what is to be signed.
    var isReady: Bool { get }

    /// The signature in the form of JWS (RFC 7518 §3.3, §3.4).
    func signature(for message: [UInt8], _ algorithm: SignatureAlgorithm) throws -> [UInt8]
}

/// A private key and the one algorithm that it signs with.
public struct SigningKey: Sendable {
    private enum Backing: Sendable {
        case p256(P256.Signing.PrivateKey)
        case p384(P384.Signing.PrivateKey)
        case p521(P521.Signing.PrivateKey)
        case rsa(_RSA.Signing.PrivateKey)
        case ed25519(Curve25519.Signing.PrivateKey)
        case external(any ExternalSigner)
    }

    /// The only algorithm that the key signs with.
    public let algorithm: SignatureAlgorithm
    private let backing: Backing

    private init(_ backing: Backing, _ algorithm: SignatureAlgorithm) {
        self.backing = backing
        self.algorithm = algorithm
    }

    /// A key that is kept elsewhere.
    package init(_ signer: any ExternalSigner, _ algorithm: SignatureAlgorithm) {
        self.init(.external(signer), algorithm)
    }

    /// A new key; 2048 bits for RSA, which takes a tenth of a second and more.
    ///
    /// - Throws: `invalidKey` if the crypto library cannot make one.
    public static func generate(_ algorithm: SignatureAlgorithm) throws(JoseProblem) -> SigningKey {
        switch algorithm {
        case .es256: return SigningKey(.p256(P256.Signing.PrivateKey()), algorithm)
        case .es384: return SigningKey(.p384(P384.Signing.PrivateKey()), algorithm)
        case .es512: return SigningKey(.p521(P521.Signing.PrivateKey()), algorithm)
        case .edDSA: return SigningKey(.ed25519(Curve25519.Signing.PrivateKey()), algorithm)
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512:
            guard let key = try? _RSA.Signing.PrivateKey(keySize: .bits2048) else {
                throw JoseProblem(.invalidKey, "no RSA key could be made")
            }
            return SigningKey(.rsa(key), algorithm)
        }
    }

    /// Reads what ``pkcs8DER`` wrote.
    ///
    /// - Throws: `invalidKey` if the bytes are no such key.
    public init(pkcs8DER der: [UInt8], algorithm: SignatureAlgorithm) throws(JoseProblem) {
        do {
            switch algorithm {
            case .es256: self.init(.p256(try P256.Signing.PrivateKey(derRepresentation: der)), algorithm)
            case .es384: self.init(.p384(try P384.Signing.PrivateKey(derRepresentation: der)), algorithm)
            case .es512: self.init(.p521(try P521.Signing.PrivateKey(derRepresentation: der)), algorithm)
            case .edDSA:
                guard der.count == 48, Array(der[..<16]) == Self.ed25519Prefix else {
                    throw JoseProblem(.invalidKey, "not an Ed25519 key")
                }
                self.init(.ed25519(try Curve25519.Signing.PrivateKey(rawRepresentation: der[16...])), algorithm)
            case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512:
                self.init(.rsa(try _RSA.Signing.PrivateKey(derRepresentation: der)), algorithm)
            }
        } catch {
            throw JoseProblem(.invalidKey, "the bytes are no private key for \(algorithm.rawValue)")
        }
    }

    /// Reads a private JSON Web Key (RFC 7518 §6, RFC 8037 §2). The public members must belong to the private ones.
    ///
    /// - Parameter algorithm: `nil` takes the key's own `alg`, or the usual one of its type.
    /// - Throws: `invalidKey`, `algorithmMismatch` or `weakKey`.
    public init(privateJWK json: JSONValue, algorithm: SignatureAlgorithm? = nil) throws(JoseProblem) {
        let material = try JSONWebKey.material(of: json)
        let named = json["alg"]?.stringValue.flatMap(SignatureAlgorithm.init(rawValue:))
        let chosen = algorithm ?? named ?? Self.usualAlgorithm(material)
        guard named == nil || named == chosen else {
            throw JoseProblem(.algorithmMismatch, "the key is for another algorithm")
        }
        let backing: Backing
        do {
            backing = try Self.backing(json, material)
        } catch let problem as JoseProblem {
            throw problem
        } catch {
            throw JoseProblem(.invalidKey, "the key's numbers make no key")
        }
        self.init(backing, chosen)
        var published = publicKey
        published.keyID = nil
        guard published.material == material else {
            throw JoseProblem(.invalidKey, "the public members do not belong to the private ones")
        }
        _ = try VerificationKey(published, algorithm: chosen)
    }

    private static func usualAlgorithm(_ material: JSONWebKey.Material) -> SignatureAlgorithm {
        switch material {
        case .ec(.p256, _, _): .es256
        case .ec(.p384, _, _): .es384
        case .ec(.p521, _, _): .es512
        case .rsa: .rs256
        case .ed25519: .edDSA
        }
    }

    private static func backing(_ json: JSONValue, _ material: JSONWebKey.Material) throws -> Backing {
        switch material {
        case .ec(let curve, _, _):
            let scalar = try JSONWebKey.bytes(json, "d", count: curve.coordinateBytes)
            return switch curve {
            case .p256: .p256(try P256.Signing.PrivateKey(rawRepresentation: scalar))
            case .p384: .p384(try P384.Signing.PrivateKey(rawRepresentation: scalar))
            case .p521: .p521(try P521.Signing.PrivateKey(rawRepresentation: scalar))
            }
        case .rsa(let modulus, let exponent):
            let part = { (name: String) throws -> [UInt8] in try JSONWebKey.bytes(json, name, count: nil) }
            return .rsa(
                try _RSA.Signing.PrivateKey(
                    n: modulus, e: exponent, d: try part("d"), p: try part("p"), q: try part("q")))
        case .ed25519:
            let seed = try JSONWebKey.bytes(json, "d", count: 32)
            return .ed25519(try Curve25519.Signing.PrivateKey(rawRepresentation: seed))
        }
    }

    /// The form in which a key is stored (RFC 5208, RFC 8410). Empty for a key that is kept elsewhere.
    public var pkcs8DER: [UInt8] {
        switch backing {
        case .p256(let key): Array(key.derRepresentation)
        case .p384(let key): Array(key.derRepresentation)
        case .p521(let key): Array(key.derRepresentation)
        case .rsa(let key): Array(key.pkcs8DERRepresentation)
        case .ed25519(let key): Self.ed25519Prefix + Array(key.rawRepresentation)
        case .external: []
        }
    }

    /// `SEQUENCE { INTEGER 0, SEQUENCE { OID 1.3.101.112 }, OCTET STRING { OCTET STRING (32) … } }` (RFC 8410 §7).
    private static let ed25519Prefix: [UInt8] = [
        0x30, 0x2E, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
    ]

    /// The public half, with its thumbprint as `kid`, `alg`, and `use` for signatures.
    public var publicKey: JSONWebKey {
        var key = JSONWebKey(material: publicMaterial, keyID: nil, algorithm: algorithm, use: "sig")
        key.keyID = key.thumbprint()
        return key
    }

    private var publicMaterial: JSONWebKey.Material {
        switch backing {
        case .p256(let key): Self.point(.p256, Array(key.publicKey.x963Representation))
        case .p384(let key): Self.point(.p384, Array(key.publicKey.x963Representation))
        case .p521(let key): Self.point(.p521, Array(key.publicKey.x963Representation))
        case .ed25519(let key): .ed25519(Array(key.publicKey.rawRepresentation))
        case .external(let signer): signer.publicMaterial
        case .rsa(let key):
            switch try? key.publicKey.getKeyPrimitives() {
            case .some(let numbers): .rsa(modulus: Array(numbers.modulus), exponent: Array(numbers.publicExponent))
            case .none: preconditionFailure("an RSA key has a modulus and an exponent")
            }
        }
    }

    private static func point(_ curve: JSONWebKey.Curve, _ x963: [UInt8]) -> JSONWebKey.Material {
        let half = curve.coordinateBytes
        return .ec(curve, x: Array(x963[1...half]), y: Array(x963[(half + 1)...]))
    }

    /// Whether a signature can be expected now: a key that is kept elsewhere may be away.
    package var isReady: Bool {
        guard case .external(let signer) = backing else { return true }
        return signer.isReady
    }

    /// The signature in the form of JWS (RFC 7518 §3.4).
    ///
    /// - Throws: `signature` if the crypto library cannot sign.
    public func signature(for message: [UInt8]) throws(JoseProblem) -> [UInt8] {
        do {
            return switch backing {
            case .p256(let key): Array(try key.signature(for: Self.digest(message)).rawRepresentation)
            case .p384(let key): Array(try key.signature(for: message).rawRepresentation)
            case .p521(let key): Array(try key.signature(for: message).rawRepresentation)
            case .ed25519(let key): Array(try key.signature(for: message))
            case .rsa(let key): Array(try Self.rsaSignature(message, key, algorithm).rawRepresentation)
            case .external(let signer): try signer.signature(for: message, algorithm)
            }
        } catch {
            throw JoseProblem(.signature, "the key could not sign")
        }
    }

    /// Of an array, whose bytes lie in one piece, the library hashes them so without a detour.
    private static func digest(_ message: [UInt8]) -> SHA256.Digest {
        var hash = SHA256()
        unsafe message.withUnsafeBytes { unsafe hash.update(bufferPointer: $0) }
        return hash.finalize()
    }

    private static func rsaSignature(
        _ message: [UInt8], _ key: _RSA.Signing.PrivateKey, _ algorithm: SignatureAlgorithm
    ) throws -> _RSA.Signing.RSASignature {
        switch algorithm {
        case .rs384: try key.signature(for: SHA384.hash(data: message), padding: .insecurePKCS1v1_5)
        case .rs512: try key.signature(for: SHA512.hash(data: message), padding: .insecurePKCS1v1_5)
        case .ps256: try key.signature(for: SHA256.hash(data: message), padding: .PSS)
        case .ps384: try key.signature(for: SHA384.hash(data: message), padding: .PSS)
        case .ps512: try key.signature(for: SHA512.hash(data: message), padding: .PSS)
        default: try key.signature(for: SHA256.hash(data: message), padding: .insecurePKCS1v1_5)
        }
    }
}
