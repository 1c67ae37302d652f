public import Authority
public import KeyturnBase
public import KeyturnWire
public import Model

/// Recovery codes, for a lost authenticator. Each is good once.
public struct RecoveryCodes: Sendable {
    let core: VerificationCore
    let secrets: ServerSecrets

    /// A new set for the user of a session. The earlier codes are invalid from now on.
    ///
    /// - Parameters:
    ///   - account: as it is now, with the authenticator.
    ///   - session: has used it.
    /// - Returns: the codes as they are shown, once.
    /// - Throws: ``StoreError``, `forbidden` if the session may not have them.
    package func make(for account: Account, in session: SessionStanding) async throws(StoreError) -> [Secret] {
        let codes = RecoveryCode.makeSet(core.ambient)
        let user = account.user.id
        try await core.stores.recoveryCodes.replace(
            by: try core.rulebook.permission(Acts.MakeRecoveryCodes.self, to: .session(session), on: account.subject),
            with: codes.map { SecretDigest(storedBytes: $0.digest(of: user, under: secrets)) },
            at: core.ambient.now())
        return codes.map(\.text)
    }

    /// Redeems a code. An unknown login ID is answered like a wrong code.
    ///
    /// - Throws: ``MethodProblem/wrongCode``; ``MethodProblem/rateLimited(retryAfterSeconds:)``.
    public func verify(
        loginID text: String, code: Secret, options: LoginOptions = .none, presented: PresentedRefresh? = nil,
        from address: NetworkAddress?
    ) async throws -> CompletedVerification {
        let loginID = try VerificationPlanner.identifier(text)
        try VerificationPlanner.check(options, presented: presented)
        let account = try await core.stores.users.account(loginID)
        let attempt = try await core.guessing.admit(
            GuessingRules.Keys(secondFactorOf: account?.user.id, typed: loginID, address: address), from: address)
        if options.needsSession, presented?.account.user.id != account?.user.id {
            throw MethodProblem.invalidArguments.saying("The session belongs to another user")
        }
        let id = account?.user.id ?? UserID(rawValue: "nobody")
        let digests = RecoveryCode(typed: code)?.digests(of: id, under: secrets) ?? [core.digests.decoy().bytes]
        let isRight = try await core.stores.recoveryCodes.spend(
            digests.map(SecretDigest.init(storedBytes:)), of: id, at: core.ambient.now())
        guard isRight, let account, account.user.status == .active else {
            core.failed(account, .recoveryCode, from: address)
            throw MethodProblem.wrongCode
        }
        try await core.guessing.succeeded(attempt)
        let identity = ProvenIdentity(account: account, method: .recoveryCode, isFirst: false)
        return CompletedVerification(
            identity: identity, options: options, presented: options.needsSession ? presented : nil)
    }

    /// How many are left.
    public func count(of user: UserID) async throws(StoreError) -> Int {
        try await core.stores.recoveryCodes.count(of: user)
    }

    /// A new set for a user who has set up the first authenticator in the sign-in that is under way.
    ///
    /// - Throws: as ``make(for:in:)``; `missing` if the user is gone.
    public func make(for user: UserID, after facts: AuthenticationFacts) async throws(StoreError) -> [Secret] {
        guard let account = try await core.stores.users.account(user) else { throw StoreError(.missing) }
        return try await make(
            for: account, in: facts.standing(.page, at: facts.time))
    }

    /// Removes every code of the permission's user.
    public func remove(by allowed: consuming Allowed<Acts.RemoveAuthenticator>) async throws(StoreError) {
        try await core.stores.recoveryCodes.removeAll(by: allowed, at: core.ambient.now())
    }
}

extension RecoveryCodes: SecondFactorMethod {
    public static let name = "recovery_code"
    public static let factor = AuthenticationMethod.recoveryCode
    public static let places: Set<SignInPlace> = [.second]
    public static let isSetUpByUser = true

    public func verifySecond(_ code: Secret, of account: Account, from address: NetworkAddress?) async throws
        -> CompletedVerification
    {
        try await verify(loginID: account.someLoginID, code: code, from: address)
    }
}
