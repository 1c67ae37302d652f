internal import KeyturnBase
internal import KeyturnJose
internal import SwiftASN1

/// An X.509 certificate as far as attestation formats look into it (RFC 5280 §4.1). Who issued it is not judged here:
/// that is ``AttestationTrust``'s part.
struct AttestationCertificate {
    /// An attribute of a name (RFC 5280 §4.1.2.4).
    typealias Attribute = (type: ASN1ObjectIdentifier, text: String)

    /// An extension (RFC 5280 §4.2).
    struct Extension {
        let isCritical: Bool
        let value: [UInt8]
    }

    /// Whether it is of version 3, as certificates with extensions are.
    let isVersion3: Bool
    let subject: [Attribute]
    let extensions: [ASN1ObjectIdentifier: Extension]
    /// `nil` if it is of a kind that no signature here has.
    let key: JSONWebKey?
    /// `cA` of the basic constraints; `nil` if the certificate does not say.
    let isAuthority: Bool?

    enum Identifier {
        static let basicConstraints: ASN1ObjectIdentifier = [2, 5, 29, 19]
        static let subjectAlternativeName: ASN1ObjectIdentifier = [2, 5, 29, 17]
        static let extendedKeyUsage: ASN1ObjectIdentifier = [2, 5, 29, 37]
        /// `id-fido-gen-ce-aaguid` (WebAuthn Level 3 §8.2.1).
        static let model: ASN1ObjectIdentifier = [1, 3, 6, 1, 4, 1, 45_724, 1, 1, 4]
    }

    init(_ encoded: [UInt8]) throws(WebAuthnProblem) {
        guard encoded.count <= WebAuthnLimits.certificateBytes else {
            throw WebAuthnProblem(.attestationMalformed, "a certificate is too long")
        }
        do {
            try self.init(DER.parse(encoded))
        } catch {
            throw WebAuthnProblem(.attestationMalformed, "a certificate cannot be read")
        }
    }

    private init(_ certificate: ASN1Node) throws {
        let signed = try DER.sequence(certificate, identifier: .sequence) { fields in
            let signed = fields.next()
            _ = try AlgorithmIdentifier(derEncoded: &fields)
            // The signature is checked with the path; here, that it is spelt in the one way.
            _ = try ASN1BitString(derEncoded: &fields).wholeBytes
            return signed
        }
        guard let signed else { throw ASN1Error.invalidASN1Object(reason: "no certificate") }
        (isVersion3, subject, key, extensions) = try DER.sequence(signed, identifier: .sequence) { fields in
            let version = try DER.optionalExplicitlyTagged(&fields, tagNumber: 0, tagClass: .contextSpecific) {
                try Int64(derEncoded: $0)
            }
            // Serial number, signature, issuer, validity.
            for _ in 0..<4 { _ = fields.next() }
            guard let subject = fields.next(), let key = fields.next() else {
                throw ASN1Error.invalidASN1Object(reason: "no key")
            }
            // The identifiers of issuer and subject.
            for tag: UInt in 1...2 {
                DER.optionalImplicitlyTagged(&fields, tagNumber: tag, tagClass: .contextSpecific) { _ in }
            }
            let extensions = try DER.optionalExplicitlyTagged(
                &fields, tagNumber: 3, tagClass: .contextSpecific, Self.extensions)
            return (version == 2, try Self.attributes(subject), try SubjectPublicKeyInfo.key(key), extensions ?? [:])
        }
        isAuthority = try extensions[Identifier.basicConstraints].map(Self.authority)
    }

    /// The attributes of a name, in order.
    static func attributes(_ name: ASN1Node) throws -> [Attribute] {
        var result: [Attribute] = []
        try DER.sequence(name, identifier: .sequence) { relatives in
            while let relative = relatives.next() {
                try DER.set(relative, identifier: .set) { attributes in
                    while let attribute = attributes.next() {
                        guard result.count < WebAuthnLimits.certificateFields else {
                            throw ASN1Error.invalidASN1Object(reason: "too many attributes")
                        }
                        result.append(try Self.attribute(attribute))
                    }
                }
            }
        }
        return result
    }

    private static func attribute(_ node: ASN1Node) throws -> Attribute {
        try DER.sequence(node, identifier: .sequence) { parts in
            let type = try ASN1ObjectIdentifier(derEncoded: &parts)
            guard case .primitive(let text)? = parts.next()?.content else {
                throw ASN1Error.invalidASN1Object(reason: "an attribute without a text")
            }
            return (type, String(decoding: text, as: UTF8.self))
        }
    }

    private static func extensions(_ list: ASN1Node) throws -> [ASN1ObjectIdentifier: Extension] {
        var result: [ASN1ObjectIdentifier: Extension] = [:]
        try DER.sequence(list, identifier: .sequence) { nodes in
            while let node = nodes.next() {
                let (type, found) = try DER.sequence(node, identifier: .sequence) { parts in
                    let type = try ASN1ObjectIdentifier(derEncoded: &parts)
                    // Some makers write the default, which DER leaves out.
                    let isCritical: Bool? = try DER.optionalImplicitlyTagged(&parts)
                    let value = Array(try ASN1OctetString(derEncoded: &parts).bytes)
                    return (type, Extension(isCritical: isCritical ?? false, value: value))
                }
                guard result.updateValue(found, forKey: type) == nil, result.count <= WebAuthnLimits.certificateFields
                else { throw ASN1Error.invalidASN1Object(reason: "an extension twice, or too many") }
            }
        }
        return result
    }

    private static func authority(_ constraints: Extension) throws -> Bool {
        try DER.sequence(DER.parse(constraints.value), identifier: .sequence) { parts in
            let isAuthority: Bool? = try DER.optionalImplicitlyTagged(&parts)
            let _: Int64? = try DER.optionalImplicitlyTagged(&parts)
            return isAuthority ?? false
        }
    }
}

extension AttestationCertificate {
    /// The values of the subject's attribute of that type.
    func subject(_ type: ASN1ObjectIdentifier) -> [String] {
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
        guard !model.isCritical, let inner = try? ASN1OctetString(derEncoded: model.value) else { return false }
        return inner.bytes.elementsEqual(aaguid.bytes)
    }
}

extension ASN1BitString {
    /// The bits, which must be whole bytes.
    var wholeBytes: ArraySlice<UInt8> {
        get throws {
            guard paddingBits == 0 else { throw ASN1Error.invalidASN1Object(reason: "not whole bytes") }
            return bytes
        }
    }
}
