/// Why a registration or an assertion was refused, and at which step of the standard.
///
/// The reason is for developers and for audit events; whoever sent the answer learns only that it was refused.
public struct WebAuthnProblem: Error, Hashable, Sendable {
    /// The rule that was broken. New rules may appear in any release.
    public enum Rule: String, CaseIterable, Hashable, Sendable {
        /// The answer's own JSON is not what the standard describes.
        case responseMalformed
        case clientDataMalformed
        /// `type` is another ceremony's.
        case typeMismatch
        case challengeMismatch
        case originNotAllowed
        /// Made in a frame of another site, and the policy does not allow it.
        case crossOriginNotAllowed
        case topOriginNotAllowed
        case attestationObjectMalformed
        case authenticatorDataMalformed
        /// For another relying party (`rpIdHash`).
        case relyingPartyMismatch
        case userNotPresent
        case userNotVerified
        /// Backed up although it is not eligible for backup.
        case backupFlagsInconsistent
        /// The policy does not take credentials of this backup eligibility.
        case backupEligibilityNotAllowed
        /// A credential's backup eligibility never changes; this one's did.
        case backupEligibilityChanged
        case algorithmUnsupported
        case algorithmNotAllowed
        /// Not a key, or one that must not be used.
        case keyInvalid
        case attestationFormatUnsupported
        case attestationMalformed
        /// The statement does not vouch for this credential.
        case attestationInvalid
        /// No path to a root, and the policy demands one.
        case attestationUntrusted
        /// What vouches for the credential is known to be broken or revoked.
        case attestationRevoked
        /// The policy wants another kind of attestation.
        case attestationNotAllowed
        case credentialIDMismatch
        case credentialIDTooLong
        case credentialAlreadyRegistered
        /// Not one of the credentials that were asked for.
        case credentialNotAllowed
        case userHandleMissing
        case userHandleMismatch
        case signatureInvalid
        /// The signature counter did not grow: perhaps two copies of the key are in use.
        case counterNotIncreased
        /// The relying party's own settings contradict each other.
        case policyInvalid
    }

    /// A step of WebAuthn Level 3: a section, and the number in its list.
    public struct Step: Hashable, Sendable, CustomStringConvertible {
        /// `7.1` or `7.2`.
        public let section: String
        public let number: Int

        /// A step of §7.1, registration.
        public static func registration(_ number: Int) -> Step {
            Step(section: "7.1", number: number)
        }

        /// A step of §7.2, authentication.
        public static func authentication(_ number: Int) -> Step {
            Step(section: "7.2", number: number)
        }

        public var description: String { "WebAuthn Level 3 §\(section) step \(number)" }
    }

    public let rule: Rule
    /// Where in the ceremony; `nil` outside of one.
    public let step: Step?
    /// Developer text. Contains nothing personal and nothing that the sender wrote.
    public let detail: String

    public init(_ rule: Rule, at step: Step? = nil, _ detail: String) {
        self.rule = rule
        self.step = step
        self.detail = detail
    }

    /// The same problem, found at that step.
    func at(_ step: Step) -> WebAuthnProblem {
        WebAuthnProblem(rule, at: self.step ?? step, detail)
    }
}

extension WebAuthnProblem: CustomStringConvertible {
    public var description: String {
        "WebAuthnProblem(\(rule.rawValue)\(step.map { ", \($0)" } ?? ""): \(detail))"
    }
}
