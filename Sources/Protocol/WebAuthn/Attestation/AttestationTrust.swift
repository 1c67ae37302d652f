public import KeyturnBase

/// What an attestation statement proves (WebAuthn Level 3 §6.5.4).
public enum AttestationKind: String, CaseIterable, Hashable, Sendable {
    /// There is no statement.
    case none
    /// Signed with the credential's own key: it proves nothing about the authenticator.
    case selfSigned
    /// Signed with a key that many authenticators of one model share, or one that their maker issued.
    case basic
    /// Signed with a key that an authority certified for this one device, such as a TPM's.
    case attestationAuthority
    /// Certified by an authority for this one credential.
    case anonymizationAuthority
}

/// One statement whose signature is right: what is left to judge is whether its certificates lead to a known root.
public struct AttestationEvidence: Hashable, Sendable {
    /// The statement's format, such as `packed`.
    public let format: String
    /// What the statement proves.
    public let kind: AttestationKind
    /// The authenticator's model.
    public let aaguid: AAGUID
    /// The attestation's certificate first, then those above it, in DER. Empty without certificates.
    public let certificates: [[UInt8]]

    /// Evidence; `certificates` in DER, the attestation's own first.
    public init(format: String, kind: AttestationKind, aaguid: AAGUID, certificates: [[UInt8]]) {
        self.format = format
        self.kind = kind
        self.aaguid = aaguid
        self.certificates = certificates
    }
}

/// What is known about the authority behind a statement.
public enum AttestationVerdict: Hashable, Sendable {
    /// The certificates lead to a root that is acceptable for this model. The name is the authenticator's, if known.
    case trusted(authenticatorName: String?)
    /// The certificates lead to no known root; whether that is enough is the policy's decision.
    case unknown(reason: String)
    /// Known to be broken or revoked: no policy accepts it.
    case revoked(reason: String)
}

/// Judges the certificates of a statement (WebAuthn Level 3 §7.1 steps 23 and 24): the only part of a ceremony that
/// needs roots, metadata and the time.
public protocol AttestationTrust: Sendable {
    /// Judges evidence that has certificates. Never fails: what cannot be judged is `unknown`.
    func assess(_ evidence: AttestationEvidence, at now: UnixTime) async -> AttestationVerdict
}
