internal import Crypto
internal import SwiftASN1

/// The `tpm` format (WebAuthn Level 3 §8.3): a TPM certifies a key that lives in it.
enum TPMAttestation {
    /// `tcg-kp-AIKCertificate`.
    private static let attestationKeyUsage: ASN1ObjectIdentifier = [2, 23, 133, 8, 3]

    static func verify(
        _ statement: CBORValue, _ inputs: AttestationInputs
    ) throws(WebAuthnProblem) -> AttestationEvidence {
        let statement = try AttestationStatement(
            statement, required: ["ver", "alg", "x5c", "sig", "certInfo", "pubArea"])
        guard try statement.text("ver") == "2.0" else { throw AttestationStatement.malformed("ver is not 2.0") }
        let algorithm = try statement.algorithm()
        let certificates = try statement.certificates()
        let publicArea = try TPMPublicArea(try statement.bytes("pubArea"))
        guard publicArea.key == inputs.key.jsonWebKey else {
            throw AttestationStatement.invalid("pubArea is another key")
        }
        let certificate = try AttestationCertificate(certificates[0])
        try checkRequirements(certificate)
        guard certificate.fits(inputs.credential.aaguid) else {
            throw AttestationStatement.invalid("the certificate is for another model")
        }
        let certified = try statement.bytes("certInfo")
        guard certificate.signed(certified, try statement.bytes("sig"), algorithm) else {
            throw AttestationStatement.invalid("the signature is not by the certificate's key")
        }
        let attest = try TPMAttest(certified)
        guard try attest.extraData == digest(inputs.signedBytes, algorithm) else {
            throw AttestationStatement.invalid("the TPM certified the key for another ceremony")
        }
        guard attest.name == publicArea.name else {
            throw AttestationStatement.invalid("the TPM certified another key")
        }
        return inputs.evidence("tpm", .attestationAuthority, certificates)
    }

    private static func digest(_ bytes: [UInt8], _ algorithm: COSEAlgorithm) throws(WebAuthnProblem) -> [UInt8] {
        switch algorithm {
        case .es256, .rs256, .ps256: Array(SHA256.hash(data: bytes))
        case .es384: Array(SHA384.hash(data: bytes))
        case .es512: Array(SHA512.hash(data: bytes))
        case .edDSA: throw AttestationStatement.invalid("no TPM signs with Ed25519")
        }
    }

    /// §8.3.1.
    private static func checkRequirements(_ certificate: AttestationCertificate) throws(WebAuthnProblem) {
        typealias Identifier = AttestationCertificate.Identifier
        guard certificate.isVersion3, certificate.subject.isEmpty, certificate.isAuthority == false else {
            throw AttestationStatement.invalid("the certificate is not that of a TPM's key")
        }
        guard let usages = certificate.extensions[Identifier.extendedKeyUsage],
            (try? isForTPM(usages.value)) == true
        else { throw AttestationStatement.invalid("the certificate is not that of a TPM's key: no such usage") }
        guard let names = certificate.extensions[Identifier.subjectAlternativeName],
            (try? namesDevice(names.value)) == true
        else {
            throw AttestationStatement.invalid(
                "the certificate is not that of a TPM's key: no maker, model and version of the device")
        }
    }

    private static func isForTPM(_ usages: [UInt8]) throws -> Bool {
        let usages: [ASN1ObjectIdentifier] = try DER.sequence(identifier: .sequence, rootNode: DER.parse(usages))
        return usages.contains(attestationKeyUsage)
    }

    /// Whether maker, model and version of the TPM are there, as the profile of its certificates demands (TCG EK
    /// Credential Profile §3.2.9).
    private static func namesDevice(_ names: [UInt8]) throws -> Bool {
        let attributes = try DER.sequence(DER.parse(names), identifier: .sequence) { names in
            var result: [AttestationCertificate.Attribute]?
            while let name = names.next() {
                // The first directory name counts.
                guard result == nil, name.identifier == directoryName else { continue }
                result = try DER.explicitlyTagged(
                    name, tagNumber: directoryName.tagNumber, tagClass: directoryName.tagClass,
                    AttestationCertificate.attributes)
            }
            return result ?? []
        }
        let value = { (type: ASN1ObjectIdentifier) in attributes.first { $0.type == type }?.text ?? "" }
        let maker = value([2, 23, 133, 2, 1])
        return maker.hasPrefix("id:") && maker.utf8.count == 11 && UInt32(maker.dropFirst(3), radix: 16) != nil
            && !value([2, 23, 133, 2, 2]).isEmpty && value([2, 23, 133, 2, 3]).hasPrefix("id:")
    }

    /// A `GeneralName` (RFC 5280 §4.2.1.6).
    private static let directoryName = ASN1Identifier(tagWithNumber: 4, tagClass: .contextSpecific)
}
