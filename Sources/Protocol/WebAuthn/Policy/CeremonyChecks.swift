internal import Crypto
internal import KeyturnBase

/// The checks that both ceremonies make, in the standard's order. The steps of §7.2 are those of §7.1 under other
/// numbers.
struct CeremonyChecks {
    let policy: WebAuthnPolicy
    let challenge: [UInt8]
    let userVerification: UserVerificationRequirement
    let step: (Int) -> WebAuthnProblem.Step

    /// §7.1 steps 7 to 11, §7.2 steps 10 to 14.
    func check(_ clientData: ClientData, type: String, firstStep: Int) throws(WebAuthnProblem) {
        guard clientData.type == type else {
            throw WebAuthnProblem(.typeMismatch, at: step(firstStep), "the client data is for another kind of ceremony")
        }
        let expected = Base64URL.encoded(challenge)
        guard ConstantTime.equal(Array(clientData.challenge.utf8), expected) else {
            throw WebAuthnProblem(.challengeMismatch, at: step(firstStep + 1), "the challenge is another ceremony's")
        }
        guard policy.origins.contains(clientData.origin) || policy.relatedOrigins.contains(clientData.origin) else {
            throw WebAuthnProblem(.originNotAllowed, at: step(firstStep + 2), "the origin is not one of the policy's")
        }
        guard !clientData.crossOrigin || policy.allowsCrossOrigin else {
            throw WebAuthnProblem(
                .crossOriginNotAllowed, at: step(firstStep + 3), "the ceremony ran in a frame of another site")
        }
        if let topOrigin = clientData.topOrigin, !policy.topOrigins.contains(topOrigin) {
            throw WebAuthnProblem(
                .topOriginNotAllowed, at: step(firstStep + 4), "the site around the frame is not one of the policy's")
        }
    }

    /// §7.1 steps 14 to 17, §7.2 steps 15 to 18.
    func check(_ data: AuthenticatorData, needsPresence: Bool, firstStep: Int) throws(WebAuthnProblem) {
        guard data.rpIDHash == Array(SHA256.hash(data: Array(policy.rpID.utf8))) else {
            throw WebAuthnProblem(
                .relyingPartyMismatch, at: step(firstStep), "the authenticator answered another relying party")
        }
        guard !needsPresence || data.flags.contains(.userPresent) else {
            throw WebAuthnProblem(.userNotPresent, at: step(firstStep + 1), "nobody touched the authenticator")
        }
        guard userVerification != .required || data.flags.contains(.userVerified) else {
            throw WebAuthnProblem(
                .userNotVerified, at: step(firstStep + 2), "the authenticator did not verify the user")
        }
        guard data.flags.contains(.backupEligible) || !data.flags.contains(.backedUp) else {
            throw WebAuthnProblem(
                .backupFlagsInconsistent, at: step(firstStep + 3), "backed up without being eligible for it")
        }
    }

    /// What the policy says about copies: §7.1 steps 18 and 19, §7.2 step 19.
    func checkBackup(_ data: AuthenticatorData, steps: (eligible: Int, state: Int)) throws(WebAuthnProblem) {
        let isEligible = data.flags.contains(.backupEligible)
        let isAllowed =
            switch policy.backup {
            case .any: true
            case .eligibleOnly, .backedUpOnly: isEligible
            case .deviceBoundOnly: !isEligible
            }
        guard isAllowed else {
            throw WebAuthnProblem(
                .backupEligibilityNotAllowed, at: step(steps.eligible),
                "the policy does not take credentials that can, or cannot, be copied")
        }
        guard policy.backup != .backedUpOnly || data.flags.contains(.backedUp) else {
            throw WebAuthnProblem(
                .backupEligibilityNotAllowed, at: step(steps.state), "the policy takes credentials with a copy only")
        }
    }
}
