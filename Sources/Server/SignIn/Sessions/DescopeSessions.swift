internal import Authority
public import KeyturnBase
public import KeyturnWire
public import Model
public import OAuth

/// Sessions of the methods' API: each is a grant of the project itself, without a code.
public struct DescopeSessions: Sendable {
    let project: Project
    let stores: Stores
    let tokens: DescopeTokens
    let apps: AppSessions
    let directory: AccessDirectory
    let connections: ConnectionDirectory
    let migration: SessionMigration
    let reports: RefreshReports
    let singleSignOn: SingleSignOn
    let risks: SignInRisks
    let secondFactor: SecondFactorGate
    let pendingSeal: PendingSignInSeal
    let audit: any AuditLog
    let ambient: Ambient

    public init(
        project: Project, stores: Stores, tokens: DescopeTokens, apps: AppSessions, directory: AccessDirectory,
        connections: ConnectionDirectory, migration: [MigrationSource] = [], reports: RefreshReports,
        singleSignOn: SingleSignOn,
        risks: SignInRisks, seal: TransactionSeal, audit: any AuditLog, ambient: Ambient
    ) {
        self.project = project
        self.stores = stores
        self.tokens = tokens
        self.apps = apps
        self.directory = directory
        self.connections = connections
        self.migration = SessionMigration(
            sources: migration, users: stores.users, recoveries: stores.recoveries, rateLimits: stores.rateLimits,
            audit: audit, ambient: ambient)
        self.reports = reports
        self.singleSignOn = singleSignOn
        self.risks = risks
        secondFactor = SecondFactorGate(project.authority, directory: directory)
        pendingSeal = PendingSignInSeal(seal)
        self.audit = audit
        self.ambient = ambient
    }

    /// Opens a session after a sign-in; with step-up or MFA it continues the presented one. Honours custom claims and
    /// `revokeOtherSessions`. One transaction.
    ///
    /// The continued session ends when the new one is first used, not before, because this answer may get lost. An
    /// app's session is not replaced: its own tokens carry the new facts from the next renewal on.
    ///
    /// - Parameters:
    ///   - changed: the session in which the account was changed: the new one takes its place; `nil`: none.
    ///   - earlier: what the user has shown before, in the sign-in that is completed; `nil`: nothing, or it is in a session.
    ///   - isMoved: whether the session is one of a service that the operator trusts, which asked for its factors: the
    ///     account's own is not asked for again, and changes to how the user signs in still want it.
    ///   - isElsewhere: whether the verification came without the session that it raises
    ///     (``CompletedVerification/isElsewhere``).
    ///   - isLetIn: whether a link on another device opens the session (``CompletedVerification/isLetIn``).
    ///   - device: what the request says that it comes from, such as `Safari on iPhone`; `nil`: nothing.
    /// - Throws: ``MethodProblem``, with what is missing where a second factor is; or ``StoreError``.
    public func open(
        _ proof: ProvenIdentity, options: LoginOptions, presented: PresentedRefresh?,
        replacing changed: PresentedRefresh? = nil, after earlier: AuthenticationFacts? = nil, isMoved: Bool = false,
        isElsewhere: Bool = false, isLetIn: Bool = false,
        from address: NetworkAddress?, device: String? = nil
    ) async throws -> SessionAnswer {
        let now = ambient.now()
        guard [.active, .invited].contains(proof.account.user.status) else { throw MethodProblem.userDisabled }
        let previous = try Self.continued(presented, by: proof.account, options) ?? changed?.grant
        try SessionClaims.requireSmall(options.customClaims)
        try await tokens.requireKey()
        var account = proof.account
        var claims = previous?.sessionClaims ?? .none
        claims.client.merge(options.customClaims) { _, new in new }
        try SessionClaims.requireSmall(claims.client)
        var facts = try SecondFactor.combine(
            proof.method, isOfTwoFactors: proof.isOfTwoFactors, tenant: proof.tenantID,
            with: earlier ?? previous?.authentication, mustCombine: options.mfa, at: now)
        // Also for what a second factor is asked of, or set up by.
        if isLetIn { facts = facts.letIn }
        // A user with an authenticator has two factors only if the authenticator was used.
        if account.hasAuthenticator, !facts.holdsStrongFactor {
            facts.methods.removeAll { $0 == AuthenticationMethod.severalFactors }
            facts.contextClass = previous?.authentication.contextClass ?? facts.contextClass
        }
        guard case .allowed = try await singleSignOn.judge(account.user.id, facts, from: address, notes: true) else {
            throw MethodProblem.singleSignOn
        }
        // What an app's session is given changes no more than its facts: it is no way in.
        if previous.map({ $0.clientID == project.id }) ?? true {
            try requireSecondFactor(account, facts, proof, options, continuing: previous?.id, isMoved: isMoved)
        }
        if isElsewhere, previous?.authentication.hasMore(than: proof.method) ?? true { facts = facts.onOtherDevice }
        // Only now: the second factor is as recent as the provider's word, not as its session. A step-up by a provider that
        // asked long ago makes the session no older than it is.
        if let time = proof.authenticatedAt {
            facts = facts.noLater(than: previous.map { max(time, min($0.authentication.time, facts.time)) } ?? time)
        }
        if account.user.status == .invited {
            account = try await stores.users.change(by: try invitation(of: account, proof), at: now) { account in
                if account.user.status == .invited { account.user.status = .active }
            }
        }
        let change = SessionChange(
            facts: facts, claims: claims, epoch: proof.account.user.epoch,
            endsOthers: options.revokeOtherSessions && !facts.isOfApproval && claims.actor == nil)
        let mark = DeviceMark.app(device ?? "")
        // A session that goes on was judged when it began.
        let risk =
            previous == nil
            ? try await risks.assess(account.user.id, on: mark, from: address, found: proof.signals) : nil
        let signedIn = AuditEvent(
            .signedIn, at: now, userID: account.user.id, clientID: previous?.clientID ?? project.id,
            address: address?.text, reason: proof.method.word,
            target: risk.flatMap { $0.signals.isEmpty ? nil : $0.signals.text })
        if let previous, previous.clientID != project.id {
            try await stepUp(previous, by: change, at: now)
            audit.record(signedIn)
            return SessionAnswer(
                sessionJWT: nil, refreshJWT: nil, firstSeen: proof.isFirst, user: told(account))
        }
        // The word of an organisation is no longer good because the user showed something else beside it.
        let vouched = proof.tenantID == nil && facts.tenantID != nil ? previous?.absoluteExpiresAt : nil
        let grant = makeGrant(
            for: account.user.id, facts, claims: claims, tenant: previous?.tenantID, superseding: previous?.id,
            absoluteSeconds: vouched?.seconds(since: now), at: now)
        guard
            try await stores.grants.open(grant, epoch: change.epoch, endingOthers: change.endsOthers, at: now)
        else { throw MethodProblem.overtaken }
        audit.record(signedIn)
        try await risks.opened(
            by: account.user.id, risk, facts, on: mark, from: SessionOrigin(address: address?.text, device: device),
            begun: now, startedAt: now)
        return try answer(grant, account, isFirst: proof.isFirst, isSteppedUp: options.stepup, at: now)
    }

