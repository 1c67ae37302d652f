public import KeyturnWebAuthn

/// Why a passkey was not made, not taken, or not changed.
///
/// Whoever sent the answer learns little of it; the rest is for audit events and operators.
public enum PasskeyProblem: Error, Hashable, Sendable {
    /// The answer's JSON is not one of WebAuthn.
    case malformed(WebAuthnProblem)
    /// This server never sent that challenge; or for something else: another ceremony, browser, site, user.
    case challengeUnknown
    case challengeExpired
    /// It was answered before.
    case challengeSpent
    /// A rule of WebAuthn's ceremonies is broken.
    case refused(WebAuthnProblem)
    /// Nobody has registered that credential here, or whoever has is not who was asked.
    case credentialUnknown
    /// The credential is registered already, for whomever.
    case credentialTaken
    /// The credential is right, and switched off.
    case deactivated
    /// The user has as many as they may.
    case tooMany
    /// Meanwhile the user's sessions ended, or a credential changed.
    case overtaken

    /// Whether it belongs into the audit log: only answers to challenges of ours do, or strangers could fill it.
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
