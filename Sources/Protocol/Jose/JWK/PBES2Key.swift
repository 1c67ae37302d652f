internal import CryptoExtras
internal import SwiftASN1

/// A key that is encrypted with PBES2, by PBKDF2 and AES-CBC (RFC 8018 §6.2): `EncryptedPrivateKeyInfo` of RFC 5958 §3.
struct PBES2Key: DERParseable {
    let rounds: Int
    private let salt: [UInt8]
    private let hash: KDF.Insecure.PBKDF2.HashFunction
    private let keyBytes: Int
    private let vector: [UInt8]
    private let sealed: [UInt8]

    private static let pbes2: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 5, 13]
    private static let pbkdf2: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 5, 12]
    /// `aes…-CBC-PAD` (RFC 8018 app. B.2.5), with the bytes of its key.
    private static let ciphers: [ASN1ObjectIdentifier: Int] = [
        [2, 16, 840, 1, 101, 3, 4, 1, 2]: 16, [2, 16, 840, 1, 101, 3, 4, 1, 22]: 24,
        [2, 16, 840, 1, 101, 3, 4, 1, 42]: 32,
    ]
    /// `id-hmacWith…` (RFC 8018 app. B.1.2).
    private static let hashes: [ASN1ObjectIdentifier: KDF.Insecure.PBKDF2.HashFunction] = [
        [1, 2, 840, 113_549, 2, 7]: .insecureSHA1, [1, 2, 840, 113_549, 2, 9]: .sha256,
        [1, 2, 840, 113_549, 2, 10]: .sha384, [1, 2, 840, 113_549, 2, 11]: .sha512,
    ]

    /// - Throws: for anything else, another cipher or hash among it.
    init(derEncoded node: ASN1Node) throws {
        let (scheme, sealed) = try DER.sequence(node, identifier: .sequence) { parts in
            (try AlgorithmIdentifier(derEncoded: &parts), try ASN1OctetString(derEncoded: &parts))
        }
        let (derivation, cipher) = try DER.sequence(
            try Self.parameters(of: scheme, Self.pbes2), identifier: .sequence
        ) { parts in
            (try AlgorithmIdentifier(derEncoded: &parts), try AlgorithmIdentifier(derEncoded: &parts))
        }
        guard let keyBytes = Self.ciphers[cipher.type], let vector = cipher.parameters else { throw Self.unknown }
        let derived = try PBKDF2Parameters(derEncoded: try Self.parameters(of: derivation, Self.pbkdf2))
        guard derived.rounds > 0, derived.keyBytes == nil || derived.keyBytes == keyBytes,
            let hash = derived.hash.map({ Self.hashes[$0.type] }) ?? .insecureSHA1
        else { throw Self.unknown }
        self.vector = Array(try ASN1OctetString(derEncoded: vector).bytes)
        guard self.vector.count == 16 else { throw Self.unknown }
        self.keyBytes = keyBytes
        self.hash = hash
        rounds = derived.rounds
        salt = Array(derived.salt)
        self.sealed = Array(sealed.bytes)
    }

    /// - Throws: if the passphrase is wrong, as far as the padding shows it.
    func open(_ passphrase: String) throws -> [UInt8] {
        let key = try KDF.Insecure.PBKDF2.deriveKey(
            from: Array(passphrase.utf8), salt: salt, using: hash, outputByteCount: keyBytes,
            unsafeUncheckedRounds: rounds)
        return Array(try AES._CBC.decrypt(sealed, using: key, iv: AES._CBC.IV(ivBytes: vector)))
    }

    private static let unknown = JoseProblem(.invalidKey, "a cipher that is unknown")

    private static func parameters(of algorithm: AlgorithmIdentifier, _ type: ASN1ObjectIdentifier) throws -> ASN1Node {
        guard algorithm.type == type, let parameters = algorithm.parameters else { throw unknown }
        return parameters
    }
}

/// `PBKDF2-params` (RFC 8018 app. A.2).
private struct PBKDF2Parameters: DERParseable {
    let salt: ArraySlice<UInt8>
    let rounds: Int
    let keyBytes: Int?
    /// `nil`: SHA-1.
    let hash: AlgorithmIdentifier?

    init(derEncoded node: ASN1Node) throws {
        (salt, rounds, keyBytes, hash) = try DER.sequence(node, identifier: .sequence) { parts in
            let salt = try ASN1OctetString(derEncoded: &parts).bytes
            let rounds = try Int(derEncoded: &parts)
            let keyBytes: Int? = try DER.optionalImplicitlyTagged(&parts)
            return (salt, rounds, keyBytes, try parts.next().map { try AlgorithmIdentifier(derEncoded: $0) })
        }
    }
}
