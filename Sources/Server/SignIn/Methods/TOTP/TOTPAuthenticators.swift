public import Authority
internal import Foundation
public import KeyturnBase
internal import KeyturnQRCode
public import KeyturnWire
public import Model

/// Codes of authenticator apps (TOTP, RFC 6238).
///
/// A secret is not accepted as a factor until its first right code. Each time step is accepted once, so that a code
/// that an attacker saw cannot be used again.
public struct TOTPAuthenticators: Sendable {
    package let core: VerificationCore
    package let seal: TOTPSeal
    let project: Project

    init(core: VerificationCore, project: Project, secrets: ServerSecrets) {
        self.core = core
        self.project = project
        seal = TOTPSeal(secrets, ambient: core.ambient)
    }

    /// Begins a sign-up. The first right code creates the user.
    ///
    /// - Throws: ``MethodProblem/signUpClosed``; ``MethodProblem/userExists``;
    ///   ``MethodProblem/rateLimited(retryAfterSeconds:)``.
    public func signUp(
        loginID text: String, details: SignUpDetails, options: LoginOptions = .none, from address: NetworkAddress?
    ) async throws -> TOTPAnswer {
        let loginID = try VerificationPlanner.newIdentifier(text)
        try details.requireSmall()
        try await core.requireSignUp()
        try await core.sendLimits.payForSignUp(from: address, at: core.ambient.now())
        guard try await core.stores.users.account(loginID) == nil else {
            throw try await core.sendLimits.taken(from: address, at: core.ambient.now())
        }
        let facts = VerificationFacts(
            .signUp, userID: nil, loginID: loginID, address: nil, method: .totp, details: details.json,
            options: options.json)
        guard facts.json.serialized.count <= Limits.proofFactsBytesMax else {
            throw MethodProblem.invalidArguments.saying("Options and details are too large")
        }
        let (stored, answer) = try make(.make(core.ambient), loginID, facts: facts, begunIn: nil)
        let now = core.ambient.now()
        try await core.stores.authenticators.add(
            stored, toSignUpOf: loginID, pendingMax: Limits.authenticatorsPendingMax,
            expiresAt: now + Limits.authenticatorSetupSeconds, at: now)
        return answer
    }

    /// Begins to set up an authenticator for a signed-in user. The one before stays good until the first right code of
    /// the new one.
    public func update(_ presented: PresentedRefresh, loginID text: String) async throws -> TOTPAnswer {
        let loginID = try VerificationPlanner.identifier(text)
        guard presented.account.identifiers[loginID] != nil else {
            throw MethodProblem.invalidArguments.saying("The session belongs to another user")
        }
        let allowed = try presented.permit(Acts.AddAuthenticator.self, core.rulebook, at: core.ambient.now())
        // Otherwise an attacker with the mailbox could replace the second factor by one of their own.
        return try await add(
            .make(core.ambient), loginID, replaces: presented.holdsStrongFactor, begunIn: .grant(presented.grant.id),
            by: allowed)
    }

    /// Begins to set up the first authenticator of a user who has shown a first factor, and has no session yet. The
    /// sign-in in which it begins alone confirms it.
    ///
    /// - Parameter facts: how the user signed in so far.
    /// - Throws: ``MethodProblem/invalidArguments`` for another user's login ID; ``MethodProblem/invalidRequest`` if
    ///   there is one; ``MethodProblem`` with what is missing.
    public func setUp(
        _ account: Account, loginID text: String, begunIn session: StoredTOTP.Session, after facts: AuthenticationFacts
    ) async throws -> TOTPAnswer {
        let loginID = try VerificationPlanner.identifier(text)
        guard account.identifiers[loginID] != nil else {
            throw MethodProblem.invalidArguments.saying("The pendingRef belongs to another user")
        }
        return try await setUp(
            account, .make(core.ambient), loginID, begunIn: session, after: facts)
    }

