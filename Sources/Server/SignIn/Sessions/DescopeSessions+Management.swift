public import Authority
public import KeyturnBase
public import KeyturnWire
public import Model
internal import OAuth

/// Sessions that the operator opens for its users, without a sign-in.
extension DescopeSessions {
    /// The operator's options for a session that it opens.
    public struct ManagedOptions: Sendable {
        public var login: LoginOptions
        /// Claims at the top of the session token.
        public var claims: [String: JSONValue]
        /// How long the session lives at most, in seconds; `nil`: as long as others.
        public var seconds: Int64?
        public var tenant: String?

        /// Reads a call: `customClaims`, `refreshDuration`, `selectedTenant` and the login options, unwrapped.
        public init(_ body: MethodBody) throws(MethodProblem) {
            login = try LoginOptions(body)
            claims = login.customClaims
            login.customClaims = [:]
            let seconds = try body.integer("refreshDuration") ?? 0
            guard seconds >= 0 else { throw .invalidArguments.saying("refreshDuration is a number of seconds") }
            self.seconds = seconds == 0 ? nil : seconds
            tenant = try body.text("selectedTenant")
        }
    }

    /// Opens a session for a user.
    ///
    /// - Parameter previous: the session that step-up and MFA continue.
    /// - Throws: the rulebook's `Denial`; ``MethodProblem``, or ``StoreError``.
    public func open(
        for account: Account, _ options: ManagedOptions, presented previous: PresentedRefresh?, isFirst: Bool = false,
        isSteppedUp: Bool = false, by actor: Actor
    ) async throws -> SessionAnswer {
        try project.rulebook.require(.openSessions, to: actor.caller, on: account.subject)
        return try await open(
            for: account, options, continuing: previous, isFirst: isFirst, acting: nil, isSteppedUp: isSteppedUp,
            actor: actor.name)
    }

    private func open(
        for account: Account, _ options: ManagedOptions, continuing previous: PresentedRefresh?, isFirst: Bool,
        acting: SessionClaims.Acting?, isSteppedUp: Bool, actor: String
    ) async throws -> SessionAnswer {
        let now = ambient.now()
        guard account.user.status == .active else { throw MethodProblem.userDisabled }
        if let previous, previous.account.user.id != account.user.id {
            throw MethodProblem.invalidRequest.saying("The session presented is another user's")
        }
        guard previous != nil || !options.login.needsSession else { throw MethodProblem.missing("jwt") }
        if let tenant = options.tenant, account.memberships.tenants[tenant] == nil {
            throw MethodProblem.invalidRequest.saying("The user is not in this tenant")
        }
        let claims = SessionClaims(management: try Self.checked(options.claims), acting: acting)
        let secondsMax = acting?.isOperator == true ? Limits.impersonationSeconds : project.absoluteSeconds
        try await tokens.requireKey()
        let facts =
            previous?.grant.authentication
            ?? AuthenticationFacts(time: now, methods: [], contextClass: AuthenticationFacts.singleFactorClass)
        let grant = makeGrant(
            for: account.user.id, facts, claims: claims, tenant: options.tenant, superseding: previous?.grant.id,
            absoluteSeconds: min(options.seconds ?? secondsMax, secondsMax, project.absoluteSeconds), at: now)
        guard
            try await stores.grants.open(
                grant, epoch: account.user.epoch, endingOthers: options.login.revokeOtherSessions, at: now)
        else { throw MethodProblem.overtaken }
        audit.record(
            AuditEvent(
                acting == nil ? .sessionOpened : .sessionImpersonated, at: now,
                userID: account.user.id, clientID: project.id, reason: acting?.user, actor: actor))
        return try answer(grant, account, isFirst: isFirst, isSteppedUp: isSteppedUp || options.login.stepup, at: now)
    }

    /// Opens a session in which one user acts as another one. Its tokens say so in `act`. It ends with what allows it: the
    /// impersonator's own sessions, permission and role.
    ///
    /// - Throws: the rulebook's `Denial`; ``MethodProblem/invalidRequest`` unless the impersonator has the permission
    ///   ``impersonation``, or if the other user's consent is required: users cannot give it yet.
    public func impersonate(
        _ account: Account, by impersonator: Account, in session: SessionID? = nil, needsConsent: Bool,
        _ options: ManagedOptions, isSteppedUp: Bool, actor: Actor
    ) async throws -> SessionAnswer {
        try project.rulebook.require(.impersonate, to: actor.caller, on: account.subject)
        guard mayImpersonate(impersonator) else {
            throw MethodProblem.invalidRequest.saying(
                "The impersonator needs the permission \(Self.impersonation), in no tenant")
        }
        guard !needsConsent else {
            throw MethodProblem.invalidRequest.saying("The user has not consented to be impersonated")
        }
        // A group may have given the role since: who set up the way in would act as an owner.
        guard impersonator.user.mayActAsOthers else {
            throw MethodProblem.invalidRequest.saying(
                "An operator has set up a way to sign in as the impersonator: an owner gives the user a role in the console, "
                    + "which removes them all, and the user sets up new ones")
        }
        return try await open(
            for: account, options, continuing: nil, isFirst: false,
            acting: SessionClaims.Acting(
                user: impersonator.user.id.rawValue, epoch: impersonator.user.epoch,
                isOperator: actor.caller.kind == .operator, session: session),
            isSteppedUp: isSteppedUp, actor: actor.name)
    }