    /// The answer to a user who changed the account in an app's session: it goes on as it was. With a session of the
    /// methods, the one that a verification opens takes its place, as Descope's clients expect.
    ///
    /// - Parameter shown: the session that the request presented.
    /// - Returns: `nil` if the change was begun in another session, or it is no app's.
    public func answer(keeping shown: PresentedRefresh?, after proof: CompletedVerification) -> SessionAnswer? {
        guard let shown, shown.grant.clientID != project.id, proof.changedIn == shown.grant.id,
            shown.grant.userID == proof.identity.account.user.id, !proof.options.needsSession
        else { return nil }
        return SessionAnswer(
            sessionJWT: nil, refreshJWT: nil, firstSeen: false, user: told(proof.identity.account))
    }

    /// The permission to complete an invited account. A password that an operator set is no proof of an address.
    ///
    /// - Throws: ``MethodProblem`` where not even invited users complete their accounts, or no address was proved.
    private func invitation(of account: Account, _ proof: ProvenIdentity) throws(MethodProblem) -> Allowed<
        Acts.ChangeAccount
    > {
        do throws(Denial) {
            let isProved =
                account.hasProvenAddress || [.mailbox, .telephone, .elsewhere].contains(proof.method.factor)
            let evidence = Evidence(addressIsProved: isProved, isInvited: true)
            try project.rulebook.require(.createAccount, to: .anonymous, on: .newUser, showing: evidence)
            return try project.rulebook.permitChange(
                [.acceptInvitation], to: .anonymous, on: account.subject, showing: evidence)
        } catch {
            throw MethodProblem(error)
        }
    }

    /// The session whose user changes the account in it: the one that takes its place is worth as much, and lasts no longer
    /// than an organisation's word. Only if the client shows the session with the answer: others may have the code or
    /// the link.
    public func changed(_ shown: PresentedRefresh?, by proof: CompletedVerification) -> PresentedRefresh? {
        guard let shown, shown.grant.clientID == project.id, proof.changedIn == shown.grant.id,
            shown.grant.userID == proof.identity.account.user.id, proof.presented == nil
        else { return nil }
        return shown
    }

