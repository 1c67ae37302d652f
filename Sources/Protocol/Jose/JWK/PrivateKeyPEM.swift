internal import CryptoExtras
internal import Foundation
internal import SwiftASN1

extension SigningKey {
    /// Reads a private key in PEM (RFC 7468): PKCS#8, also encrypted (RFC 8018), PKCS#1 for RSA, SEC 1 for elliptic
    /// curves. RSA keys may be encrypted with whatever the crypto library knows, others with PBES2 and AES.
    ///
    /// - Parameters:
    ///   - pem: The text with its `BEGIN` and `END` lines; at most 64 KiB. The first key in it counts.
    ///   - passphrase: What it is encrypted with; not looked at where it is not.
    ///   - algorithm: What to sign with; `nil`: RS256 for RSA, and what fits the curve of another key.
    /// - Throws: `invalidKey`, which does not tell a wrong passphrase from a damaged key; `algorithmMismatch`.
    public init(pem: String, passphrase: String?, algorithm: SignatureAlgorithm? = nil) throws(JoseProblem) {
        let document = try PEMDocument(firstKeyIn: pem)
        let der: [UInt8]
        switch document.discriminator {
        case "PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY": der = document.derBytes
        case "ENCRYPTED PRIVATE KEY":
            guard let passphrase else { throw JoseProblem(.invalidKey, "the key is encrypted: pass its passphrase") }
            der = try EncryptedKey.open(document, passphrase)
        default: throw JoseProblem(.invalidKey, "not a private key")
        }
        let usual = try KeyKind.usualAlgorithm(der, label: document.discriminator)
        guard let algorithm, algorithm != usual else {
            try self.init(pkcs8DER: der, algorithm: usual)
            return
        }
        guard KeyKind.isRSA(algorithm), KeyKind.isRSA(usual) else {
            throw JoseProblem(.algorithmMismatch, "the key is for another algorithm")
        }
        try self.init(pkcs8DER: der, algorithm: algorithm)
    }
}

extension PEMDocument {
    /// Most that is read, in bytes.
    private static let textBytesMax = 65_536

    /// The first private key in a text. Other text may stand around it, and its lines may be of any length: the
    /// library's own reader takes lines of 64 characters and nothing else, which not every tool writes.
    fileprivate init(firstKeyIn pem: String) throws(JoseProblem) {
        guard pem.utf8.count <= Self.textBytesMax else { throw JoseProblem(.invalidKey, "too long for a key") }
        let lines = pem.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
        guard let begin = lines.firstIndex(where: { $0.hasPrefix("-----BEGIN ") && $0.contains("PRIVATE KEY-----") }),
            let end = lines[begin...].firstIndex(where: { $0.hasPrefix("-----END ") })
        else { throw JoseProblem(.invalidKey, "no private key in PEM") }
        let label = String(lines[begin].dropFirst("-----BEGIN ".count).dropLast("-----".count))
        guard lines[end] == "-----END \(label)-----" else { throw JoseProblem(.invalidKey, "PEM of two kinds") }
        let body = lines[(begin + 1)..<end]
        // Header lines, as the forms before PKCS#8 have them.
        guard !body.contains(where: { $0.contains(":") }) else {
            throw JoseProblem(.invalidKey, "a key that is encrypted in the old form: convert it to PKCS#8")
        }
        guard let der = Data(base64Encoded: body.joined()) else {
            throw JoseProblem(.invalidKey, "PEM that is not base64")
        }
        self.init(type: label, derBytes: Array(der))
    }
}

/// What kind of key is in PKCS#8, PKCS#1 or SEC 1.
private enum KeyKind {
    private static let ed25519: ASN1ObjectIdentifier = [1, 3, 101, 112]

    static func isRSA(_ algorithm: SignatureAlgorithm) -> Bool {
        [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512].contains(algorithm)
    }

    static func usualAlgorithm(_ der: [UInt8], label: String) throws(JoseProblem) -> SignatureAlgorithm {
        let usual: SignatureAlgorithm?
        do {
            let key = try DER.parse(der)
            switch label {
            case "RSA PRIVATE KEY": usual = .rs256
            case "EC PRIVATE KEY": usual = try curveOfSEC1(key)
            default: usual = try usualOfPKCS8(key)
            }
        } catch {
            throw JoseProblem(.invalidKey, "the key cannot be read")
        }
        guard let usual else { throw JoseProblem(.invalidKey, "a key of another kind, or another curve") }
        return usual
    }

    /// `ECPrivateKey` (RFC 5915 §3). The curve is in an optional element; the size of the scalar says the same.
    private static func curveOfSEC1(_ key: ASN1Node) throws -> SignatureAlgorithm? {
        let scalar = try DER.sequence(key, identifier: .sequence) { parts in
            _ = try Int(derEncoded: &parts)
            let scalar = try ASN1OctetString(derEncoded: &parts)
            while parts.next() != nil {}
            return scalar
        }
        switch scalar.bytes.count {
        case 32: return .es256
        case 48: return .es384
        case 66: return .es512
        default: return nil
        }
    }

    /// `PrivateKeyInfo` (RFC 5958 §2).
    private static func usualOfPKCS8(_ key: ASN1Node) throws -> SignatureAlgorithm? {
        let kind = try DER.sequence(key, identifier: .sequence) { parts in
            _ = try Int(derEncoded: &parts)
            let kind = try AlgorithmIdentifier(derEncoded: &parts)
            while parts.next() != nil {}
            return kind
        }
        switch kind.type {
        case .AlgorithmIdentifier.rsaEncryption: return .rs256
        case ed25519: return .edDSA
        case .AlgorithmIdentifier.idEcPublicKey:
            guard let curve = kind.parameters else { return nil }
            switch try ASN1ObjectIdentifier(derEncoded: curve) {
            case .NamedCurves.secp256r1: return .es256
            case .NamedCurves.secp384r1: return .es384
            case .NamedCurves.secp521r1: return .es512
            default: return nil
            }
        default: return nil
        }
    }
}

/// PKCS#8 under a passphrase (RFC 5958 §3, RFC 8018 §6.2).
private enum EncryptedKey {
    /// Most rounds of the key derivation: more would take longer than a caller waits.
    private static let roundsMax = 10_000_000

    static func open(_ document: PEMDocument, _ passphrase: String) throws(JoseProblem) -> [UInt8] {
        if let own = try? PBES2Key(derEncoded: document.derBytes) {
            guard own.rounds <= roundsMax else { throw JoseProblem(.invalidKey, "the key takes too long to decrypt") }
            guard let opened = try? own.open(passphrase) else { throw JoseProblem(.invalidKey, Self.closed) }
            return opened
        }
        // Another cipher: older tools write three-key DES, which the crypto library opens for RSA keys.
        let key = try? _RSA.Signing.PrivateKey(encryptedPEMRepresentation: document.pemString) { setter in
            setter(Array(passphrase.utf8))
        }
        guard let key else { throw JoseProblem(.invalidKey, Self.closed) }
        return Array(key.pkcs8DERRepresentation)
    }

    private static let closed = "the key does not open: a wrong passphrase, a damaged key, or a cipher that is unknown"
}
