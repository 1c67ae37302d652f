internal import CryptoExtras
internal import Foundation

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
        let document = try PEMKey(pem)
        let der: [UInt8]
        switch document.label {
        case "PRIVATE KEY": der = document.der
        case "RSA PRIVATE KEY", "EC PRIVATE KEY":
            guard !document.hasHeaders else {
                throw JoseProblem(.invalidKey, "a key that is encrypted in the old form: convert it to PKCS#8")
            }
            der = document.der
        case "ENCRYPTED PRIVATE KEY":
            guard let passphrase else { throw JoseProblem(.invalidKey, "the key is encrypted: pass its passphrase") }
            der = try EncryptedKey.open(document, passphrase)
        default: throw JoseProblem(.invalidKey, "not a private key")
        }
        let usual = try KeyKind.usualAlgorithm(der, label: document.label)
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

/// The first key in a text.
private struct PEMKey {
    let label: String
    let der: [UInt8]
    /// Whether there are header lines, as the forms before PKCS#8 have them.
    let hasHeaders: Bool
    /// That key alone, as text.
    let text: String

    private static let bytesMax = 65_536

    init(_ pem: String) throws(JoseProblem) {
        guard pem.utf8.count <= Self.bytesMax else { throw JoseProblem(.invalidKey, "too long for a key") }
        let lines = pem.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
        guard let begin = lines.firstIndex(where: { $0.hasPrefix("-----BEGIN ") && $0.contains("PRIVATE KEY-----") }),
            let end = lines[begin...].firstIndex(where: { $0.hasPrefix("-----END ") })
        else { throw JoseProblem(.invalidKey, "no private key in PEM") }
        label = String(lines[begin].dropFirst("-----BEGIN ".count).dropLast("-----".count))
        guard lines[end] == "-----END \(label)-----" else { throw JoseProblem(.invalidKey, "PEM of two kinds") }
        let body = lines[(begin + 1)..<end]
        hasHeaders = body.contains { $0.contains(":") }
        let decoded = Data(base64Encoded: body.joined())
        guard decoded != nil || hasHeaders else { throw JoseProblem(.invalidKey, "PEM that is not base64") }
        der = decoded.map { Array($0) } ?? []
        text = lines[begin...end].joined(separator: "\n") + "\n"
    }
}

/// What kind of key is in PKCS#8, PKCS#1 or SEC 1.
private enum KeyKind {
    private static let rsa: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
    private static let ellipticCurve: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
    private static let ed25519: [UInt8] = [0x2B, 0x65, 0x70]
    private static let curves: [(identifier: [UInt8], algorithm: SignatureAlgorithm)] = [
        ([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07], .es256), ([0x2B, 0x81, 0x04, 0x00, 0x22], .es384),
        ([0x2B, 0x81, 0x04, 0x00, 0x23], .es512),
    ]

    static func isRSA(_ algorithm: SignatureAlgorithm) -> Bool {
        [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512].contains(algorithm)
    }

    static func usualAlgorithm(_ der: [UInt8], label: String) throws(JoseProblem) -> SignatureAlgorithm {
        if label == "RSA PRIVATE KEY" { return .rs256 }
        var outer = DERReader(der[...])
        guard var key = outer.readSequence(), key.readNumber() != nil else {
            throw JoseProblem(.invalidKey, "the key cannot be read")
        }
        if label == "EC PRIVATE KEY" {
            // The curve is in an optional element; the size of the scalar says the same.
            switch key.read(DERReader.octetString)?.count {
            case 32: return .es256
            case 48: return .es384
            case 66: return .es512
            default: throw JoseProblem(.invalidKey, "a key of another curve")
            }
        }
        guard var kind = key.readSequence(), let identifier = kind.read(DERReader.objectIdentifier) else {
            throw JoseProblem(.invalidKey, "the key cannot be read")
        }
        if identifier.elementsEqual(rsa) { return .rs256 }
        if identifier.elementsEqual(ed25519) { return .edDSA }
        guard identifier.elementsEqual(ellipticCurve), let curve = kind.read(DERReader.objectIdentifier),
            let known = curves.first(where: { curve.elementsEqual($0.identifier) })
        else { throw JoseProblem(.invalidKey, "a key of another kind, or another curve") }
        return known.algorithm
    }
}

