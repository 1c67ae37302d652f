package import Authority
internal import KeyturnBase
internal import KeyturnWire
package import Model
internal import OAuth

/// What all sign-in methods need.
package struct VerificationCore: Sendable {
    package let stores: Stores
    package let digests: VerificationDigests
    let planner: VerificationPlanner
    package let sendLimits: SendLimits
    package let messages: VerificationMessages
    package let notices: SecurityNotices
    let completion: VerificationCompletion
    package let guessing: VerificationAttempts
    let targets: LinkTargets
    package let rulebook: Rulebook
    /// Who may open an account.
    package let signUp: SignUpGate
    let audit: any AuditLog
    let ambient: Ambient

    init(
        project: Project, settings: MethodSettings, clients: ClientDirectory, stores: Stores, secrets: ServerSecrets,
        messages sender: any MessageSender, notices: SecurityNotices, signUp: SignUpGate, audit: any AuditLog,
        ambient: Ambient
    ) {
        self.stores = stores
        digests = VerificationDigests(secrets, ambient: ambient)
        sendLimits = SendLimits(store: stores.rateLimits)
        rulebook = project.rulebook
        self.signUp = signUp
        planner = VerificationPlanner(
            users: stores.users, sendLimits: sendLimits, rulebook: rulebook, signUp: signUp, ambient: ambient)
        messages = VerificationMessages(sender: sender, project: project, ambient: ambient)
        self.notices = notices
        completion = VerificationCompletion(
            stores: stores, notices: notices, rulebook: rulebook, signUp: signUp, audit: audit, ambient: ambient)
        guessing = VerificationAttempts(attempts: stores.attempts, audit: audit, ambient: ambient)
        targets = LinkTargets(issuer: project.issuer, settings: settings, clients: clients)
        self.audit = audit
        self.ambient = ambient
    }

    /// Records that the code that the user entered was right.
    func succeeded(_ attempt: VerificationAttempts.Attempt, _ facts: VerificationFacts, from: NetworkAddress?)
        async throws(StoreError)
    {
        try await guessing.succeeded(attempt)
        try await answered(facts, from: from)
    }

    /// Records that a message was answered: its charge is refunded.
    func answered(_ facts: VerificationFacts, from: NetworkAddress?) async throws(StoreError) {
        try await sendLimits.giveBack(
            facts.loginID, phone: facts.isSMSCharged ? facts.address : nil, from: from, at: ambient.now())
    }

    package func failed(_ account: Account?, _ method: AuthenticationMethod, from address: NetworkAddress?) {
        audit.record(
            AuditEvent(
                .signInFailed, at: ambient.now(), userID: account?.user.id, address: address?.text, reason: method.word)
        )
    }
}

/// Slows guessing down, without locking out a known device.
package struct VerificationAttempts: Sendable {
    let attempts: any AttemptStore
    let audit: any AuditLog
    let ambient: Ambient

    /// An attempt that was counted.
    package struct Attempt: Sendable {
        let keys: GuessingRules.Keys
        /// Whether there was an earlier sign-in to the account from this network.
        let isKnown: Bool
        /// Those at the account before it, and this one.
        let failures: Int64
        /// Of a guess at a password.
        var owner: GuessingRules.OwnerKeys?
        /// How long no password of the account is compared.
        package var ownerDelaySeconds: Int64 = 0
    }

    /// Counts an attempt, before anything is compared.
    ///
    /// - Throws: ``MethodProblem/rateLimited(retryAfterSeconds:)``.
    package func admit(_ loginID: Identifier, from address: NetworkAddress?) async throws -> Attempt {
        try await admit(GuessingRules.Keys(identifier: loginID, address: address), from: address)
    }

    /// Counts a guess at a password: also for all login IDs of the account together. The client is not told of that count.
    ///
    /// - Parameter account: who has the login ID; `nil`: no user.
    package func admit(_ loginID: Identifier, of account: Account?, from address: NetworkAddress?) async throws
        -> Attempt
    {
        let owner = GuessingRules.OwnerKeys(of: account?.user.id, typed: loginID, address: address)
        return try await admit(GuessingRules.Keys(identifier: loginID, address: address), owner, from: address)
    }

    /// As ``admit(_:from:)``, with counts of other keys than the login ID's.
    func admit(
        _ keys: GuessingRules.Keys, _ owner: GuessingRules.OwnerKeys? = nil, from address: NetworkAddress?
    ) async throws -> Attempt {
        let now = ambient.now()
        let all = try await attempts.count(
            keys.all + (owner?.all ?? []), windowSeconds: Limits.attemptWindowSeconds, at: now)
        let counts = Array(all.prefix(keys.all.count))
        let delay = GuessingRules.delaySeconds(counts, at: now)
        guard delay == 0 else {
            audit.recordOnce(AuditEvent(.signInThrottled, at: now, address: address?.text))
            throw MethodProblem.rateLimited(retryAfterSeconds: Int(delay))
        }
        var attempt = Attempt(keys: keys, isKnown: counts[0].isKnown, failures: GuessingRules.failures(counts))
        attempt.owner = owner
        if owner != nil {
            attempt.ownerDelaySeconds = GuessingRules.ownerDelaySeconds(
                Array(all.dropFirst(counts.count)), isKnown: attempt.isKnown, at: now)
        }
        return attempt
    }

    /// Records that the attempt was right: this network is known from now on.
    package func succeeded(_ attempt: Attempt) async throws(StoreError) {
        let keys = attempt.keys
        try await attempts.succeed(
            [keys.accountAndNetwork, keys.account] + (attempt.owner?.all ?? []), shared: keys.network,
            known: [keys.known, attempt.owner?.known].compactMap(\.self), at: ambient.now())
    }
}
