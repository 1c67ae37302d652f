/// The formats of attestation statements that this product verifies (WebAuthn Level 3 §8).
public enum AttestationFormat: String, CaseIterable, Hashable, Sendable {
    /// No attestation (§8.7).
    case none
    /// The format of most security keys (§8.2).
    case packed
    /// A key in a TPM 2.0 (§8.3).
    case tpm
    /// A key in Android's key store (§8.4).
    case androidKey = "android-key"
    /// Apple's anonymous attestation (§8.8).
    case apple
    /// A key that speaks FIDO U2F (§8.6).
    case fidoU2F = "fido-u2f"
    /// Several statements in one (§8.9).
    case compound

    /// The format of that name (§7.1 step 21: compared byte by byte).
    ///
    /// - Throws: `attestationFormatUnsupported`, with the reason where a format is refused on purpose.
    init(name: String) throws(WebAuthnProblem) {
        guard name != "android-safetynet" else {
            throw WebAuthnProblem(
                .attestationFormatUnsupported,
                "android-safetynet is refused: its service was shut down, and no new statement can be genuine")
        }
        guard let format = AttestationFormat(rawValue: name) else {
            throw WebAuthnProblem(.attestationFormatUnsupported, "the format of the attestation is not known")
        }
        self = format
    }

    /// Runs the format's verification procedure (§7.1 step 22). A compound statement gives one piece of evidence for
    /// each of its parts, every other format exactly one.
    func verify(
        _ statement: CBORValue, _ inputs: AttestationInputs
    ) throws(WebAuthnProblem) -> [AttestationEvidence] {
        switch self {
        case .none: [try NoneAttestation.verify(statement, inputs)]
        case .packed: [try PackedAttestation.verify(statement, inputs)]
        case .tpm: [try TPMAttestation.verify(statement, inputs)]
        case .androidKey: [try AndroidKeyAttestation.verify(statement, inputs)]
        case .apple: [try AppleAttestation.verify(statement, inputs)]
        case .fidoU2F: [try FIDOU2FAttestation.verify(statement, inputs)]
        case .compound: try CompoundAttestation.verify(statement, inputs)
        }
    }
}
