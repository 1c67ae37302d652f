internal import KeyturnBase
internal import KeyturnJose

/// An X.509 certificate as far as attestation formats look into it (RFC 5280 §4.1). Who issued it is not judged here:
/// that is ``AttestationTrust``'s part.
struct AttestationCertificate {
    /// An extension (RFC 5280 §4.2).
    struct Extension {
        let isCritical: Bool
        let value: [UInt8]
    }

    /// 3 for a certificate with extensions.
    let version: Int64
    /// Types and texts of the subject's attributes.
    let subject: [(type: String, text: String)]
    let extensions: [String: Extension]
    /// `nil` if it is of a kind that no signature here has.
    let key: JSONWebKey?
    /// `cA` of the basic constraints; `nil` if the certificate does not say.
    let isAuthority: Bool?

    enum Identifier {
        static let countryName = "2.5.4.6"
        static let organizationName = "2.5.4.10"
        static let organizationalUnitName = "2.5.4.11"
        static let commonName = "2.5.4.3"
        static let basicConstraints = "2.5.29.19"
        static let subjectAlternativeName = "2.5.29.17"
        static let extendedKeyUsage = "2.5.29.37"
        /// `id-fido-gen-ce-aaguid` (WebAuthn Level 3 §8.2.1).
        static let model = "1.3.6.1.4.1.45724.1.1.4"
    }

    init(_ encoded: [UInt8]) throws(WebAuthnProblem) {
        guard encoded.count <= WebAuthnLimits.certificateBytes else {
            throw WebAuthnProblem(.attestationMalformed, "a certificate is too long")
        }
        do {
            var fields = try DERReader.document(encoded, .sequence).children(max: 3)[...]
            guard fields.count == 3, let signed = fields.popFirst(), signed.tag == .sequence else {
                throw DERProblem(detail: "not a certificate")
            }
            // The signature is checked with the path; here, that it is spelt in the one way.
            _ = try fields.last?.wholeBits()
            var parts = try signed.children(max: 10)[...]
            if parts.first?.tag == .context(0), let explicit = parts.popFirst() {
                version = try explicit.only(.integer).smallInteger() &+ 1
            } else {
                version = 1
            }
            // serialNumber, signature, issuer, validity, subject, subjectPublicKeyInfo
            guard parts.count >= 6 else { throw DERProblem(detail: "not a certificate") }
            parts = parts.dropFirst(4)
            guard let subject = parts.popFirst(), let keyInfo = parts.popFirst() else {
                throw DERProblem(detail: "not a certificate")
            }
            self.subject = try Self.attributes(subject)
            key = try Self.key(keyInfo)
            extensions = try parts.first { $0.tag == .context(3) }.map(Self.extensions) ?? [:]
            isAuthority = try extensions[Identifier.basicConstraints].map(Self.authority)
        } catch let problem as DERProblem {
            throw WebAuthnProblem(.attestationMalformed, "a certificate has \(problem.detail)")
        } catch {
            throw WebAuthnProblem(.attestationMalformed, "a certificate cannot be read")
        }
    }

    /// The attributes of a name (RFC 5280 §4.1.2.4), in order.
    static func attributes(_ name: DERElement) throws(DERProblem) -> [(type: String, text: String)] {
        guard name.tag == .sequence else { throw DERProblem(detail: "a name that is not one") }
        var result: [(type: String, text: String)] = []
        for relative in try name.children() {
            guard relative.tag == .set else { throw DERProblem(detail: "a name that is not one") }
            for attribute in try relative.children() {
                let pair = try attribute.children(max: 2)
                guard pair.count == 2 else { throw DERProblem(detail: "a name that is not one") }
                result.append((try pair[0].objectIdentifier(), String(decoding: pair[1].content, as: UTF8.self)))
            }
        }
        return result
    }