    private func mayImpersonate(_ impersonator: Account) -> Bool {
        impersonator.user.status == .active
            && directory.entitlements(of: impersonator.memberships).everywhere.permissions.contains(Self.impersonation)
    }

    /// Asks again what ``impersonate(_:by:needsConsent:_:isSteppedUp:actor:)`` asked. A session of which it is no longer
    /// true ends.
    ///
    /// - Throws: ``MethodProblem/tokenRevoked``; ``StoreError``.
    func requireActing(in grant: Grant, as account: Account, at now: UnixTime) async throws {
        guard let acting = grant.sessionClaims.acting else { return }
        let actor = try await stores.users.account(UserID(rawValue: acting.user))
        if let actor, mayGoOn(acting, actor, as: account) {
            let isHere = acting.isOperator ? try await isSignedIn(actor, in: acting.session, at: now) : true
            if isHere { return }
        }
        _ = try await stores.grants.end(grant.id, clientID: project.id, reason: .administrator, at: now)
        throw MethodProblem.tokenRevoked
    }

    /// Whether the browser session goes on; `nil`: any of the user's.
    private func isSignedIn(_ account: Account, in session: SessionID?, at now: UnixTime) async throws(StoreError)
        -> Bool
    {
        let open = try await stores.sessions.sessions(of: account.user.id, limit: Limits.sessionsListedMax, at: now)
        return session.map { id in open.contains { $0.session.id == id } } ?? !open.isEmpty
    }

    private func mayGoOn(_ acting: SessionClaims.Acting, _ actor: Account, as account: Account) -> Bool {
        guard mayImpersonate(actor), acting.epoch.map({ $0 == actor.user.epoch }) ?? true else { return false }
        guard acting.isOperator else { return true }
        guard let role = actor.consoleRole else { return false }
        let standing = OperatorStanding(
            user: acting.user, role: role, isRecent: true, actingRoles: ActingPermissions.roles(directory))
        return project.rulebook.allows(.impersonate, to: .operator(standing), on: account.subject)
    }

    /// The permission to act as other users.
    public static let impersonation = ActingPermissions.ofSessions

    /// Ends a session in which one user acts as another one, and opens a session for the first user.
    public func stopImpersonation(_ jwt: Secret, _ options: ManagedOptions, by actor: Actor) async throws
        -> SessionAnswer
    {
        let now = ambient.now()
        guard let (id, _) = grant(of: jwt, at: now), let found = try await stores.grants.presented(id, at: now),
            found.grant.clientID == project.id, let subject = found.grant.sessionClaims.actor
        else { throw MethodProblem.invalidRequest.saying("This is no live session in which somebody acts as another") }
        guard let account = try await stores.users.account(UserID(rawValue: subject)) else {
            throw MethodProblem.managementUserNotFound
        }
        let answer = try await open(for: account, options, presented: nil, by: actor)
        _ = try await stores.grants.end(id, clientID: project.id, reason: .logout, at: now)
        return answer
    }

    /// The same token with more claims at the top. A session token is signed anew; with a refresh token, all later
    /// session tokens get the claims too.
    ///
    /// - Throws: ``MethodProblem/invalidRequest`` if the session is over, or the token was not issued here.
    public func update(_ jwt: Secret, _ options: ManagedOptions, by actor: Actor) async throws -> Secret {
        let now = ambient.now()
        let claims = try Self.checked(options.claims)
        guard let (id, session) = grant(of: jwt, at: now), let found = try await stores.grants.presented(id, at: now),
            found.grant.clientID == project.id
        else { throw MethodProblem.invalidRequest.saying("The session is over, or the token is not of this project") }
        try project.rulebook.require(.openSessions, to: actor.caller, on: found.account.subject)
        try await tokens.requireKey()
        audit.record(
            AuditEvent(
                .init(rawValue: "session.updated"), at: now, userID: found.grant.userID, clientID: project.id,
                actor: actor.name))
        if let session { return try tokens.adding(claims, to: session, at: now) }
        var grant = found.grant
        grant.sessionClaims.management.merge(claims) { _, new in new }
        _ = try Self.checked(grant.sessionClaims.management)
        guard try await stores.grants.set(grant.sessionClaims, of: id, at: now) else {
            throw MethodProblem.invalidRequest.saying("The session is over")
        }
        return try tokens.refresh(grant, at: now)
    }

    /// The grant of a genuine token of either kind, and the claims if it is a session token.
    private func grant(of jwt: Secret, at now: UnixTime) -> (GrantID, session: JSONValue?)? {
        if let token = tokens.refreshToken(in: jwt, at: now) { return (token.grantID, nil) }
        guard let claims = tokens.read(jwt, as: .session, at: now),
            let id = claims["gid"]?.stringValue.flatMap(GrantID.init(text:))
        else { return nil }
        return (id, claims)
    }

    /// The claims without the reserved names, and within the size limit.
    private static func checked(_ claims: [String: JSONValue]) throws(MethodProblem) -> [String: JSONValue] {
        let own = claims.filter { !SessionClaims.reserved.contains($0.key) }
        try SessionClaims.requireSmall(own)
        return own
    }
}
