internal import KeyturnBase
internal import KeyturnJose

/// The `fido-u2f` format (WebAuthn Level 3 §8.6): keys from before WebAuthn.
enum FIDOU2FAttestation {
    static func verify(
        _ statement: CBORValue, _ inputs: AttestationInputs
    ) throws(WebAuthnProblem) -> AttestationEvidence {
        let statement = try AttestationStatement(statement, required: ["sig", "x5c"])
        let signature = try statement.bytes("sig")
        let certificates = try statement.certificates()
        guard certificates.count == 1 else { throw AttestationStatement.invalid("x5c has more than one certificate") }
        let certificate = try AttestationCertificate(certificates[0])
        guard certificate.key?.json["crv"] == "P-256" else {
            throw AttestationStatement.invalid("the certificate's key is not on P-256")
        }
        let key = inputs.key.jsonWebKey.json
        guard inputs.key.algorithm == .es256, let x = key["x"]?.stringValue.flatMap({ Base64URL.decode($0) }),
            let y = key["y"]?.stringValue.flatMap({ Base64URL.decode($0) })
        else { throw AttestationStatement.invalid("the credential's key is not on P-256") }
        // Such a device knows a touch and nothing else, and its client writes the rest as zeros (CTAP 2.2 §7.1.4): what
        // the signature does not cover cannot say more than the device could.
        guard inputs.authenticatorData.flags.subtracting([.userPresent, .attestedCredential]).isEmpty,
            inputs.authenticatorData.signCount == 0
        else { throw AttestationStatement.invalid("it claims what no such device knows") }
        let message =
            [0] + inputs.authenticatorData.rpIDHash + inputs.clientDataHash + inputs.credential.credentialID + [4] + x
            + y
        guard certificate.signed(message, signature, .es256) else {
            throw AttestationStatement.invalid("the signature is not by the certificate's key")
        }
        return inputs.evidence("fido-u2f", .basic, certificates)
    }
}
