public import KeyturnBase
public import Model

/// Signs a user in with a password, and opens a browser session.
public struct SignIn: Sendable {
    private let stores: Stores
    private let passwords: Passwords
    private let directories: DirectoryPasswords
    private let settings: PasswordSettings
    private let breached: BreachedPasswords?
    private let singleSignOn: SingleSignOn
    private let audit: any AuditLog
    private let ambient: Ambient

    public init(
        stores: Stores, passwords: Passwords, directories: DirectoryPasswords,
        settings: PasswordSettings = PasswordSettings(), breached: BreachedPasswords? = nil,
        singleSignOn: SingleSignOn, audit: any AuditLog, ambient: Ambient
    ) {
        self.stores = stores
        self.passwords = passwords
        self.directories = directories
        self.settings = settings
        self.breached = breached
        self.singleSignOn = singleSignOn
        self.audit = audit
        self.ambient = ambient
    }

    /// The result of an attempt.
    public enum Outcome: Sendable {
        case recognised(User, AuthenticationFacts)
        /// A directory was asked about the password.
        case directory(DirectoryPasswords.Outcome)
        /// Right, but permits only its own replacement; `isTemporary`: the operator set or expired it.
        case mustReplace(User, AuthenticationFacts, isTemporary: Bool)
        /// Wrong name, wrong password, or an unknown user: all have the same answer.
        case wrong
        case throttled(retryAfterSeconds: Int64)
        /// Too many sign-ins at the same time.
        case busy
    }

    /// Checks a password, here and then at the directory of the name, if there is one. The attempt is counted before it
    /// is checked, so parallel guesses gain nothing.
    ///
    /// - Parameter admitsNewUsers: whether a person of a directory who has no account gets one.
    public func check(
        loginID: String, password: Secret, from address: NetworkAddress?, admitsNewUsers: Bool = true
    ) async throws(StoreError) -> Outcome {
        let now = ambient.now()
        guard let identifier = Identifier(loginID: loginID) else {
            guard (try? await passwords.check(password, against: nil)) != nil else { return .busy }
            return .wrong
        }
        let account = try await stores.users.account(identifier)
        let keys = GuessingRules.Keys(identifier: identifier, address: address)
        let owner = GuessingRules.OwnerKeys(of: account?.user.id, typed: identifier, address: address)
        let all = try await stores.attempts.count(
            keys.all + owner.all, windowSeconds: Limits.attemptWindowSeconds, at: now)
        let counts = Array(all.prefix(keys.all.count))
        var isExhausted =
            GuessingRules.ownerDelaySeconds(
                Array(all.suffix(owner.all.count)), isKnown: counts[0].isKnown, at: now) > 0
        let delay = GuessingRules.delaySeconds(counts, at: now)
        guard delay == 0 else {
            audit.recordOnce(AuditEvent(.signInThrottled, at: now, address: address?.text))
            return .throttled(retryAfterSeconds: delay)
        }
        let locks = settings.locks(keys)
        if !locks.isEmpty, let openAt = try await stores.rateLimits.spend(locks, at: now) {
            audit.recordOnce(AuditEvent(.signInThrottled, at: now, address: address?.text, reason: "locked"))
            return .throttled(retryAfterSeconds: max(1, openAt.seconds(since: now)))
        }
        let ownLocks = settings.locks(owner)
        if !ownLocks.isEmpty, try await stores.rateLimits.spend(ownLocks, at: now) != nil { isExhausted = true }
        let isElsewhere = try await directories.owns(account)
        // The right password of an account that is closed, or guessed at too often, costs what a wrong one does.
        let isOpen = account?.user.status == .active && !isExhausted
        let verdict: Passwords.Verdict
        do {
            verdict = try await passwords.check(
                password, against: isOpen && !isElsewhere ? account?.passwordHash : nil)
        } catch {
            return .busy
        }
        if verdict == .wrong,
            let outcome = try await directories.check(
                identifier, password, from: address, admitsNewUsers: admitsNewUsers)
        {
            if case .user = outcome {
                try await succeeded(keys, owner, locks + ownLocks)
            }
            return .directory(outcome)
        }
        guard let account, verdict != .wrong, account.user.status == .active else {
            audit.record(
                AuditEvent(.signInFailed, at: now, userID: account?.user.id, address: address?.text, reason: "password")
            )
            return .wrong
        }
        try await succeeded(keys, owner, locks + ownLocks)
        if case .rightAndRehashed(let hash) = verdict, let old = account.passwordHash {
            try await stores.users.rehash(account.user.id, from: old, to: hash)
        }
        var facts = AuthenticationFacts.password(at: now)
        facts.signals = RiskRules.signals(
            of: password, failures: GuessingRules.failures(counts), breached: breached)
        let state = try await stores.passwords.state(of: account.user.id)
        guard !settings.isOver(state, of: account.user, at: now) else {
            return .mustReplace(account.user, facts, isTemporary: state.mustReplace)
        }
        return .recognised(account.user, facts)
    }