    private static func extensions(_ explicit: DERElement) throws(DERProblem) -> [String: Extension] {
        var result: [String: Extension] = [:]
        for element in try explicit.only(.sequence).children() {
            var parts = try element.children(max: 3)[...]
            guard let type = try parts.popFirst()?.objectIdentifier() else {
                throw DERProblem(detail: "an extension without a type")
            }
            var isCritical = false
            if parts.first?.tag == .boolean { isCritical = try parts.popFirst()?.truth() ?? false }
            guard parts.count == 1, let value = try parts.first?.octets(), result[type] == nil else {
                throw DERProblem(detail: "an extension without a value, or one that comes twice")
            }
            result[type] = Extension(isCritical: isCritical, value: value)
        }
        return result
    }

    private static func authority(_ constraints: Extension) throws(DERProblem) -> Bool {
        let parts = try DERReader.document(constraints.value, .sequence).children(max: 2)
        guard let first = parts.first, first.tag == .boolean else { return false }
        return try first.truth()
    }

    /// Reads `SubjectPublicKeyInfo` (RFC 5480 §2, RFC 3279 §2.3.1, RFC 8410 §4).
    private static func key(_ info: DERElement) throws(DERProblem) -> JSONWebKey? {
        let parts = try info.children(max: 2)
        guard info.tag == .sequence, parts.count == 2 else { throw DERProblem(detail: "a key that is not one") }
        let algorithm = try parts[0].children(max: 2)
        let bits = try parts[1].wholeBits()
        let text = { (bytes: ArraySlice<UInt8>) in JSONValue.string(Base64URL.encode(bytes)) }
        switch try algorithm.first?.objectIdentifier() {
        case "1.2.840.10045.2.1" where algorithm.count == 2:
            let curves = ["1.2.840.10045.3.1.7": "P-256", "1.3.132.0.34": "P-384", "1.3.132.0.35": "P-521"]
            // A certificate may hold a compressed point, or name a curve that is not ours: such a key is not used.
            guard algorithm[1].tag == .objectIdentifier, let curve = curves[try algorithm[1].objectIdentifier()],
                bits.first == 4, bits.count % 2 == 1
            else { return nil }
            let half = bits.count / 2
            let point: JSONValue = [
                "kty": "EC", "crv": .string(curve), "x": text(bits[1...half]), "y": text(bits[(half + 1)...]),
            ]
            return try? JSONWebKey(point)
        case "1.2.840.113549.1.1.1":
            let numbers = try DERReader.document(bits, .sequence).children(max: 2)
            guard numbers.count == 2 else { throw DERProblem(detail: "a key that is not one") }
            return try? JSONWebKey([
                "kty": "RSA", "n": text(try numbers[0].magnitude()[...]), "e": text(try numbers[1].magnitude()[...]),
            ])
        case "1.3.101.112":
            return try? JSONWebKey(["kty": "OKP", "crv": "Ed25519", "x": text(bits[...])])
        default:
            return nil
        }
    }
}

extension AttestationCertificate {
    /// The values of the subject's attribute of that type.
    func subject(_ type: String) -> [String] {
        subject.filter { $0.type == type }.map(\.text)
    }

    /// Whether `signature` over `message` is by the certificate's key.
    func signed(_ message: [UInt8], _ signature: [UInt8], _ algorithm: COSEAlgorithm) -> Bool {
        guard let key, let verification = try? VerificationKey(key, algorithm: algorithm.signatureAlgorithm) else {
            return false
        }
        return WebAuthnSignature.isValid(signature, for: message, by: verification)
    }

    /// Whether the certificate is for that model, or does not say (§8.2.1): 16 bytes in two octet strings, not
    /// critical.
    func fits(_ aaguid: AAGUID) -> Bool {
        guard let model = extensions[Identifier.model] else { return true }
        guard !model.isCritical, let inner = try? DERReader.document(model.value, .octetString).octets() else {
            return false
        }
        return inner == aaguid.bytes
    }
}
