/// What every format's verification procedure is given (WebAuthn Level 3 §6.5.3), with what the policy says about it.
struct AttestationInputs {
    let authenticatorData: AuthenticatorData
    let credential: AuthenticatorData.AttestedCredential
    let key: COSEKey
    /// SHA-256 of the client data.
    let clientDataHash: [UInt8]
    let policy: AttestationPolicy

    /// What most formats sign.
    var signedBytes: [UInt8] { authenticatorData.encoded + clientDataHash }

    func evidence(_ format: String, _ kind: AttestationKind, _ certificates: [[UInt8]] = []) -> AttestationEvidence {
        AttestationEvidence(format: format, kind: kind, aaguid: credential.aaguid, certificates: certificates)
    }
}

/// The members of a statement, each of its type.
struct AttestationStatement {
    private let map: CBORMap

    /// - Parameters:
    ///   - required: The members that must be there.
    ///   - optional: Those that may. Any other is refused: the standard's grammar has no room for it.
    init(_ value: CBORValue, required: Set<String>, optional: Set<String> = []) throws(WebAuthnProblem) {
        guard let map = value.mapValue, let names = map.names, required.isSubset(of: names),
            required.union(optional).isSuperset(of: names)
        else { throw Self.malformed("it lacks members, or has some that its format does not know") }
        self.map = map
    }

    func has(_ name: String) -> Bool {
        map[name] != nil
    }

    func bytes(_ name: String) throws(WebAuthnProblem) -> [UInt8] {
        guard let bytes = map[name]?.bytesValue, !bytes.isEmpty else {
            throw Self.malformed("\(name) is no byte string")
        }
        return bytes
    }

    func text(_ name: String) throws(WebAuthnProblem) -> String {
        guard let text = map[name]?.textValue else { throw Self.malformed("\(name) is no text") }
        return text
    }

    func algorithm() throws(WebAuthnProblem) -> COSEAlgorithm {
        guard let number = map["alg"]?.integerValue else { throw Self.malformed("alg is no number") }
        return try COSEAlgorithm(number: number)
    }

    /// `x5c`: one certificate at least.
    func certificates() throws(WebAuthnProblem) -> [[UInt8]] {
        guard let elements = map["x5c"]?.arrayValue, (1...WebAuthnLimits.certificates).contains(elements.count) else {
            throw Self.malformed("x5c is no list of certificates, or a very long one")
        }
        let certificates = elements.compactMap(\.bytesValue).filter { !$0.isEmpty }
        guard certificates.count == elements.count else { throw Self.malformed("x5c holds byte strings alone") }
        return certificates
    }

    static func malformed(_ detail: String) -> WebAuthnProblem {
        WebAuthnProblem(.attestationMalformed, "attestation statement: \(detail)")
    }

    static func invalid(_ detail: String) -> WebAuthnProblem {
        WebAuthnProblem(.attestationInvalid, "attestation statement: \(detail)")
    }
}