    private func succeeded(
        _ keys: GuessingRules.Keys, _ owner: GuessingRules.OwnerKeys, _ locks: [RateLimitCharge]
    ) async throws(StoreError) {
        try await stores.attempts.succeed(
            [keys.accountAndNetwork, keys.account] + owner.all, shared: keys.network,
            known: [keys.known, owner.known].compactMap(\.self), at: ambient.now())
        if !locks.isEmpty { try await stores.rateLimits.clear(locks.map(\.key)) }
    }

    /// Records that a user signed in, with all factors.
    ///
    /// - Parameter signals: what was unusual.
    public func note(
        _ user: User, _ facts: AuthenticationFacts, from address: NetworkAddress?, signals: Set<RiskSignal> = []
    ) {
        audit.record(
            AuditEvent(
                .signedIn, at: ambient.now(), userID: user.id, address: address?.text,
                reason: facts.methods.joined(separator: " "), target: signals.isEmpty ? nil : signals.text))
    }

    /// Opens a browser session, with a cookie of its own. The browser's former session goes on under its name if it is the
    /// same user's, so that what came from it ends with the new one. That of another user ends, and apps that this user
    /// signed in to from it go on: two users may share a browser.
    ///
    /// - Parameters:
    ///   - user: as they were at the sign-in.
    ///   - facts: how the user was authenticated.
    ///   - old: the browser's former cookie.
    ///   - origin: the client's address and device.
    ///   - endsAt: when it must be over; `nil`: only as every session.
    /// - Returns: the session and the new cookie's value; `nil` if the user was signed out everywhere since, or must sign
    ///   in at their organisation.
    public func openSession(
        for user: User, _ facts: AuthenticationFacts, replacing old: Secret?, from origin: SessionOrigin = .unknown,
        endsAt: UnixTime? = nil
    ) async throws(StoreError) -> (BrowserSession, cookie: Secret)? {
        let address = origin.address.map { NetworkAddress($0) }
        guard case .allowed = try await singleSignOn.judge(user.id, facts, from: address, notes: true) else {
            return nil
        }
        let now = ambient.now()
        let cookie = Secret(ambient.randomToken(byteCount: 32))
        let former = try await session(of: old)
        let name = former?.1.id == user.id ? former?.0.id : nil
        func open(_ name: SessionID?) async throws(StoreError) -> (BrowserSession, cookie: Secret)? {
            let session = BrowserSession(
                id: name ?? SessionID(rawValue: ambient.randomToken(byteCount: 16)), userID: user.id,
                authentication: facts, createdAt: now,
                expiresAt: min(now + Limits.browserSessionSeconds, endsAt ?? now + Limits.browserSessionSeconds),
                origin: origin)
            let isOpen = try await stores.sessions.create(
                session, epoch: user.epoch, digest: SecretDigest(of: cookie), replacing: old.map(SecretDigest.init),
                at: now)
            return isOpen ? (session, cookie) : nil
        }
        do throws(StoreError) {
            return try await open(name)
        } catch {
            // Another sign-in in the same browser goes on under the name at this moment.
            guard error.code == .conflict, name != nil else { throw error }
            return try await open(nil)
        }
    }

    /// A new cookie for a live session; the one before becomes invalid.
    ///
    /// - Returns: `nil` if the session is over.
    public func renewCookie(of session: BrowserSession) async throws(StoreError) -> Secret? {
        let cookie = Secret(ambient.randomToken(byteCount: 32))
        return try await stores.sessions.replaceCookie(of: session.id, by: SecretDigest(of: cookie), at: ambient.now())
            ? cookie : nil
    }

    /// The live session of a cookie, and its user.
    public func session(of cookie: Secret?) async throws(StoreError) -> (BrowserSession, User)? {
        try await stores.sessions.session(ofCookie: cookie, at: ambient.now())
    }

    /// The owner of the account whose browser sent this cookie; `nil`: it belongs to no live session.
    ///
    /// - Parameter address: the client's, of a request that changes something.
    public func owner(of cookie: Secret?, from address: NetworkAddress? = nil) async throws(StoreError) -> AccountOwner?
    {
        try await AccountOwner.find(cookie: cookie, from: address, in: stores, at: ambient.now())
    }
}
