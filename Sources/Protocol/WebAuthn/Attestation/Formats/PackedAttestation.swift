internal import SwiftASN1

/// The `packed` format (WebAuthn Level 3 §8.2), signed with an attestation key or with the credential's own.
enum PackedAttestation {
    static func verify(
        _ statement: CBORValue, _ inputs: AttestationInputs
    ) throws(WebAuthnProblem) -> AttestationEvidence {
        let statement = try AttestationStatement(statement, required: ["alg", "sig"], optional: ["x5c"])
        let algorithm = try statement.algorithm()
        let signature = try statement.bytes("sig")
        guard statement.has("x5c") else {
            guard algorithm == inputs.key.algorithm else {
                throw AttestationStatement.invalid("alg is not the credential's")
            }
            guard inputs.key.isValid(signature, for: inputs.signedBytes) else {
                throw AttestationStatement.invalid("the signature is not by the credential's key")
            }
            return inputs.evidence("packed", .selfSigned)
        }
        let certificates = try statement.certificates()
        let certificate = try AttestationCertificate(certificates[0])
        guard certificate.signed(inputs.signedBytes, signature, algorithm) else {
            throw AttestationStatement.invalid("the signature is not by the certificate's key")
        }
        try checkRequirements(certificate)
        guard certificate.fits(inputs.credential.aaguid) else {
            throw AttestationStatement.invalid("the certificate is for another model")
        }
        return inputs.evidence("packed", .basic, certificates)
    }

    /// §8.2.1.
    private static func checkRequirements(_ certificate: AttestationCertificate) throws(WebAuthnProblem) {
        typealias Name = ASN1ObjectIdentifier.NameAttributes
        guard certificate.isVersion3 else {
            throw AttestationStatement.invalid("the certificate is not of version 3")
        }
        let country = certificate.subject(Name.countryName)
        guard country.count == 1, country[0].utf8.count == 2,
            country[0].utf8.allSatisfy({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0 & 0xDF) }),
            certificate.subject(Name.organizationName).contains(where: { !$0.isEmpty }),
            certificate.subject(Name.organizationalUnitName) == ["Authenticator Attestation"],
            certificate.subject(Name.commonName).contains(where: { !$0.isEmpty })
        else { throw AttestationStatement.invalid("the certificate's subject is not that of an authenticator") }
        guard certificate.isAuthority == false else {
            throw AttestationStatement.invalid("the certificate does not say that it is no authority")
        }
    }
}
