/// The `compound` format (WebAuthn Level 3 §8.9): several statements about one credential. All of them must be right.
enum CompoundAttestation {
    static func verify(
        _ statement: CBORValue, _ inputs: AttestationInputs
    ) throws(WebAuthnProblem) -> [AttestationEvidence] {
        guard let parts = statement.arrayValue, (2...WebAuthnLimits.compoundStatements).contains(parts.count) else {
            throw AttestationStatement.malformed("a compound statement has two parts at least, and not many")
        }
        var evidence: [AttestationEvidence] = []
        for part in parts {
            guard let map = part.mapValue, map.entries.count == 2, let name = map["fmt"]?.textValue,
                let inner = map["attStmt"]
            else { throw AttestationStatement.malformed("each part has fmt and attStmt, and no more") }
            let format = try AttestationFormat(name: name)
            guard format != .compound else { throw AttestationStatement.malformed("no part is compound itself") }
            evidence += try format.verify(inner, inputs)
        }
        return evidence
    }
}
