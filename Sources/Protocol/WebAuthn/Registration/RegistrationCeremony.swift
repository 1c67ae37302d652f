public import KeyturnBase

/// One registration (WebAuthn Level 3 §7.1): what was asked, against which the answer is judged. Pure: the caller
/// keeps the challenge, spends it before the answer is judged, and stores what comes out.
public struct RegistrationCeremony: Sendable {
    /// The relying party's rules.
    public let policy: WebAuthnPolicy
    /// The challenge that was sent. Random, single use, bound to the session and to registration: the caller's promise.
    public let challenge: [UInt8]
    /// `user.id` that was sent.
    public let userHandle: [UInt8]
    /// The client was asked with `mediation: conditional`: presence is not needed (step 15).
    public let isConditional: Bool
    /// This ceremony's own demand; the policy's unless it was given.
    public let userVerification: UserVerificationRequirement
    /// Identifiers that are known to be registered, for any user (step 26). Looking is not enough when two
    /// registrations run at once: the store must insert under a uniqueness constraint.
    public let registeredIDs: Set<[UInt8]>

    /// A ceremony, before its answer.
    public init(
        policy: WebAuthnPolicy, challenge: [UInt8], userHandle: [UInt8], isConditional: Bool = false,
        userVerification: UserVerificationRequirement? = nil, registeredIDs: Set<[UInt8]> = []
    ) {
        precondition(WebAuthnLimits.challengeBytes.contains(challenge.count), "a challenge has 16 bytes at least")
        precondition((1...WebAuthnLimits.userHandleBytes).contains(userHandle.count), "a user handle has 1...64 bytes")
        self.policy = policy
        self.challenge = challenge
        self.userHandle = userHandle
        self.isConditional = isConditional
        self.userVerification = userVerification ?? policy.userVerification
        self.registeredIDs = registeredIDs
    }

    /// Judges an answer without knowing any maker of authenticators: certificates lead to no known root.
    ///
    /// - Throws: ``WebAuthnProblem`` with the step that failed.
    public func verify(_ response: RegistrationResponse) throws(WebAuthnProblem) -> RegisteredCredential {
        let (credential, evidence) = try check(response)
        let unknown = AttestationVerdict.unknown(reason: "no roots were given")
        return try assess(credential, evidence, verdicts: evidence.map { $0.certificates.isEmpty ? nil : unknown })
    }

    /// Judges an answer, and with `trust` the certificates that vouch for its authenticator.
    ///
    /// - Throws: ``WebAuthnProblem`` with the step that failed.
    public func verify(
        _ response: RegistrationResponse, trust: any AttestationTrust, at now: UnixTime
    ) async throws(WebAuthnProblem) -> RegisteredCredential {
        let (credential, evidence) = try check(response)
        var verdicts: [AttestationVerdict?] = []
        for piece in evidence {
            verdicts.append(piece.certificates.isEmpty ? nil : await trust.assess(piece, at: now))
        }
        return try assess(credential, evidence, verdicts: verdicts)
    }

    /// Steps 5 to 22 and 25 to 28.
    private func check(
        _ response: RegistrationResponse
    ) throws(WebAuthnProblem) -> (RegisteredCredential, [AttestationEvidence]) {
        let checks = CeremonyChecks(
            policy: policy, challenge: challenge, userVerification: userVerification,
            step: WebAuthnProblem.Step.registration)
        // Steps 5 and 6, and 12: the hash is taken where the bytes are read.
        let clientData: ClientData
        do { clientData = try ClientData(response.clientDataJSON) } catch { throw error.at(.registration(6)) }
        // Steps 7 to 11.
        try checks.check(clientData, type: "webauthn.create", firstStep: 7)
        // Step 13.
        let object: AttestationObject
        do { object = try AttestationObject(response.attestationObject) } catch { throw error.at(.registration(13)) }
        let data = object.authenticatorData
        // Steps 14 to 19.
        try checks.check(data, needsPresence: !isConditional, firstStep: 14)
        try checks.checkBackup(data, steps: (eligible: 18, state: 19))
        guard let attested = data.attestedCredential else {
            throw WebAuthnProblem(
                .authenticatorDataMalformed, at: .registration(13), "authenticator data: there is no new credential")
        }
        // Step 20.
        let key = try credentialKey(attested)
        // Steps 21 and 22.
        let evidence = try attestation(object, attested, key, clientData)
        // Step 25, first half of 26.
        try checkIdentifier(attested.credentialID, response)
        // Step 27. Extensions (step 28) are handed on: nothing here depends on them.
        let record = CredentialRecord(
            id: attested.credentialID, userHandle: userHandle, publicKey: key.encoded, signCount: data.signCount,
            uvInitialized: data.flags.contains(.userVerified), transports: response.transports,
            backupEligible: data.flags.contains(.backupEligible), backupState: data.flags.contains(.backedUp),
            aaguid: attested.aaguid)
        let credential = RegisteredCredential(
            record: record, attestation: .none, isUserPresent: data.flags.contains(.userPresent),
            isUserVerified: data.flags.contains(.userVerified), origin: clientData.origin,
            authenticatorAttachment: response.authenticatorAttachment, extensions: data.extensions,
            clientExtensionResults: response.clientExtensionResults)
        return (credential, evidence)
    }

