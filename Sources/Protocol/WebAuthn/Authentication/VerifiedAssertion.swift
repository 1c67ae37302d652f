public import KeyturnBase

/// An assertion that was verified. Only ``AuthenticationCeremony`` makes one; store ``record`` in place of the old one.
public struct VerifiedAssertion: Hashable, Sendable {
    /// What the signature counter says (WebAuthn Level 3 §6.1.1).
    public enum SignatureCounter: String, CaseIterable, Hashable, Sendable {
        /// The authenticator does not count.
        case unused
        /// The counter is higher than the stored one.
        case increased
        /// A sign that there may be a copy of the key. Only with ``SignatureCounterRule/report``.
        case notIncreased
    }

    /// The record with the new counter and backup state. ``CredentialRecord/uvInitialized`` is left as it was.
    public let record: CredentialRecord
    /// Whether the authenticator verified its user, by a PIN or a biometric check.
    public let isUserVerified: Bool
    /// How the counter compares to the stored one.
    public let signatureCounter: SignatureCounter
    /// Whether the credential was backed up, or ceased to be, since the last answer.
    public let backupStateChanged: Bool
    /// Where the ceremony ran.
    public let origin: String
    /// `platform`, `cross-platform`, or what the client said; unsigned.
    public let authenticatorAttachment: String?
    /// What the authenticator's extensions say.
    public let extensions: CBORMap?
    /// What the client's extensions say; unsigned.
    public let clientExtensionResults: JSONValue
}
