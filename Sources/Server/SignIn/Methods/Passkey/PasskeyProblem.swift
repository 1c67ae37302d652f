public import KeyturnWebAuthn

/// Why a passkey was not created, accepted or changed.
///
/// The client learns little of it; the rest is for audit events and operators.
public enum PasskeyProblem: Error, Hashable, Sendable {
    /// The answer's JSON is not one of WebAuthn.
    case malformed(WebAuthnProblem)
    /// This server did not send that challenge, or sent it for another ceremony, browser, site or user.
    case challengeUnknown
    case challengeExpired
    /// It was answered before.
    case challengeSpent
    /// A rule of WebAuthn's ceremonies is broken.
    case refused(WebAuthnProblem)
    /// The credential is not registered here, or belongs to another user than the expected one.
    case credentialUnknown
    /// The credential is registered already, for this user or another one.
    case credentialTaken
    /// The credential is right, but deactivated.
    case deactivated
    /// The user has the maximum number of passkeys.
    case tooMany
    /// The user's sessions ended or a credential changed in the meantime.
    case overtaken

    /// Whether it is written to the audit log. Only answers to this server's challenges are: others could fill the log.
    var isNoteworthy: Bool {
        switch self {
        case .malformed, .challengeUnknown, .challengeExpired: false
        default: true
        }
    }

    /// A stable word that says why, for audit events.
    public var word: String {
        switch self {
        case .malformed: "malformed"
        case .challengeUnknown: "challenge_unknown"
        case .challengeExpired: "challenge_expired"
        case .challengeSpent: "challenge_spent"
        case .refused(let problem): problem.rule.rawValue
        case .credentialUnknown: "credential_unknown"
        case .credentialTaken: "credential_taken"
        case .deactivated: "credential_deactivated"
        case .tooMany: "too_many"
        case .overtaken: "overtaken"
        }
    }

}