    /// Step 20: the key's algorithm is one of those that were offered, and the key is one.
    private func credentialKey(
        _ attested: AuthenticatorData.AttestedCredential
    ) throws(WebAuthnProblem) -> COSEKey {
        let key: COSEKey
        do { key = try COSEKey(attested.publicKey) } catch { throw error.at(.registration(20)) }
        guard policy.algorithms.contains(key.algorithm) else {
            throw WebAuthnProblem(.algorithmNotAllowed, at: .registration(20), "the algorithm was not offered")
        }
        return key
    }

    /// Steps 21 and 22.
    private func attestation(
        _ object: AttestationObject, _ attested: AuthenticatorData.AttestedCredential, _ key: COSEKey,
        _ clientData: ClientData
    ) throws(WebAuthnProblem) -> [AttestationEvidence] {
        let format: AttestationFormat
        do { format = try AttestationFormat(name: object.format) } catch { throw error.at(.registration(21)) }
        let inputs = AttestationInputs(
            authenticatorData: object.authenticatorData, credential: attested, key: key,
            clientDataHash: clientData.hash, policy: policy.attestation)
        do { return try format.verify(object.statement, inputs) } catch { throw error.at(.registration(22)) }
    }

    /// Steps 25 and 26. The identifier beside the attestation object is unsigned: it must be the same.
    private func checkIdentifier(_ id: [UInt8], _ response: RegistrationResponse) throws(WebAuthnProblem) {
        guard (1...WebAuthnLimits.credentialIDBytes).contains(id.count) else {
            throw WebAuthnProblem(.credentialIDTooLong, at: .registration(25), "a credential id has 1 to 1023 bytes")
        }
        guard response.id == id else {
            throw WebAuthnProblem(.credentialIDMismatch, at: .registration(25), "rawId is not the credential's id")
        }
        guard !registeredIDs.contains(id) else {
            throw WebAuthnProblem(
                .credentialAlreadyRegistered, at: .registration(26), "the credential is registered already")
        }
    }

    /// Step 24: what the statements prove, against what the policy wants. A compound statement is worth its best part.
    private func assess(
        _ credential: RegisteredCredential, _ evidence: [AttestationEvidence], verdicts: [AttestationVerdict?]
    ) throws(WebAuthnProblem) -> RegisteredCredential {
        var best = CredentialAttestation.none
        for (piece, verdict) in zip(evidence, verdicts) {
            if case .revoked(let reason) = verdict {
                throw WebAuthnProblem(.attestationRevoked, at: .registration(24), reason)
            }
            let attestation = CredentialAttestation(piece, verdict: verdict)
            if attestation.worth > best.worth || evidence.count == 1 { best = attestation }
        }
        let accepted = policy.attestation
        switch best.worth {
        case .nothing where !accepted.acceptsNone, .itself where !accepted.acceptsSelfSigned:
            throw WebAuthnProblem(.attestationNotAllowed, at: .registration(24), "the policy wants an attestation")
        case .unknown where !accepted.acceptsUnknown:
            throw WebAuthnProblem(
                .attestationUntrusted, at: .registration(24), best.reason ?? "nobody known vouches for it")
        default:
            break
        }
        var result = credential
        result.attestation = best
        return result
    }
}