    /// As ``setUp(_:loginID:begunIn:after:)``, with one of the user's login IDs.
    ///
    /// - Parameter facts: how the user signed in so far.
    func setUp(
        _ account: Account, _ secret: TOTPSecret, _ loginID: Identifier, begunIn session: StoredTOTP.Session,
        after facts: AuthenticationFacts
    ) async throws -> TOTPAnswer {
        let standing = facts.standing(.page, at: core.ambient.now())
        let allowed: Allowed<Acts.AddAuthenticator>
        do throws(Denial) {
            allowed = try core.rulebook.permit(
                Acts.AddAuthenticator.self, to: .session(standing), on: account.subject)
        } catch {
            throw MethodProblem(error)
        }
        return try await add(secret, loginID, replaces: false, begunIn: session, by: allowed)
    }

    /// Checks a code. An unknown login ID is answered like a wrong code.
    ///
    /// - Parameter session: the sign-in that asks: it alone confirms an authenticator that it began.
    /// - Throws: ``MethodProblem/wrongCode``; ``MethodProblem/rateLimited(retryAfterSeconds:)``.
    public func verify(
        loginID text: String, code: Secret, options: LoginOptions = .none, presented: PresentedRefresh? = nil,
        setUpIn session: StoredTOTP.Session? = nil, from address: NetworkAddress?
    ) async throws -> CompletedVerification {
        let loginID = try VerificationPlanner.identifier(text)
        try VerificationPlanner.check(options, presented: presented)
        let account = try await core.stores.users.account(loginID)
        let attempt = try await core.guessing.admit(
            GuessingRules.Keys(secondFactorOf: account?.user.id, typed: loginID, address: address), from: address)
        if options.needsSession, presented?.account.user.id != account?.user.id {
            throw MethodProblem.invalidArguments.saying("The session belongs to another user")
        }
        let owner = account.map { AuthenticatorOwner.user($0.user.id) } ?? .signUp(loginID)
        let stored = try await core.stores.authenticators.authenticators(of: owner, at: core.ambient.now())
            .filter { $0.isAccepted(in: session) }
        for candidate in stored {
            guard let step = step(of: code, candidate) else { continue }
            guard
                let proof = try await accept(candidate, step: step, account, options, presented, from: address)
            else { break }
            try await core.guessing.succeeded(attempt)
            return proof
        }
        if stored.isEmpty { compareWithNothing(code) }
        core.failed(account, .totp, from: address)
        throw MethodProblem.wrongCode
    }

    /// Removes every authenticator of a user.
    ///
    /// - Returns: whether one of them was confirmed.
    public func remove(of user: UserID, by allowed: consuming Allowed<Acts.RemoveAuthenticator>)
        async throws(StoreError) -> Bool
    {
        guard try await core.stores.authenticators.removeAll(by: allowed, at: core.ambient.now()) else { return false }
        await core.notices.send(.authenticatorRemoved, to: user, from: nil, at: core.ambient.now())
        return true
    }

    private func accept(
        _ candidate: StoredTOTP, step: Int64, _ account: Account?, _ options: LoginOptions,
        _ presented: PresentedRefresh?, from address: NetworkAddress?
    ) async throws -> CompletedVerification? {
        let now = core.ambient.now()
        if let account {
            guard account.user.status == .active,
                try await core.stores.authenticators.accept(step: step, of: candidate.id, at: now)
            else { return nil }
            if !candidate.isConfirmed {
                core.audit.record(
                    AuditEvent(
                        .authenticatorAdded, at: now, userID: account.user.id, reason: AuthenticationMethod.totp.word)
                )
                await core.notices.send(
                    .authenticatorAdded, to: account, from: SessionOrigin(address: address?.text, device: nil), at: now)
            }
            var account = account
            account.hasAuthenticator = true
            return CompletedVerification(
                identity: ProvenIdentity(account: account, method: .totp, isFirst: false), options: options,
                presented: options.needsSession ? presented : nil,
                changedIn: candidate.isConfirmed ? nil : candidate.begunIn?.grantID)
        }
        guard let facts = candidate.facts, let permission = try await core.signUp.permit(.anonymous, proving: nil),
            try await core.stores.authenticators.accept(step: step, of: candidate.id, at: now)
        else { return nil }
        var fresh = NewAccount.make(facts, proved: nil, by: permission, ambient: core.ambient)
        do throws(StoreError) {
            try await core.stores.users.create(fresh, withAccepted: candidate.id, by: permission)
        } catch {
            guard [.conflict, .missing].contains(error.code) else { throw error }
            return nil
        }
        fresh.hasAuthenticator = true
        let asked = (try? LoginOptions(json: facts.options)) ?? .none
        return CompletedVerification(
            identity: ProvenIdentity(account: fresh, method: .totp, isFirst: true),
            options: options == .none ? asked : options, presented: nil)
    }

