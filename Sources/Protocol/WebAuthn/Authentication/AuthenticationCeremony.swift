/// One authentication (WebAuthn Level 3 §7.2): what was asked, against which the answer is judged. Pure, like
/// ``RegistrationCeremony``.
public struct AuthenticationCeremony: Sendable {
    /// Who is expected to answer (step 6).
    public enum Subject: Hashable, Sendable {
        /// Any user with a credential: the answer must say whose it is.
        case anybody
        /// The user with that handle, known before the ceremony began.
        case user(handle: [UInt8])
    }

    /// The relying party's rules.
    public let policy: WebAuthnPolicy
    /// The challenge that was sent. Random, single use, bound to the session and to authentication: the caller's
    /// promise.
    public let challenge: [UInt8]
    /// Who is expected to answer.
    public let subject: Subject
    /// The credentials that were asked for; empty: any (step 5).
    public let allowedIDs: Set<[UInt8]>
    /// This ceremony's own demand, such as for a step-up; the policy's unless it was given.
    public let userVerification: UserVerificationRequirement

    /// A ceremony, before its answer.
    public init(
        policy: WebAuthnPolicy, challenge: [UInt8], subject: Subject, allowedIDs: Set<[UInt8]> = [],
        userVerification: UserVerificationRequirement? = nil
    ) {
        precondition(WebAuthnLimits.challengeBytes.contains(challenge.count), "a challenge has 16 bytes at least")
        self.policy = policy
        self.challenge = challenge
        self.subject = subject
        self.allowedIDs = allowedIDs
        self.userVerification = userVerification ?? policy.userVerification
    }

    /// Judges an answer.
    ///
    /// - Parameter record: The credential with the identifier ``AuthenticationResponse/id``, looked up by the caller.
    /// - Returns: What was proven, with the record to store.
    /// - Throws: ``WebAuthnProblem`` with the step that failed.
    public func verify(
        _ response: AuthenticationResponse, record: CredentialRecord
    ) throws(WebAuthnProblem) -> VerifiedAssertion {
        // Steps 5 and 6.
        try checkCredential(response, record)
        // Steps 7 to 9, and 20: the hash is taken where the bytes are read.
        let data: AuthenticatorData
        do { data = try AuthenticatorData(response.authenticatorData) } catch { throw error.at(.authentication(7)) }
        let clientData: ClientData
        do { clientData = try ClientData(response.clientDataJSON) } catch { throw error.at(.authentication(9)) }
        // Steps 10 to 18.
        let checks = CeremonyChecks(
            policy: policy, challenge: challenge, userVerification: userVerification,
            step: WebAuthnProblem.Step.authentication)
        try checks.check(clientData, type: "webauthn.get", firstStep: 10)
        try checks.check(data, needsPresence: true, firstStep: 15)
        // Step 19.
        guard data.flags.contains(.backupEligible) == record.backupEligible else {
            throw WebAuthnProblem(
                .backupEligibilityChanged, at: .authentication(19),
                "a credential's eligibility for backup never changes")
        }
        try checks.checkBackup(data, steps: (eligible: 19, state: 19))
        // Step 21.
        try checkSignature(response, record, clientData)
        // Step 22.
        let counter = try signatureCounter(data.signCount, stored: record.signCount)
        // Steps 23 and 24.
        var updated = record
        updated.signCount = max(data.signCount, record.signCount)
        updated.backupState = data.flags.contains(.backedUp)
        return VerifiedAssertion(
            record: updated, isUserVerified: data.flags.contains(.userVerified), signatureCounter: counter,
            backupStateChanged: updated.backupState != record.backupState, origin: clientData.origin,
            authenticatorAttachment: response.authenticatorAttachment, extensions: data.extensions,
            clientExtensionResults: response.clientExtensionResults)
    }

    /// Steps 5 and 6.
    private func checkCredential(
        _ response: AuthenticationResponse, _ record: CredentialRecord
    ) throws(WebAuthnProblem) {
        guard response.id == record.id, allowedIDs.isEmpty || allowedIDs.contains(response.id) else {
            throw WebAuthnProblem(
                .credentialNotAllowed, at: .authentication(5), "the credential is not one that was asked for")
        }
        let mismatch = WebAuthnProblem(
            .userHandleMismatch, at: .authentication(6), "the credential belongs to somebody else")
        switch subject {
        case .user(let handle):
            guard record.userHandle == handle, response.userHandle == nil || response.userHandle == handle else {
                throw mismatch
            }
        case .anybody:
            guard let handle = response.userHandle else {
                throw WebAuthnProblem(
                    .userHandleMissing, at: .authentication(6), "the answer does not say whose credential it is")
            }
            guard handle == record.userHandle else { throw mismatch }
        }
    }

    /// Step 21.
    private func checkSignature(
        _ response: AuthenticationResponse, _ record: CredentialRecord, _ clientData: ClientData
    ) throws(WebAuthnProblem) {
        let key: COSEKey
        do { key = try COSEKey(record.publicKey) } catch { throw error.at(.authentication(21)) }
        guard key.isValid(response.signature, for: response.authenticatorData + clientData.hash) else {
            throw WebAuthnProblem(
                .signatureInvalid, at: .authentication(21), "the signature is not by the credential's key")
        }
    }

    /// Step 22.
    private func signatureCounter(
        _ count: UInt32, stored: UInt32
    ) throws(WebAuthnProblem) -> VerifiedAssertion.SignatureCounter {
        guard count != 0 || stored != 0 else { return .unused }
        if count > stored { return .increased }
        guard policy.signatureCounter == .report else {
            throw WebAuthnProblem(
                .counterNotIncreased, at: .authentication(22),
                "the counter did not grow: there may be a copy of the key")
        }
        return .notIncreased
    }
}
