/// Why a registration or an assertion was refused, and at which step of the standard.
///
/// The reason is for developers and for audit events; the sender of the answer learns only that it was refused.
public struct WebAuthnProblem: Error, Hashable, Sendable {
    /// The rule that was broken. New rules may appear in any release.
    public enum Rule: String, CaseIterable, Hashable, Sendable {
        /// The answer's own JSON is not what the standard describes.
        case responseMalformed
        /// The client data is not JSON with the members of §5.8.1.
        case clientDataMalformed
        /// `type` is another ceremony's.
        case typeMismatch
        /// The client data has another challenge than the ceremony's.
        case challengeMismatch
        /// The origin is not exactly one of the policy's.
        case originNotAllowed
        /// Made in a frame of another site, and the policy does not allow it.
        case crossOriginNotAllowed
        /// The page around the frame is not one of the policy's.
        case topOriginNotAllowed
        /// The attestation object is not canonical CBOR with the members of §6.5.
        case attestationObjectMalformed
        /// The authenticator data is not laid out as in §6.1.
        case authenticatorDataMalformed
        /// For another relying party (`rpIdHash`).
        case relyingPartyMismatch
        /// The flag for the user's presence is not set, and it must be.
        case userNotPresent
        /// The flag for the user's verification is not set, and the policy requires it.
        case userNotVerified
        /// Backed up although it is not eligible for backup.
        case backupFlagsInconsistent
        /// The policy does not take credentials of this backup eligibility.
        case backupEligibilityNotAllowed
        /// A credential's backup eligibility never changes; this one's did.
        case backupEligibilityChanged
        /// The key's algorithm is not one that this library verifies.
        case algorithmUnsupported
        /// The key's algorithm was not offered.
        case algorithmNotAllowed
        /// Not a key, or one that must not be used.
        case keyInvalid
        /// The attestation's format is unknown, or refused on purpose.
        case attestationFormatUnsupported
        /// The attestation statement lacks members of its format, or has wrong ones.
        case attestationMalformed
        /// The statement does not vouch for this credential.
        case attestationInvalid
        /// No path to a root, and the policy demands one.
        case attestationUntrusted
        /// What vouches for the credential is known to be broken or revoked.
        case attestationRevoked
        /// The policy wants another kind of attestation.
        case attestationNotAllowed
        /// The identifier in the answer differs from the one in the authenticator data, or from the record's.
        case credentialIDMismatch
        /// The identifier is empty or has more than 1,023 bytes.
        case credentialIDTooLong
        /// The credential is registered already, for this or another user.
        case credentialAlreadyRegistered
        /// Not one of the credentials that were asked for.
        case credentialNotAllowed
        /// No user was named, and the answer names none either.
        case userHandleMissing
        /// The answer names another user than the credential's.
        case userHandleMismatch
        /// The signature is not by the credential's key over these data.
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
        /// The step's number in the list of that section.
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

    /// The first rule that was broken.
    public let rule: Rule
    /// Where in the ceremony; `nil` outside of one.
    public let step: Step?
    /// Developer text. Contains nothing personal and nothing that the sender wrote.
    public let detail: String

    /// A refusal; `detail` is a sentence for developers.
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
