public import KeyturnBase
public import KeyturnWire
public import Model

/// One-time codes by mail, text message or call.
///
/// A code is six digits, good once and for ten minutes. Tries are counted before they are compared, and across
/// re-sends; an earlier code stays good when another one is sent. The answers do not show which users exist.
public struct OneTimeCodes: Sendable {
    package let core: VerificationCore

    /// Sends a code; for an unknown user, does the same work without sending.
    ///
    /// - Throws: ``MethodProblem`` for faults of the request itself;
    ///   ``MethodProblem/rateLimited(retryAfterSeconds:)`` also after so many wrong codes that a new one would be
    ///   refused.
    public func send(_ ask: VerificationRequest) async throws -> MaskedAnswer {
        let typed = ask.intent.isSignUp ? try? VerificationPlanner.newIdentifier(ask.loginID) : nil
        try await requireTries(typed ?? VerificationPlanner.identifier(ask.loginID), ask.method, from: ask.from)
        return try await send(core.planner.plan(ask))
    }

    /// Sends a code to another address of a signed-in user.
    public func send(_ update: AddressUpdate) async throws -> MaskedAnswer {
        try await requireTries(VerificationPlanner.identifier(update.loginID), update.method, from: update.from)
        return try await send(core.planner.plan(update))
    }

    /// Checks a code. An unknown login ID is answered like a wrong code.
    ///
    /// - Throws: ``MethodProblem/wrongCode``, ``MethodProblem/codeExpired``,
    ///   ``MethodProblem/tooManyAttempts(retryAfterSeconds:)``, ``MethodProblem/rateLimited(retryAfterSeconds:)``.
    ///
    /// - Parameters:
    ///   - session: the session that was presented with it, if any.
    ///   - isPage: the user entered it on a sign-in page. There, a code for another address of a user is refused: it
    ///     may have been sent to another person.
    public func verify(
        loginID text: String, code: Secret, method: DeliveryMethod, in session: PresentedRefresh? = nil,
        isPage: Bool = false, from address: NetworkAddress?
    ) async throws -> CompletedVerification {
        let loginID = try VerificationPlanner.identifier(text)
        guard let method = AuthenticationMethod(rawValue: method.rawValue) else { throw MethodProblem.badRequest }
        let now = core.ambient.now()
        let attempt = try await core.guessing.admit(loginID, from: address)
        let account = try await core.stores.users.account(loginID)
        let slot = VerificationPlan.slot(of: account?.user.id, loginID: loginID, method: method)
        let verdict = try await core.stores.codes.redeem(
            CodeTry(
                slot: slot, digests: core.digests.candidates(code, slot: slot),
                counts: Self.counts(
                    attempt.keys, isKnown: attempt.isKnown, slot: slot,
                    typed: VerificationPlan.slot(of: nil, loginID: loginID, method: method))),
            windowSeconds: Limits.proofSeconds, at: now)
        switch verdict {
        case .right(let facts):
            guard !(isPage && facts.purpose == .update),
                let proof = try await core.completion.complete(
                    facts, .init(session: session?.grant.id, address: address))
            else { throw MethodProblem.wrongCode }
            try await core.succeeded(attempt, facts, from: address)
            return proof
        case .wrong:
            core.failed(account, method, from: address)
            throw MethodProblem.wrongCode
        case .expired:
            throw MethodProblem.codeExpired
        case .exhausted(let retryAt):
            core.failed(account, method, from: address)
            throw MethodProblem.tooManyAttempts(retryAfterSeconds: Int(retryAt.seconds(since: now)))
        }
    }

    /// The counters of a try: each network has its own tries; unknown networks together have few more.
    ///
    /// The client is only told about the tries for the name that it sent. That the account's tries are used up is not
    /// told: it would show which names belong to one account.
    private static func counts(
        _ keys: GuessingRules.Keys, isKnown: Bool, slot: String, typed: String
    ) -> [TryCount] {
        let (one, all) = (Limits.codeTriesMax, Limits.codeTriesOfStrangersMax)
        let network = TryCount(slot: typed, party: keys.network, max: one)
        guard !isKnown else {
            return [network, TryCount(slot: slot, party: "account/\(keys.network)", max: one, isTold: false)]
        }
        return [
            network, TryCount(slot: typed, party: "strangers", max: all),
            TryCount(slot: slot, party: "account/strangers", max: all, isTold: false),
        ]
    }

    /// Refuses to send a code that could not be entered any more. Only the tries for the entered name are checked,
    /// which the client may know: the answer does not depend on whether there is such an account.
    func requireTries(_ loginID: Identifier, _ method: DeliveryMethod, from address: NetworkAddress?)
        async throws
    {
        guard let method = AuthenticationMethod(rawValue: method.rawValue) else { throw MethodProblem.badRequest }
        let now = core.ambient.now()
        let keys = GuessingRules.Keys(identifier: loginID, address: address)
        let typed = VerificationPlan.slot(of: nil, loginID: loginID, method: method)
        let counts = Self.counts(
            keys, isKnown: try await core.stores.attempts.isKnown(keys.accountAndNetwork), slot: typed, typed: typed)
        guard let retryAt = try await core.stores.codes.exhausted(counts.filter(\.isTold), at: now) else { return }
        throw MethodProblem.noCodes(retryAfterSeconds: Int(retryAt.seconds(since: now)))
    }

    private func send(_ plan: VerificationPlan) async throws -> MaskedAnswer {
        let code = try await make(plan)
        try await core.messages.send(code, plan)
        return plan.masked
    }

    /// Stores a code and returns it.
    func make(_ plan: VerificationPlan) async throws(StoreError) -> Secret {
        let now = core.ambient.now()
        let code = core.digests.makeCode()
        let digest = core.digests.digest(of: code, slot: plan.slot)
        try await core.stores.codes.add(
            PendingCode(
                slot: plan.slot, digest: plan.isDecoy ? core.digests.decoy() : digest, facts: plan.facts,
                expiresAt: now + Limits.proofSeconds),
            liveMax: Limits.codesLiveMax, at: now)
        return code
    }
}

extension OneTimeCodes: SignInMethod {
    public static let name = "one_time_code"
    public static let proves: Set<AuthenticationMethod> = [.email, .sms, .whatsapp, .voice]
    public static let places: Set<SignInPlace> = [.first, .second]
}
