public import Authority
public import KeyturnBase
public import KeyturnWire
public import Model

/// Passwords in the methods' API: sign-up, sign-in, and the ways to a new password.
public struct PasswordMethods: Sendable {
    package let core: VerificationCore
    let links: MagicLinks
    package let passwords: Passwords
    let directories: DirectoryPasswords
    package let policy: PasswordPolicy
    package let breached: BreachedPasswords?
    package let settings: PasswordSettings

    /// The policy for new passwords.
    public var policyAnswer: PasswordPolicyAnswer {
        PasswordPolicyAnswer(
            minLength: Int64(policy.minLength), lowercase: policy.requiresLowercase,
            uppercase: policy.requiresUppercase, number: policy.requiresNumber,
            nonAlphanumeric: policy.requiresNonAlphanumeric)
    }

    /// Creates a user. Nothing is verified: an address of the login ID stays unverified, and its later verification
    /// removes the password.
    ///
    /// - Throws: ``MethodProblem/signUpClosed``; ``MethodProblem/userExists``; ``MethodProblem/invalidRequest`` for a
    ///   password that is not permitted.
    public func signUp(
        loginID text: String, password: Secret, details: SignUpDetails = SignUpDetails(),
        options: LoginOptions = .none, from address: NetworkAddress?
    ) async throws -> CompletedVerification {
        let loginID = try VerificationPlanner.newIdentifier(text)
        try details.requireSmall()
        try VerificationPlanner.check(options, presented: nil)
        try await core.requireSignUp()
        try await core.sendLimits.payForSignUp(from: address, at: core.ambient.now())
        // Also for test users: their login IDs can be guessed, and they have real rights.
        guard try await core.stores.users.account(loginID) == nil else {
            throw try await core.sendLimits.taken(from: address, at: core.ambient.now())
        }
        let facts = VerificationFacts(
            .signUp, userID: nil, loginID: loginID, address: nil, method: .password, details: details.json)
        guard let permission = try await core.signUp.permit(.anonymous, proving: nil) else {
            throw MethodProblem.signUpClosed
        }
        var account = NewAccount.make(facts, proved: nil, by: permission, ambient: core.ambient)
        try await requireGood(password, for: account, history: [])
        account.passwordHash = try await hash(password)
        guard try await core.stores.users.createUnlessTaken(account, by: permission) else {
            throw MethodProblem.userExists
        }
        return proof(of: account, isFirst: true, options)
    }

    /// Checks a password, here and then at the directory of the name, if there is one. Wrong name and wrong password get
    /// the same answer, at the same cost.
    ///
    /// - Throws: ``MethodProblem/wrongPassword``; ``MethodProblem/passwordExpired`` for one that is right and must be
    ///   replaced; ``MethodProblem/rateLimited(retryAfterSeconds:)``; ``MethodProblem/providerRefused`` if a directory
    ///   does not answer, or accepts the password of a user who has no way in.
    public func signIn(
        loginID: String, password: Secret, options: LoginOptions = .none, presented: PresentedRefresh? = nil,
        from address: NetworkAddress?
    ) async throws -> CompletedVerification {
        try VerificationPlanner.check(options, presented: presented)
        let checked = try await check(loginID, password, from: address, asksDirectory: true)
        let account = checked.account
        let verdict: Passwords.Verdict
        switch checked.place {
        case .here(let here): verdict = here
        case .directory(let isNew, let tenant):
            return completedAtDirectory(checked, isFirst: isNew, tenant: tenant, options, presented)
        }
        let state = try await core.stores.passwords.state(of: account.user.id)
        guard !settings.isOver(state, of: account.user, at: core.ambient.now()) else {
            throw MethodProblem.passwordExpired
        }
        if case .rightAndRehashed(let fresh) = verdict, let old = account.passwordHash {
            try await core.stores.users.rehash(account.user.id, from: old, to: fresh)
        }
        return proof(of: account, isFirst: false, signals: checked.signals, options, presented)
    }

    /// Replaces a password, even a temporary or expired one, if it is right. Ends every session and begins one.
    ///
    /// - Parameter proven: the sign-in that asks for another password.
    /// - Throws: as ``signIn(loginID:password:options:presented:from:)`` and ``signUp(loginID:password:details:options:from:)``.
    public func replace(
        loginID: String, old: Secret, new: Secret, after proven: SignInProgress.Proven? = nil,
        from address: NetworkAddress?
    ) async throws -> CompletedVerification {
        let checked = try await check(loginID, old, from: address, asksDirectory: false)
        let (account, now) = (checked.account, core.ambient.now())
        // The password alone replaces none beside an authenticator.
        let standing = proven?.standing(of: account) ?? AuthenticationFacts.password(at: now).standing(.wire, at: now)
        try await change(
            account, to: new, as: .formerPassword, replacing: account.passwordHash,
            from: SessionOrigin(address: address?.text, device: nil), by: try permit(.session(standing), account))
        return proof(of: try await changed(account), isFirst: false, signals: checked.signals, .none)
    }