    /// Whether a session that a verification continues may get its facts: an app's only if it is shown with the answer.
    public func mayRaise(_ presented: PresentedRefresh?, shown: PresentedRefresh?) -> Bool {
        guard let presented, presented.grant.clientID != project.id else { return true }
        return presented.grant.id == shown?.grant.id
    }

    /// What a step-up writes into a session.
    private struct SessionChange {
        let facts: AuthenticationFacts
        let claims: SessionClaims
        let epoch: Int64
        let endsOthers: Bool
    }

    private func stepUp(_ grant: Grant, by change: SessionChange, at now: UnixTime) async throws {
        guard
            try await stores.grants.stepUp(
                grant.id, of: grant.userID, to: change.facts, claims: change.claims, epoch: change.epoch,
                endingOthers: change.endsOthers, at: now)
        else { throw MethodProblem.overtaken }
    }

    /// The session of a refresh JWT, or of an app's refresh token. One statement.
    ///
    /// - Parameters:
    ///   - presentation: the request's DPoP proof, and what it must name; `nil`: only a refresh JWT counts.
    ///   - mayBeUnbound: whether an app's refresh token that is bound to no key counts as well.
    /// - Throws: ``MethodProblem/tokenRevoked`` if it is foreign, expired, used, or of no user; as ``AppSessions``;
    ///   ``StoreError``.
    public func presented(
        _ token: Secret, _ presentation: DPoPPresentation? = nil, mayBeUnbound: Bool = false
    ) async throws -> PresentedRefresh {
        let now = ambient.now()
        guard let refresh = tokens.refreshToken(in: token, at: now) else {
            guard let presentation else { throw MethodProblem.tokenRevoked }
            return try await apps.presented(token, presentation, mayBeUnbound: mayBeUnbound)
        }
        guard let found = try await stores.grants.presented(refresh.grantID, at: now),
            found.grant.clientID == project.id
        else { throw MethodProblem.tokenRevoked }
        try await requireActing(in: found.grant, as: found.account, at: now)
        return try PresentedRefresh(found, counter: refresh.counter, at: now)
    }

    /// Renews a session: one guarded statement, and the user's row.
    ///
    /// - Throws: ``MethodProblem/tokenRevoked`` if the session is over, or the token was used; ``StoreError``.
    ///
    /// - Parameter kind: the kind of client that asks; `nil` if unknown.
    public func refresh(
        _ presented: Secret, from address: NetworkAddress?, kind: String? = nil
    ) async throws -> SessionAnswer {
        let now = ambient.now()
        guard let token = tokens.refreshToken(in: presented, at: now) else { throw MethodProblem.tokenRevoked }
        try await tokens.requireKey()
        let renewal = try await stores.grants.renew(
            token.grantID, counter: token.counter, clientID: project.id, keyThumbprint: nil, rotates: true,
            by: RefreshParty(network: address?.network, client: kind), shadowed: project.shadowedSessions,
            idleSeconds: project.idleSeconds, at: now)
        await reports.report(renewal, from: address, at: now)
        let grant = try Self.renewed(renewal)
        guard let account = try await stores.users.account(grant.userID), account.user.status == .active else {
            throw MethodProblem.tokenRevoked
        }
        try await requireActing(in: grant, as: account, at: now)
        return try answer(grant, account, isFirst: false, isSteppedUp: false, at: now)
    }

    /// Selects another of the user's tenants for the session. It stays selected over refreshes.
    ///
    /// - Throws: ``MethodProblem/invalidRequest`` if the user is not in the tenant, or an app's session is presented;
    ///   ``MethodProblem/tokenRevoked``.
    public func select(tenant: String, _ presented: PresentedRefresh) async throws -> SessionAnswer {
        let now = ambient.now()
        guard !presented.isLate else { throw MethodProblem.tokenRevoked }
        guard presented.grant.clientID == project.id else {
            throw MethodProblem.invalidRequest.saying("A tenant is selected in a session of the project, not of an app")
        }
        guard presented.account.memberships.tenants[tenant] != nil, directory.tenant(tenant) != nil else {
            throw MethodProblem.invalidRequest.saying("The user is not in this tenant")
        }
        try await tokens.requireKey()
        guard try await stores.grants.select(tenant: tenant, of: presented.grant.id, at: now) else {
            throw MethodProblem.tokenRevoked
        }
        var grant = presented.grant
        grant.tenantID = tenant
        return try answer(grant, presented.account, isFirst: false, isSteppedUp: false, at: now)
    }
}

extension MethodProblem {
    /// Between the sign-in and the session, the user was signed out everywhere, or a credential was changed.
    static let overtaken = MethodProblem.invalidRequest.saying("The account was changed meanwhile; sign in again")
}
