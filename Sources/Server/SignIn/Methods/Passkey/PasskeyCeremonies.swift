internal import KeyturnBase
internal import KeyturnWebAuthn
internal import Model

/// Begins and checks WebAuthn ceremonies: the part that is the same for this server's users and those of sites.
struct PasskeyCeremonies: Sendable {
    let store: any PasskeyStore
    let spent: any ReplayStore
    let seal: CeremonyTicketSeal
    let audit: any AuditLog
    let ambient: Ambient

    init(
        store: any PasskeyStore, spent: any ReplayStore, secrets: ServerSecrets, audit: any AuditLog, ambient: Ambient
    ) {
        self.spent = spent
        self.store = store
        seal = CeremonyTicketSeal(secrets, ambient: ambient)
        self.audit = audit
        self.ambient = ambient
    }

    /// A challenge that was answered, before the answer is checked.
    struct Answered: Sendable {
        let ticket: CeremonyTicket
        let challenge: [UInt8]
        let mark: ReplayMark
        /// The only origin that the answer may come from; `nil`: any origin of the relying party.
        var origin: String?
    }

    /// The options for creating a credential.
    func creationOptions(
        at party: RelyingParty, for user: PublicKeyCredentialCreationOptions.User, _ binding: CeremonyBinding,
        excluding known: [StoredPasskey] = [], isConditional: Bool = false
    ) -> PublicKeyCredentialCreationOptions {
        let challenge = challenge(.registration, at: party, binding, isConditional: isConditional, userHandle: user.id)
        return party.policy.creationOptions(
            challenge: challenge, user: user,
            excluding: known.prefix(WebAuthnLimits.descriptors).map(\.record.descriptor))
    }

    /// The options for a sign-in.
    ///
    /// - Parameters:
    ///   - isQuiet: offered in the name field, for as long as the page is open.
    ///   - epoch: of the user who is asked; `nil`: not known.
    func requestOptions(
        at party: RelyingParty, _ binding: CeremonyBinding, allowing: [CredentialDescriptor] = [],
        isQuiet: Bool = false, epoch: Int64? = nil
    ) -> PublicKeyCredentialRequestOptions {
        party.policy.requestOptions(
            challenge: challenge(.authentication, at: party, binding, isQuiet: isQuiet, epoch: epoch),
            allowing: Array(allowing.prefix(WebAuthnLimits.descriptors)))
    }

    /// A challenge for one ceremony.
    func challenge(
        _ kind: CeremonyTicket.Kind, at party: RelyingParty, _ binding: CeremonyBinding, isConditional: Bool = false,
        isQuiet: Bool = false, userHandle: [UInt8] = [], epoch: Int64? = nil
    ) -> [UInt8] {
        // Browsers wait without limit in a conditional ceremony.
        let waits = party.policy.timeoutMilliseconds / 1_000 + Limits.passkeyAnswerSeconds
        let seconds = isQuiet ? max(waits, Limits.quietCeremonySeconds) : waits
        let now = ambient.now()
        let isSignIn = kind == .authentication
        return seal.challenge(
            CeremonyTicket(
                kind: kind, isConditional: isConditional, expiresAt: now + seconds, relyingParty: party.id,
                binding: binding, userHandle: isSignIn ? [] : userHandle,
                beginning: isSignIn ? CeremonyBeginning(time: now, epoch: epoch) : nil))
    }

    /// The ceremony that an answer belongs to.
    ///
    /// - Parameters:
    ///   - transaction: is answered once, however many challenges it had; `nil`: the challenge is answered once.
    ///   - origin: the only origin that the answer may come from.
    /// - Throws: ``PasskeyProblem/challengeUnknown``; ``PasskeyProblem/challengeExpired``.
    func answered(
        _ challenge: [UInt8]?, _ kind: CeremonyTicket.Kind, at party: RelyingParty, _ binding: CeremonyBinding,
        of transaction: String? = nil, from origin: String? = nil
    ) throws(PasskeyProblem) -> Answered {
        guard let challenge, let ticket = seal.open(challenge, at: party.id), ticket.kind == kind,
            ticket.binding == binding
        else { throw .challengeUnknown }
        guard ambient.now() < ticket.expiresAt else { throw .challengeExpired }
        return Answered(
            ticket: ticket, challenge: challenge,
            mark: ReplayMark(of: transaction.map { Array($0.utf8) } ?? challenge, expiresAt: ticket.expiresAt),
            origin: origin)
    }

    /// Checks a registration. A bad one uses its challenge up; a good one must be stored together with its mark.
    ///
    /// - Throws: ``PasskeyProblem``; ``StoreError``.
    func register(
        _ response: RegistrationResponse, _ answered: Answered, at party: RelyingParty
    ) async throws -> StoredPasskey {
        do throws(PasskeyProblem) {
            return try await judge(response, answered, at: party)
        } catch {
            try await spent.spend(answered.mark)
            throw error
        }
    }

