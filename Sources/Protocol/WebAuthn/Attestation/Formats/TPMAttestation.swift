internal import Crypto

/// The `tpm` format (WebAuthn Level 3 §8.3): a TPM certifies a key that lives in it.
enum TPMAttestation {
    /// `tcg-kp-AIKCertificate`.
    private static let attestationKeyUsage = "2.23.133.8.3"

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
        guard certificate.version == 3, certificate.subject.isEmpty, certificate.isAuthority == false else {
            throw AttestationStatement.invalid("the certificate is not that of a TPM's key")
        }
        do {
            guard let usages = certificate.extensions[Identifier.extendedKeyUsage],
                try DERReader.document(usages.value, .sequence).children()
                    .contains(where: { (try? $0.objectIdentifier()) == attestationKeyUsage })
            else { throw DERProblem(detail: "no such usage") }
            guard let names = certificate.extensions[Identifier.subjectAlternativeName] else {
                throw DERProblem(detail: "no alternative name")
            }
            try checkDevice(try DERReader.document(names.value, .sequence).children())
        } catch {
            throw AttestationStatement.invalid("the certificate is not that of a TPM's key: \(error)")
        }
    }

    /// Maker, model and version of the TPM, as the profile of its certificates demands (TCG EK Credential Profile
    /// §3.2.9).
    private static func checkDevice(_ names: [DERElement]) throws(DERProblem) {
        guard let directory = names.first(where: { $0.tag == .context(4) }) else {
            throw DERProblem(detail: "no name of the device")
        }
        let attributes = try AttestationCertificate.attributes(try directory.only(.sequence))
        let value = { (type: String) in attributes.first { $0.type == type }?.text ?? "" }
        let maker = value("2.23.133.2.1")
        guard maker.hasPrefix("id:"), maker.utf8.count == 11, UInt32(maker.dropFirst(3), radix: 16) != nil,
            !value("2.23.133.2.2").isEmpty, value("2.23.133.2.3").hasPrefix("id:")
        else { throw DERProblem(detail: "no maker, model and version of the device") }
    }
}
