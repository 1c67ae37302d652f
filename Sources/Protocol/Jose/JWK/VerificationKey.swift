internal import Crypto
internal import CryptoExtras
public import Foundation

/// A public key bound to one algorithm: a token's header never chooses what is done with a key (RFC 8725 §3.1).
public struct VerificationKey: Sendable {
    private enum Backing: Sendable {
        case p256(P256.Signing.PublicKey)
        case p384(P384.Signing.PublicKey)
        case p521(P521.Signing.PublicKey)
        case rsa(_RSA.Signing.PublicKey)
        case ed25519(Curve25519.Signing.PublicKey)
    }

    /// The only algorithm that the key verifies.
    public let algorithm: SignatureAlgorithm
    /// `kid` of the key, if it has one.
    public let keyID: String?
    private let backing: Backing

    /// - Throws: `algorithmMismatch` if the key is for another algorithm, or its type does not fit; `invalidKey` if it
    ///   is not for signatures, or no point of its curve; `weakKey` for an RSA key that is too short or faulty.
    public init(_ key: JSONWebKey, algorithm: SignatureAlgorithm) throws(JoseProblem) {
        guard key.use == nil || key.use == "sig" else {
            throw JoseProblem(.invalidKey, "the key is not for signatures")
        }
        guard key.keyOperations?.contains("verify") ?? true else {
            throw JoseProblem(.invalidKey, "key_ops does not allow verify")
        }
        guard !key.hasForeignAlgorithm, key.algorithm == nil || key.algorithm == algorithm else {
            throw JoseProblem(.algorithmMismatch, "the key is for another algorithm")
        }
        self.algorithm = algorithm
        keyID = key.keyID
        do {
            backing = try Self.backing(key.material, algorithm)
        } catch let problem as JoseProblem {
            throw problem
        } catch {
            throw JoseProblem(.invalidKey, "the key's numbers make no key")
        }
    }

    private static func backing(_ material: JSONWebKey.Material, _ algorithm: SignatureAlgorithm) throws -> Backing {
        switch (material, algorithm) {
        case (.ec(.p256, let x, let y), .es256):
            return .p256(try P256.Signing.PublicKey(x963Representation: [4] + x + y))
        case (.ec(.p384, let x, let y), .es384):
            return .p384(try P384.Signing.PublicKey(x963Representation: [4] + x + y))
        case (.ec(.p521, let x, let y), .es512):
            return .p521(try P521.Signing.PublicKey(x963Representation: [4] + x + y))
        case (.rsa(let modulus, let exponent), .rs256), (.rsa(let modulus, let exponent), .rs384),
            (.rsa(let modulus, let exponent), .rs512), (.rsa(let modulus, let exponent), .ps256),
            (.rsa(let modulus, let exponent), .ps384), (.rsa(let modulus, let exponent), .ps512):
            if let flaw = RSAStrength.flaw(modulus: modulus, exponent: exponent) { throw JoseProblem(.weakKey, flaw) }
            return .rsa(try _RSA.Signing.PublicKey(n: modulus, e: exponent))
        case (.ed25519(let point), .edDSA):
            return .ed25519(try Curve25519.Signing.PublicKey(rawRepresentation: point))
        default:
            throw JoseProblem(.algorithmMismatch, "the key's type does not fit the algorithm")
        }
    }

    /// Whether `signature`, in the form of JWS (RFC 7518 §3.4: both integers side by side), is by this key.
    public func isValid(_ signature: [UInt8], for message: some DataProtocol) -> Bool {
        switch backing {
        case .p256(let key):
            guard signature.count == 64, let form = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
            else {
                return false
            }
            return key.isValidSignature(form, for: message)
        case .p384(let key):
            guard signature.count == 96, let form = try? P384.Signing.ECDSASignature(rawRepresentation: signature)
            else {
                return false
            }
            return key.isValidSignature(form, for: message)
        case .p521(let key):
            guard signature.count == 132, let form = try? P521.Signing.ECDSASignature(rawRepresentation: signature)
            else {
                return false
            }
            return key.isValidSignature(form, for: message)
        case .rsa(let key):
            return isValidRSA(signature, for: message, key)
        case .ed25519(let key):
            return signature.count == 64 && key.isValidSignature(signature, for: message)
        }
    }

    /// Whether `signature`, in the DER form of X.509 and WebAuthn, is by this key. Elliptic curves alone have one.
    public func isValidDER(_ signature: [UInt8], for message: some DataProtocol) -> Bool {
        switch backing {
        case .p256(let key):
            (try? P256.Signing.ECDSASignature(derRepresentation: signature)).map {
                key.isValidSignature($0, for: message)
            } ?? false
        case .p384(let key):
            (try? P384.Signing.ECDSASignature(derRepresentation: signature)).map {
                key.isValidSignature($0, for: message)
            } ?? false
        case .p521(let key):
            (try? P521.Signing.ECDSASignature(derRepresentation: signature)).map {
                key.isValidSignature($0, for: message)
            } ?? false
        case .rsa, .ed25519:
            false
        }
    }

    private func isValidRSA(_ signature: [UInt8], for message: some DataProtocol, _ key: _RSA.Signing.PublicKey) -> Bool
    {
        let form = _RSA.Signing.RSASignature(rawRepresentation: signature)
        return switch algorithm {
        case .rs256: key.isValidSignature(form, for: SHA256.hash(data: message), padding: .insecurePKCS1v1_5)
        case .rs384: key.isValidSignature(form, for: SHA384.hash(data: message), padding: .insecurePKCS1v1_5)
        case .rs512: key.isValidSignature(form, for: SHA512.hash(data: message), padding: .insecurePKCS1v1_5)
        case .ps256: key.isValidSignature(form, for: SHA256.hash(data: message), padding: .PSS)
        case .ps384: key.isValidSignature(form, for: SHA384.hash(data: message), padding: .PSS)
        case .ps512: key.isValidSignature(form, for: SHA512.hash(data: message), padding: .PSS)
        case .es256, .es384, .es512, .edDSA: false
        }
    }
}