    /// Sets the password of a user with a session, after a reset or in their settings. Every other session ends.
    ///
    /// If the account has an authenticator, the session must have used it beside another factor: the link of a reset
    /// verifies only the mailbox, and an attacker with the mailbox must not get a second factor of their choice.
    ///
    /// - Throws: ``MethodProblem/invalidRequest`` for a password that is not permitted, or a session of one factor.
    public func update(
        _ presented: PresentedRefresh, loginID text: String, new: Secret, from address: NetworkAddress?
    ) async throws {
        let loginID = try VerificationPlanner.identifier(text)
        guard presented.account.identifiers[loginID] != nil else {
            throw MethodProblem.invalidArguments.saying("The session belongs to another user")
        }
        let allowed = try presented.permit(Acts.SetPassword.self, core.rulebook, at: core.ambient.now())
        try await change(
            presented.account, to: new, as: presented.grant.authentication.passwordOrigin, keeping: presented.grant.id,
            from: SessionOrigin(address: address?.text, device: nil), by: allowed)
    }

    /// Sets the password of the owner of `account`, after all required verifications. Every session ends.
    ///
    /// - Parameter facts: the verifications.
    /// - Throws: ``MethodProblem/invalidRequest`` for a password that is not permitted; ``MethodProblem/wrongPassword``
    ///   if it was changed meanwhile.
    public func choose(
        _ new: Secret, for account: Account, by facts: AuthenticationFacts, from origin: SessionOrigin
    ) async throws {
        // The sign-in is under way: what was shown was shown a moment ago.
        let standing = facts.standing(.page, at: facts.time)
        try await change(
            account, to: new, as: facts.passwordOrigin, replacing: account.passwordHash, from: origin,
            by: try permit(.session(standing), account))
    }

    /// Sends a link for a forgotten password; for an unknown user, does the same work without sending. The link signs
    /// in like any other. It verifies the mailbox only, never a second factor.
    public func reset(
        loginID text: String, redirectURL: String?, options: LoginOptions = .none, from address: NetworkAddress?
    ) async throws -> PasswordResetAnswer {
        let loginID = try VerificationPlanner.identifier(text)
        let masked = try await links.send(
            VerificationRequest(
                .passwordReset, loginID: text, method: loginID.kind == .phone ? .sms : .email, options: options,
                redirectURL: redirectURL, from: address))
        return PasswordResetAnswer(resetMethod: "magiclink", masked: masked)
    }

    /// Sets the first password of a user who has just signed up, as it was chosen before the address was proved.
    ///
    /// - Parameter hash: of the password.
    public func setFirst(_ hash: String, of account: Account) async throws {
        let now = core.ambient.now()
        let standing = AuthenticationFacts.password(at: now).standing(.page, at: now)
        _ = try await core.stores.passwords.set(
            PasswordChange(hash: hash, origin: .strong, historyMax: 0), by: try permit(.session(standing), account),
            at: now)
    }

    /// Sets a user's password at the operator's request. The policy is the operator's responsibility.
    ///
    /// - Parameters:
    ///   - mustReplace: the password permits only its own replacement.
    ///   - actor: as the audit event names the operator.
    /// - Throws: ``MethodProblem/invalidArguments`` for a text that cannot be a password; ``StoreError``.
    public func set(
        _ password: Secret, of account: Account, mustReplace: Bool, by allowed: consuming Allowed<Acts.SetPassword>,
        named actor: String
    ) async throws {
        let text = password.exposed()
        guard (1...Limits.passwordBytesMax).contains(text.utf8.count), !text.utf8.contains(0) else {
            throw MethodProblem.invalidArguments.saying("The password field cannot be a password")
        }
        try await store(
            account, password, as: .strong, mustReplace: mustReplace, replacing: nil, keeping: nil, by: allowed,
            named: actor)
        await core.notices.send(.passwordChanged, to: account, from: .unknown, at: core.ambient.now())
    }
}

