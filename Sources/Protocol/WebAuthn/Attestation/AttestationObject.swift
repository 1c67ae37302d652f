/// An attestation object (WebAuthn Level 3 §6.5), taken apart but not believed.
public struct AttestationObject: Hashable, Sendable {
    /// The statement's format, such as `packed`.
    public let format: String
    /// A map, or an array for `compound`.
    public let statement: CBORValue
    /// What the authenticator signed, read.
    public let authenticatorData: AuthenticatorData

    /// Reads an attestation object: canonical CBOR with exactly the three members.
    ///
    /// - Throws: `attestationObjectMalformed`, `authenticatorDataMalformed`.
    public init(_ encoded: [UInt8]) throws(WebAuthnProblem) {
        let value: CBORValue
        do {
            value = try CBORValue(decoding: encoded)
        } catch {
            throw WebAuthnProblem(
                .attestationObjectMalformed, "the attestation object is not canonical CBOR: \(error.rule.rawValue)")
        }
        guard let map = value.mapValue, map.entries.count == 3, let format = map["fmt"]?.textValue,
            let statement = map["attStmt"], let authenticatorData = map["authData"]?.bytesValue
        else {
            throw WebAuthnProblem(.attestationObjectMalformed, "the object has fmt, attStmt and authData, and no more")
        }
        self.format = format
        self.statement = statement
        self.authenticatorData = try AuthenticatorData(authenticatorData)
    }
}
