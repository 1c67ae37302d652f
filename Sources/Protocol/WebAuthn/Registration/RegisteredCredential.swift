public import KeyturnBase

/// What is known of a credential's authenticator, after everything was verified.
public struct CredentialAttestation: Hashable, Sendable {
    /// The format of the statement that counted, such as `packed`.
    public let format: String
    /// What the statement proves.
    public let kind: AttestationKind
    /// Whether the certificates lead to an acceptable root.
    public let isTrusted: Bool
    /// The authenticator's name, if its maker published one and vouches for this one.
    public let authenticatorName: String?
    /// Why the certificates are not trusted.
    let reason: String?

    /// What a statement is worth, from the least.
    enum Worth: Int, Comparable {
        case nothing, itself, unknown, trusted

        static func < (left: Worth, right: Worth) -> Bool {
            left.rawValue < right.rawValue
        }
    }

    let worth: Worth

    static let none = CredentialAttestation(
        AttestationEvidence(format: "none", kind: .none, aaguid: .zero, certificates: []), verdict: nil)

    init(_ evidence: AttestationEvidence, verdict: AttestationVerdict?) {
        format = evidence.format
        kind = evidence.kind
        switch verdict {
        case .trusted(let name):
            (isTrusted, authenticatorName, reason, worth) = (true, name, nil, .trusted)
        case .unknown(let why), .revoked(let why):
            (isTrusted, authenticatorName, reason, worth) = (false, nil, why, .unknown)
        case nil:
            let worth: Worth = evidence.kind == .none ? .nothing : .itself
            (isTrusted, authenticatorName, reason, self.worth) = (false, nil, nil, worth)
        }
    }
}

/// A registration that was verified. Only ``RegistrationCeremony`` makes one; store ``record``.
public struct RegisteredCredential: Hashable, Sendable {
    /// What to store of the credential.
    public let record: CredentialRecord
    /// What is known of the authenticator.
    public internal(set) var attestation: CredentialAttestation
    /// Whether the user was present; false only in a conditional registration.
    public let isUserPresent: Bool
    /// Whether the authenticator verified its user, by a PIN or a biometric check.
    public let isUserVerified: Bool
    /// Where the ceremony ran.
    public let origin: String
    /// `platform`, `cross-platform`, or what the client said; unsigned.
    public let authenticatorAttachment: String?
    /// What the authenticator's extensions say.
    public let extensions: CBORMap?
    /// What the client's extensions say; unsigned.
    public let clientExtensionResults: JSONValue

    /// Whether the credential can be found without naming it (`credProps`, §10.1.3); `nil`: the client did not say.
    public var isDiscoverable: Bool? { clientExtensionResults["credProps"]?["rk"]?.boolValue }
}