extension PasswordMethods {
    private func check(
        _ text: String, _ password: Secret, from address: NetworkAddress?, asksDirectory: Bool
    ) async throws -> CheckedPassword {
        let loginID = try VerificationPlanner.identifier(text)
        let account = try await core.stores.users.account(loginID)
        let attempt = try await core.guessing.admit(loginID, of: account, from: address)
        let locks = settings.locks(attempt.keys)
        if !locks.isEmpty { try await core.sendLimits.pay(locks, at: core.ambient.now()) }
        let ownLocks = attempt.owner.map(settings.locks) ?? []
        let isLocked =
            ownLocks.isEmpty
            ? false : try await core.stores.rateLimits.spend(ownLocks, at: core.ambient.now()) != nil
        let isElsewhere = try await directories.owns(account)
        // The right password of an account that is closed, or guessed at too often, costs what a wrong one does.
        let isOpen =
            account.map { [.active, .invited].contains($0.user.status) } ?? false && attempt.ownerDelaySeconds == 0
            && !isLocked
        let verdict: Passwords.Verdict
        do {
            verdict = try await passwords.check(
                password, against: isOpen && !isElsewhere ? account?.passwordHash : nil)
        } catch {
            throw MethodProblem.rateLimited(retryAfterSeconds: 1)
        }
        var checked = account.map { CheckedPassword(account: $0, place: .here(verdict)) }
        if verdict == .wrong {
            checked = asksDirectory ? try await checkAtDirectory(loginID, password, from: address) : nil
        }
        guard var checked, [.active, .invited].contains(checked.account.user.status) else {
            core.failed(account, .password, from: address)
            throw MethodProblem.wrongPassword
        }
        try await core.guessing.succeeded(attempt)
        if !locks.isEmpty { try await core.stores.rateLimits.clear((locks + ownLocks).map(\.key)) }
        checked.signals = RiskRules.signals(of: password, failures: attempt.failures, breached: breached)
        return checked
    }

    private func permit(_ caller: Caller, _ account: Account) throws(MethodProblem) -> Allowed<Acts.SetPassword> {
        do throws(Denial) {
            return try core.rulebook.permit(Acts.SetPassword.self, to: caller, on: account.subject)
        } catch {
            throw MethodProblem(error)
        }
    }

    private func change(
        _ account: Account, to password: Secret, as proof: PasswordChange.Origin, replacing: String? = nil,
        keeping: GrantID? = nil, from origin: SessionOrigin, by allowed: consuming Allowed<Acts.SetPassword>
    ) async throws {
        var earlier: [String] = []
        if settings.reuseMax > 0 {
            earlier = try await core.stores.passwords.state(of: account.user.id).history
        }
        let present = account.passwordHash.map { [$0] } ?? []
        try await requireGood(password, for: account, history: present + earlier.prefix(settings.reuseMax))
        try await store(
            account, password, as: proof, mustReplace: false, replacing: replacing, keeping: keeping, by: allowed)
        await core.notices.send(.passwordChanged, to: account, from: origin, at: core.ambient.now())
    }

    private func store(
        _ account: Account, _ password: Secret, as origin: PasswordChange.Origin, mustReplace: Bool,
        replacing: String?, keeping: GrantID?, by allowed: consuming Allowed<Acts.SetPassword>,
        named actor: String? = nil
    ) async throws {
        let now = core.ambient.now()
        let change = PasswordChange(
            hash: try await hash(password), origin: origin, replacing: replacing,
            mustReplace: mustReplace, historyMax: settings.reuseMax, keeping: keeping)
        // Another request was faster: the account has changed since it was read.
        guard try await core.stores.passwords.set(change, by: allowed, at: now) else {
            throw MethodProblem.wrongPassword
        }
        core.audit.record(AuditEvent(.passwordChanged, at: now, userID: account.user.id, actor: actor))
    }

    /// - Parameter history: hashes of passwords that are not permitted again, including the present one.
    private func requireGood(_ password: Secret, for account: Account, history: [String]) async throws {
        do {
            let flaws = try await passwords.flaws(
                in: password, policy: policy, identifiers: Array(account.identifiers.keys), breached: breached)
            if let flaw = flaws.first { throw MethodProblem.invalidRequest.saying(flaw.sentence) }
            for hash in history where try await passwords.matches(password, hash) {
                throw MethodProblem.invalidRequest.saying("The password was used before")
            }
        } catch is HashingPool.Saturated {
            throw MethodProblem.rateLimited(retryAfterSeconds: 1)
        }
    }

    /// The account after its owner has changed the password.
    private func changed(_ account: Account) async throws -> Account {
        guard let account = try await core.stores.users.account(account.user.id) else {
            throw MethodProblem.wrongPassword
        }
        return account
    }

    private func hash(_ password: Secret) async throws(MethodProblem) -> String {
        do {
            return try await passwords.hash(password)
        } catch {
            throw .rateLimited(retryAfterSeconds: 1)
        }
    }

    private func proof(
        of account: Account, isFirst: Bool, signals: Set<RiskSignal> = [], _ options: LoginOptions,
        _ presented: PresentedRefresh? = nil
    ) -> CompletedVerification {
        CompletedVerification(
            identity: ProvenIdentity(account: account, method: .password, isFirst: isFirst, signals: signals),
            options: options, presented: options.needsSession ? presented : nil)
    }
}