/// PKCS#8 under a passphrase (RFC 5958 §3, RFC 8018 §6.2).
private enum EncryptedKey {
    /// Most rounds of the key derivation: more would take longer than a caller waits.
    private static let roundsMax = 10_000_000
    private static let pbes2: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x05, 0x0D]
    private static let pbkdf2: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x05, 0x0C]
    /// `id-hmacWith…`: RFC 8018 app. B.1.2.
    private static let hmac: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x02]
    /// `aes…-CBC`: RFC 8018 app. B.2.5.
    private static let aes: [UInt8] = [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x01]
    private static let keyBytes: [UInt8: Int] = [2: 16, 22: 24, 42: 32]

    static func open(_ document: PEMKey, _ passphrase: String) throws(JoseProblem) -> [UInt8] {
        if let own = own(document.der) {
            guard own.rounds <= roundsMax else { throw JoseProblem(.invalidKey, "the key takes too long to decrypt") }
            guard let opened = try? own.open(passphrase) else { throw JoseProblem(.invalidKey, Self.closed) }
            return opened
        }
        // Another cipher: older tools write three-key DES, which the crypto library opens for RSA keys.
        let key = try? _RSA.Signing.PrivateKey(encryptedPEMRepresentation: document.text) { setter in
            setter(Array(passphrase.utf8))
        }
        guard let key else { throw JoseProblem(.invalidKey, Self.closed) }
        return Array(key.pkcs8DERRepresentation)
    }

    private static let closed = "the key does not open: a wrong passphrase, a damaged key, or a cipher that is unknown"

    private struct Parameters {
        let salt: [UInt8]
        let rounds: Int
        let hash: KDF.Insecure.PBKDF2.HashFunction
        let keyBytes: Int
        let vector: [UInt8]
        let sealed: [UInt8]

        func open(_ passphrase: String) throws -> [UInt8] {
            let key = try KDF.Insecure.PBKDF2.deriveKey(
                from: Array(passphrase.utf8), salt: salt, using: hash, outputByteCount: keyBytes,
                unsafeUncheckedRounds: rounds)
            return Array(try AES._CBC.decrypt(sealed, using: key, iv: AES._CBC.IV(ivBytes: vector)))
        }
    }

    /// PBES2 with PBKDF2 and AES-CBC; `nil` for anything else.
    private static func own(_ der: [UInt8]) -> Parameters? {
        var outer = DERReader(der[...])
        guard var info = outer.readSequence(), var scheme = info.readSequence(),
            let sealed = info.read(DERReader.octetString),
            scheme.read(DERReader.objectIdentifier)?.elementsEqual(pbes2) == true,
            var both = scheme.readSequence(), var derivation = both.readSequence(), var cipher = both.readSequence(),
            derivation.read(DERReader.objectIdentifier)?.elementsEqual(pbkdf2) == true,
            var parameters = derivation.readSequence(), let salt = parameters.read(DERReader.octetString),
            let rounds = parameters.readNumber(), rounds > 0,
            let name = cipher.read(DERReader.objectIdentifier), name.dropLast().elementsEqual(aes),
            let keyBytes = name.last.flatMap({ keyBytes[$0] }), let vector = cipher.read(DERReader.octetString),
            vector.count == 16
        else { return nil }
        if parameters.nextTag == DERReader.integer { guard parameters.readNumber() == keyBytes else { return nil } }
        guard let hash = hash(&parameters) else { return nil }
        return Parameters(
            salt: Array(salt), rounds: rounds, hash: hash, keyBytes: keyBytes, vector: Array(vector),
            sealed: Array(sealed))
    }

    private static func hash(_ parameters: inout DERReader) -> KDF.Insecure.PBKDF2.HashFunction? {
        guard !parameters.isAtEnd else { return .insecureSHA1 }
        guard var function = parameters.readSequence(), let name = function.read(DERReader.objectIdentifier),
            name.dropLast().elementsEqual(hmac)
        else { return nil }
        switch name.last {
        case 7: return .insecureSHA1
        case 9: return .sha256
        case 10: return .sha384
        case 11: return .sha512
        default: return nil
        }
    }
}
