internal import Authority
internal import KeyturnBase
internal import KeyturnWebAuthn
public import KeyturnWire
public import Model

/// The second call of a ceremony.
extension UserPasskeys {
    /// Ends a sign-up: creates the user together with the passkey.
    ///
    /// - Throws: ``MethodProblem/passkeyRefused``; ``MethodProblem/signUpClosed``; ``MethodProblem/userExists`` if
    ///   another user took the name meanwhile; ``StoreError``.
    public func finishSignUp(_ request: PasskeyFinishRequest, from address: NetworkAddress?) async throws
        -> CompletedVerification
    {
        let (transaction, party) = try open(request, .signUp)
        guard let permission = try await core.signUp.permit(.anonymous, proving: nil) else {
            throw MethodProblem.signUpClosed
        }
        var account = NewAccount.make(transaction.facts, proved: nil, by: permission, ambient: core.ambient)
        let (passkey, mark) = try await register(request, transaction, at: party, from: address)
        switch try await store.create(account, with: passkey, spending: mark, by: permission) {
        case .usernameTaken: throw MethodProblem.userExists
        case let addition:
            do { try addition.requireAdded() } catch {
                throw MethodProblem.passkeyRefused(refused(error, at: party, from: address))
            }
        }
        account.hasPasskey = true
        core.audit.record(
            AuditEvent(
                .passkeyAdded, at: core.ambient.now(), userID: account.user.id, address: address?.text,
                target: passkey.id.rawValue))
        return CompletedVerification(
            identity: ProvenIdentity(
                account: account, method: .passkey, isFirst: true, isOfTwoFactors: passkey.record.uvInitialized),
            options: (try? LoginOptions(json: transaction.facts.options)) ?? .none, presented: nil)
    }

    /// Ends a sign-in.
    ///
    /// - Throws: ``MethodProblem/passkeyRefused``; ``StoreError``.
    public func finishSignIn(_ request: PasskeyFinishRequest, from address: NetworkAddress?) async throws
        -> CompletedVerification
    {
        let (transaction, party) = try open(request, .signIn)
        let identity: ProvenIdentity
        do {
            let response = try AuthenticationResponse(answer: request.response)
            let answered = try ceremonies.answered(
                response.unverifiedChallenge, .authentication, at: party, binding(request), of: request.transactionID,
                from: transaction.origin)
            // An unknown name must not match any user.
            var expected = try await user(of: transaction.facts)
            if expected == nil, !transaction.facts.loginID.value.isEmpty { expected = UserID(rawValue: "") }
            identity = try await authenticate(response, answered, as: expected, at: party, from: address)
        } catch let problem as PasskeyProblem {
            throw MethodProblem.passkeyRefused(problem)
        }
        var presented: PresentedRefresh?
        if transaction.facts.presented != nil {
            presented = try await core.completion.presentedSession(transaction.facts)
            guard presented?.account.user.id == identity.account.user.id else {
                throw MethodProblem.passkeyRefused(.overtaken)
            }
        }
        if transaction.facts.isSMSCharged {
            try await core.sendLimits.giveBackSignUp(from: address, at: core.ambient.now())
        }
        return CompletedVerification(
            identity: identity, options: (try? LoginOptions(json: transaction.facts.options)) ?? .none,
            presented: presented)
    }

    /// Ends an update: the passkey is added to the account whose session began it, if that session is still alive.
    ///
    /// - Returns: if another factor was asked for, the verification with which the session continues: the device has
    ///   just verified the user.
    /// - Throws: ``MethodProblem/passkeyRefused``; ``StoreError``.
    public func finishUpdate(_ request: PasskeyFinishRequest, from address: NetworkAddress?) async throws
        -> CompletedVerification?
    {
        let (transaction, party) = try open(request, .update)
        guard let presented = try await core.completion.presentedSession(transaction.facts),
            let epoch = transaction.facts.epoch
        else { throw MethodProblem.passkeyRefused(.overtaken) }
        // Asked again: a factor may have been added since. The sign-in was recent when the ceremony began.
        let allowed = try presented.permit(
            Acts.AddPasskey.self, core.rulebook, at: presented.grant.authentication.time)
        guard presented.account.user.epoch == epoch else { throw MethodProblem.passkeyRefused(.overtaken) }
        let (passkey, mark) = try await register(request, transaction, at: party, from: address)
        do {
            try await store.add(
                passkey, by: allowed, max: Limits.passkeysOfUserMax, spending: mark, at: core.ambient.now()
            ).requireAdded()
        } catch let problem as PasskeyProblem {
            throw MethodProblem.passkeyRefused(refused(problem, at: party, from: address))
        }
        await added(passkey, to: presented.account, from: SessionOrigin(address: address?.text, device: nil))
        guard let options = try? LoginOptions(json: transaction.facts.options), options.needsSession else { return nil }
        var account = presented.account
        account.hasPasskey = true
        return CompletedVerification(
            identity: ProvenIdentity(
                account: account, method: .passkey, isFirst: false, isOfTwoFactors: passkey.record.uvInitialized),
            options: options, presented: presented)
    }

    private func register(
        _ request: PasskeyFinishRequest, _ transaction: PasskeyTransaction, at party: RelyingParty,
        from address: NetworkAddress?
    ) async throws -> (StoredPasskey, ReplayMark) {
        do {
            let response = try RegistrationResponse(answer: request.response)
            let answered = try ceremonies.answered(
                response.unverifiedChallenge, .registration, at: party, binding(request), of: request.transactionID,
                from: transaction.origin)
            return (try await ceremonies.register(response, answered, at: party), answered.mark)
        } catch let problem as PasskeyProblem {
            throw MethodProblem.passkeyRefused(refused(problem, at: party, from: address))
        }
    }

    private func binding(_ request: PasskeyFinishRequest) -> CeremonyBinding {
        CeremonyBinding(.transaction, [request.transactionID])
    }

    private func open(_ request: PasskeyFinishRequest, _ purpose: VerificationFacts.Purpose) throws(MethodProblem) -> (
        PasskeyTransaction, RelyingParty
    ) {
        guard let transaction = transactions.open(request.transactionID), transaction.facts.purpose == purpose,
            let party = parties.party(id: transaction.relyingParty)
        else { throw .passkeyRefused(.challengeUnknown) }
        guard core.ambient.now() < transaction.expiresAt else { throw .passkeyRefused(.challengeExpired) }
        return (transaction, party)
    }
}

extension MethodProblem {
    /// The answer to the client: enough to try again, nothing about the owner of the credential.
    static func passkeyRefused(_ problem: PasskeyProblem) -> MethodProblem {
        let message =
            switch problem {
            case .challengeExpired: "It took too long: begin again"
            case .challengeSpent, .challengeUnknown: "The transaction is over or not this one: begin again"
            case .malformed: "The response field is no credential"
            case .credentialTaken: "The passkey is registered already"
            case .deactivated: "The passkey is switched off"
            case .tooMany: "There are too many passkeys: remove one first"
            case .overtaken: "The session has ended meanwhile, or a credential has changed: begin again"
            case .refused, .credentialUnknown: "The passkey was not accepted"
            }
        return MethodProblem(
            code: "E011003", description: "The request is invalid", message: message,
            status: problem.isAboutForm ? 400 : 401)
    }
}

extension PasskeyProblem {
    fileprivate var isAboutForm: Bool {
        if case .malformed = self { return true }
        return false
    }
}
