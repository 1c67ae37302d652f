/// The `none` format (WebAuthn Level 3 §8.7): an empty map, which proves nothing.
enum NoneAttestation {
    static func verify(
        _ statement: CBORValue, _ inputs: AttestationInputs
    ) throws(WebAuthnProblem) -> AttestationEvidence {
        _ = try AttestationStatement(statement, required: [])
        return inputs.evidence("none", .none)
    }
}
