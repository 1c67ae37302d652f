/// The `android-key` format (WebAuthn Level 3 §8.4): Android's keystore certifies the credential's key.
enum AndroidKeyAttestation {
    static func verify(
        _ statement: CBORValue, _ inputs: AttestationInputs
    ) throws(WebAuthnProblem) -> AttestationEvidence {
        let statement = try AttestationStatement(statement, required: ["alg", "sig", "x5c"])
        let algorithm = try statement.algorithm()
        let signature = try statement.bytes("sig")
        let certificates = try statement.certificates()
        let certificate = try AttestationCertificate(certificates[0])
        guard certificate.signed(inputs.signedBytes, signature, algorithm) else {
            throw AttestationStatement.invalid("the signature is not by the certificate's key")
        }
        guard certificate.key == inputs.key.jsonWebKey, algorithm == inputs.key.algorithm else {
            throw AttestationStatement.invalid("the certificate is for another key")
        }
        guard let held = certificate.extensions[AndroidKeyDescription.identifier] else {
            throw AttestationStatement.invalid("the certificate does not describe the key")
        }
        let description: AndroidKeyDescription
        do {
            description = try AndroidKeyDescription(held.value)
        } catch {
            throw AttestationStatement.malformed("the key's description cannot be read")
        }
        guard description.challenge == inputs.clientDataHash else {
            throw AttestationStatement.invalid("the certificate was made for another ceremony")
        }
        try check(description, hardwareOnly: inputs.policy.androidKeysFromHardwareOnly)
        return inputs.evidence("android-key", .basic, certificates)
    }

    /// The last point of §8.4's procedure. Without `hardwareOnly`, a field that neither list has is not held against
    /// the key (the vectors of §16 have none); one that is there must be right.
    private static func check(_ description: AndroidKeyDescription, hardwareOnly: Bool) throws(WebAuthnProblem) {
        let lists = [description.hardware, description.software]
        guard !lists.contains(where: \.isForAllApplications) else {
            throw AttestationStatement.invalid("the key is for every application")
        }
        let origins = lists.compactMap(\.origin)
        let purposes = lists.compactMap(\.purposes)
        guard origins.allSatisfy({ $0 == AndroidKeyDescription.originGenerated }) else {
            throw AttestationStatement.invalid("the key was not made inside the device")
        }
        guard purposes.allSatisfy({ $0 == [AndroidKeyDescription.purposeSign] }) else {
            throw AttestationStatement.invalid("the key is for more than signatures")
        }
        guard !hardwareOnly || (description.hardware.origin != nil && description.hardware.purposes != nil) else {
            throw AttestationStatement.invalid("the device's hardware does not vouch for the key")
        }
    }
}