    /// - Throws: ``MethodProblem/invalidRequest`` if there is a confirmed one that this one must not replace.
    private func add(
        _ secret: TOTPSecret, _ loginID: Identifier, replaces: Bool, begunIn session: StoredTOTP.Session?,
        by allowed: consuming Allowed<Acts.AddAuthenticator>
    ) async throws -> TOTPAnswer {
        let (stored, answer) = try make(secret, loginID, facts: nil, begunIn: session)
        let now = core.ambient.now()
        let isAdded = try await core.stores.authenticators.add(
            stored, by: allowed, replaces: replaces, pendingMax: Limits.authenticatorsPendingMax,
            expiresAt: now + Limits.authenticatorSetupSeconds, at: now)
        guard isAdded else {
            throw MethodProblem.invalidRequest.saying(
                "The authenticator can be replaced in a session that it was used in")
        }
        return answer
    }

    private func make(
        _ secret: TOTPSecret, _ loginID: Identifier, facts: VerificationFacts?, begunIn session: StoredTOTP.Session?
    ) throws(MethodProblem) -> (StoredTOTP, TOTPAnswer) {
        let authenticator = TOTPCode(secret)
        let stored = seal.store(authenticator.secret, isConfirmed: false, facts: facts, begunIn: session)
        let uri = KeyURI.make(authenticator, issuer: project.name, account: loginID.value)
        guard let picture = QRCode(uri.exposed()) else { throw .invalidArguments }
        let answer = TOTPAnswer(
            provisioningURL: uri, image: Secret(Data(picture.png()).base64EncodedString()),
            key: authenticator.secret.base32)
        return (stored, answer)
    }

    /// The time step of a code; `nil`: the code is not right for this authenticator.
    package func step(of code: Secret, _ stored: StoredTOTP) -> Int64? {
        guard let secret = seal.open(stored) else { return nil }
        return TOTPCode(secret).verify(
            code, at: core.ambient.now(), lastUsedStep: stored.usedStep < 0 ? nil : stored.usedStep)
    }

    /// Whether the code belongs to the last used time step of a confirmed authenticator of the user.
    public func wasUsed(_ code: Secret, by user: UserID) async throws(StoreError) -> Bool {
        let now = core.ambient.now()
        let stored = try await core.stores.authenticators.authenticators(of: .user(user), at: now)
        return stored.contains { candidate in
            guard candidate.isConfirmed, candidate.usedStep >= 0, let secret = seal.open(candidate) else {
                return false
            }
            return TOTPCode(secret).verify(code, at: now, lastUsedStep: nil) == candidate.usedStep
        }
    }

    /// Does the same work for an unknown user, or one without authenticator.
    private func compareWithNothing(_ code: Secret) {
        _ = step(of: code, seal.store(.make(core.ambient), isConfirmed: true))
    }
}

extension TOTPAuthenticators: SecondFactorMethod {
    public static let name = "totp"
    public static let factor = AuthenticationMethod.totp
    public static let places: Set<SignInPlace> = [.first, .second]
    public static let isSetUpByUser = true

    public func isRequired(for user: UserID) async throws(StoreError) -> Bool { try await isConfirmed(for: user) }

    public func verifySecond(_ code: Secret, of account: Account, from address: NetworkAddress?) async throws
        -> CompletedVerification
    {
        try await verify(loginID: account.someLoginID, code: code, from: address)
    }
}
