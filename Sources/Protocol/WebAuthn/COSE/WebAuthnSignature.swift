internal import KeyturnJose

/// Signatures in the form of WebAuthn (Level 3 §6.5.5): those of elliptic curves in DER, all others as they are.
enum WebAuthnSignature {
    static func isValid(_ signature: [UInt8], for message: [UInt8], by key: VerificationKey) -> Bool {
        guard signature.count <= WebAuthnLimits.signatureBytes else { return false }
        switch key.algorithm {
        case .es256, .es384, .es512: return key.isValidDER(signature, for: message)
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512, .edDSA: return key.isValid(signature, for: message)
        }
    }
}
