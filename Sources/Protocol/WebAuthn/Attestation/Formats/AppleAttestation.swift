internal import Crypto
internal import SwiftASN1

/// The `apple` format (WebAuthn Level 3 §8.8): Apple certifies the credential's key itself.
enum AppleAttestation {
    /// Where the certificate holds the nonce.
    private static let nonceIdentifier: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 8, 2]

    static func verify(
        _ statement: CBORValue, _ inputs: AttestationInputs
    ) throws(WebAuthnProblem) -> AttestationEvidence {
        let certificates = try AttestationStatement(statement, required: ["x5c"]).certificates()
        let certificate = try AttestationCertificate(certificates[0])
        let nonce = Array(SHA256.hash(data: inputs.signedBytes))
        guard let held = certificate.extensions[nonceIdentifier]?.value, try value(held) == nonce else {
            throw AttestationStatement.invalid("the certificate was made for another ceremony")
        }
        guard certificate.key == inputs.key.jsonWebKey else {
            throw AttestationStatement.invalid("the certificate is for another key")
        }
        return inputs.evidence("apple", .anonymizationAuthority, certificates)
    }

    /// `SEQUENCE { [1] { OCTET STRING } }`.
    private static func value(_ encoded: [UInt8]) throws(WebAuthnProblem) -> [UInt8] {
        do {
            let nonce = try DER.sequence(DER.parse(encoded), identifier: .sequence) { parts in
                try DER.explicitlyTagged(&parts, tagNumber: 1, tagClass: .contextSpecific) {
                    try ASN1OctetString(derEncoded: $0)
                }
            }
            return Array(nonce.bytes)
        } catch {
            throw AttestationStatement.malformed("the certificate's nonce cannot be read")
        }
    }
}