    /// Checks a registration. The result is not stored yet.
    ///
    /// - Throws: ``PasskeyProblem/refused(_:)``.
    func judge(
        _ response: RegistrationResponse, _ answered: Answered, at party: RelyingParty
    ) async throws(PasskeyProblem) -> StoredPasskey {
        let ceremony = RegistrationCeremony(
            policy: party.policy, challenge: answered.challenge, userHandle: answered.ticket.userHandle,
            isConditional: answered.ticket.isConditional)
        let now = ambient.now()
        let credential: RegisteredCredential
        do {
            if let trust = party.trust {
                credential = try await ceremony.verify(response, trust: trust, at: now)
            } else {
                credential = try ceremony.verify(response)
            }
        } catch {
            throw .refused(error)
        }
        try Self.check(credential.origin, answered)
        let name = credential.attestation.authenticatorName ?? AAGUIDNames.name(of: credential.record)
        return StoredPasskey(
            id: .make(ambient), relyingParty: party.id, record: credential.record,
            name: String(name.prefix(Limits.passkeyNameLengthMax)), attestationFormat: credential.attestation.format,
            createdAt: now)
    }

    /// Checks an assertion and stores what it changed. Its challenge is used up in any case.
    ///
    /// - Parameters:
    ///   - found: the credential, if it is registered here for a user who may answer.
    ///   - isNamed: the user was known before; otherwise the answer must name the user.
    /// - Throws: ``PasskeyProblem``; ``StoreError``.
    func accept(
        _ response: AuthenticationResponse, _ answered: Answered, by found: OwnedPasskey?, isNamed: Bool,
        at party: RelyingParty
    ) async throws -> VerifiedAssertion {
        let assertion: VerifiedAssertion
        let passkey: StoredPasskey
        do throws(PasskeyProblem) {
            guard let found else { throw .credentialUnknown }
            passkey = found.passkey
            assertion = try judge(response, answered, passkey, isNamed: isNamed, at: party)
        } catch {
            try await spent.spend(answered.mark)
            if case .refused(let problem) = error, problem.rule == .counterNotIncreased, let found {
                noteCopy(of: found)
            }
            throw error
        }
        if assertion.signatureCounter == .notIncreased, let found { noteCopy(of: found) }
        let use = try await store.use(
            assertion.record, of: passkey.id, repeats: assertion.signatureCounter != .increased,
            spending: answered.mark, at: ambient.now())
        switch use {
        case .used: return assertion
        case .spent: throw PasskeyProblem.challengeSpent
        case .overtaken: throw PasskeyProblem.overtaken
        }
    }

    /// Reports a possible copy of a private key (WebAuthn Level 3 §6.1.1).
    private func noteCopy(of found: OwnedPasskey) {
        var user: UserID?
        if case .user(let id) = found.owner { user = id }
        audit.recordOnce(
            AuditEvent(.passkeyCopied, at: ambient.now(), userID: user, target: found.passkey.id.rawValue))
    }

    private func judge(
        _ response: AuthenticationResponse, _ answered: Answered, _ passkey: StoredPasskey, isNamed: Bool,
        at party: RelyingParty
    ) throws(PasskeyProblem) -> VerifiedAssertion {
        let ceremony = AuthenticationCeremony(
            policy: party.policy, challenge: answered.challenge,
            subject: isNamed ? .user(handle: passkey.record.userHandle) : .anybody)
        let assertion: VerifiedAssertion
        do {
            assertion = try ceremony.verify(response, record: passkey.record)
        } catch {
            throw .refused(error)
        }
        try Self.check(assertion.origin, answered)
        guard passkey.isActive else { throw .deactivated }
        return assertion
    }

    /// Requires the origin on which the ceremony began: a page must not depend on the relying party's weakest origin.
    private static func check(_ origin: String, _ answered: Answered) throws(PasskeyProblem) {
        guard answered.origin == nil || answered.origin == origin else {
            throw .refused(WebAuthnProblem(.originNotAllowed, "the ceremony was begun for another origin"))
        }
    }
}

extension RegistrationResponse {
    /// - Throws: ``PasskeyProblem/malformed(_:)``.
    init(answer: JSONValue) throws(PasskeyProblem) {
        do { try self.init(json: answer) } catch { throw .malformed(error) }
    }
}

extension AuthenticationResponse {
    /// - Throws: ``PasskeyProblem/malformed(_:)``.
    init(answer: JSONValue) throws(PasskeyProblem) {
        do { try self.init(json: answer) } catch { throw .malformed(error) }
    }
}
