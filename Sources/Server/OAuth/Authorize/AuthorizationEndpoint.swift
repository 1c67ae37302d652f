public import KeyturnBase
public import KeyturnWire
public import Model

/// The authorization endpoint's rules: from a request to a code, through as many pages as needed.
///
/// A state machine whose state is the sealed ``AuthorizationTransaction``: no page leads to the next one; each returns
/// here, and ``next(_:session:)`` decides.
public struct AuthorizationEndpoint: Sendable {
    let project: Project
    let clients: ClientDirectory
    let hints: IDTokenHintReader
    let ambient: Ambient
    let objects: RequestObjects
    let stores: Stores
    let singleSignOn: SingleSignOn
    let reuse: SessionReuse
    let promotions: AnonymousPromotions
    /// The realm whose address requests come to; `nil`: none.
    private(set) var realm: String?
    /// The user of the app's session in which the browser comes; `nil`: it comes in its own.
    private(set) var appUser: UserID?
    let audit: any AuditLog

    public init(
        project: Project, clients: ClientDirectory, hints: IDTokenHintReader, stores: Stores,
        singleSignOn: SingleSignOn, reuse: SessionReuse, promotions: AnonymousPromotions, audit: any AuditLog,
        ambient: Ambient
    ) {
        self.project = project
        self.clients = clients
        self.hints = hints
        objects = RequestObjects(project: project, clients: clients, ambient: ambient)
        self.stores = stores
        self.singleSignOn = singleSignOn
        self.reuse = reuse
        self.promotions = promotions
        self.audit = audit
        self.ambient = ambient
    }

    /// The same endpoint for a browser that comes in the session of an app, whose user needs no ID token.
    public func inAppSession(of user: UserID) -> AuthorizationEndpoint {
        var endpoint = self
        endpoint.appUser = user
        return endpoint
    }

    /// The same endpoint at the address of a realm: its answers name the realm as their issuer.
    public func below(realm: String) -> AuthorizationEndpoint {
        var endpoint = self
        endpoint.realm = realm
        return endpoint
    }

    /// The next step.
    public enum Step: Sendable {
        /// The user must sign in; `reauthenticating`: the signed-in user, whose sign-in is too old.
        case signIn(client: Client, reauthenticating: User?)
        /// The user must be asked to allow the client this.
        case consent(client: Client, asked: Consent, user: User)
        /// The user must be asked to continue: nothing shows which program would get the answer.
        case confirmation(client: Client, user: User)
        /// An anonymous user gets an account, and the user signed in to one that exists.
        case promotion(PromotionQuestion)
        /// The user may do the action that the app asked for.
        case settings(SettingsAction)
        /// The flow of an app is complete: its page fetches the session.
        case flow
        /// The transaction is over.
        case answer(AuthorizationAnswer)
        /// It took too long, or the client is gone.
        case expired
    }

    /// Decides from the transaction and the browser's live session. Reads the user's consent, if that matters.
    public func next(_ transaction: AuthorizationTransaction, session: (BrowserSession, User)?)
        async throws(StoreError) -> Step
    {
        guard let client = client(of: transaction), !transaction.isExpired(at: ambient.now()),
            isRegistered(transaction, by: client)
        else { return .expired }
        let signedIn = session?.1.id
        let isOfOrganisation = try await isOfAskedOrganisation(transaction, session?.0)
        guard let (session, user) = session, !transaction.needsSignIn(session), isOfOrganisation,
            try await missing(transaction, session) == nil, try await completesJourney(transaction, session)
        else {
            guard !transaction.asks(.none) else {
                return try await refuse(transaction, client, signedIn, .loginRequired, "nobody is signed in here")
            }
            guard try await canBeRequired(transaction) else {
                return try await refuse(
                    transaction, client, signedIn, .unmetAuthenticationRequirements,
                    "this person has nothing to prove again who they are with")
            }
            let sameUser = session.flatMap { _, user in
                transaction.requiredSubject.map { $0 == user.id.rawValue } ?? true ? user : nil
            }
            let isAnother = transaction.asks(.selectAccount) || !isOfOrganisation
            return .signIn(client: client, reauthenticating: isAnother ? nil : sameUser)
        }
        guard transaction.accepts(session.authentication) else {
            return try await refuse(
                transaction, client, signedIn, .unmetAuthenticationRequirements,
                "the person has signed in, but not in a way that the request insists on")
        }
        if let action = transaction.settingsAction { return .settings(action) }
        switch try await promotionState(transaction, user: user, session) {
        case .settled: break
        case .open(let question): return .promotion(question)
        case .refused(let problem):
            return try await refuse(transaction, client, signedIn, problem.code, problem.description ?? "")
        }
        if transaction.flow != nil { return .flow }
        if try await needsConsent(transaction, client: client, user: user) {
            guard !transaction.asks(.none) else {
                return try await refuse(
                    transaction, client, signedIn, .consentRequired, "the person has not agreed yet")
            }
            guard try await mayConsent(session) else {
                guard transaction.authenticatedSession == session.id.rawValue else {
                    return .signIn(client: client, reauthenticating: user)
                }
                return try await refuse(
                    transaction, client, signedIn, .accessDenied, "only a sign-in of the user's own may allow this")
            }
            return .consent(client: client, asked: asked(transaction, by: client), user: user)
        }
        guard transaction.isUnattended(session, client) else {
            return .answer(try await finish(transaction, session: session))
        }
        guard !transaction.asks(.none) else {
            return try await refuse(
                transaction, client, signedIn, .interactionRequired,
                "the person must continue on a page: any program can receive what is sent to this redirect_uri")
        }
        return .confirmation(client: client, user: user)
    }

    /// Whether the session is of the organisation whose connection the app asks for. A user who signed in after the request,
    /// perhaps because the connection failed, has chosen.
    private func isOfAskedOrganisation(_ transaction: AuthorizationTransaction, _ session: BrowserSession?)
        async throws(StoreError) -> Bool
    {
        guard let session, let asked = transaction.askedConnection,
            transaction.authenticatedSession != session.id.rawValue
        else { return true }
        return try await singleSignOn.answers(session.userID, session.authentication, connection: asked)
    }

    /// What the user's account wants now and the session lacks; `nil`: nothing.
    ///
    /// Pages of this server ask the rulebook at each act instead.
    private func missing(_ transaction: AuthorizationTransaction, _ session: BrowserSession)
        async throws(StoreError) -> SessionReuse.Lack?
    {
        let lack = try await reuse.missing(session.userID, session.authentication)
        let isOfPage = transaction.ownPath != nil && transaction.flow == nil || transaction.settingsAction != nil
        return lack == .factor && isOfPage ? nil : lack
    }

    /// Whether a session lacks a factor that the account has, or needs, by now.
    public func lacksFactor(_ transaction: AuthorizationTransaction, _ session: BrowserSession)
        async throws(StoreError) -> Bool
    {
        try await missing(transaction, session) == .factor
    }

    /// Whether a session lacks only a second factor, and its first one is good enough to set one up.
    public func lacksFactorOnly(_ transaction: AuthorizationTransaction, _ session: BrowserSession)
        async throws(StoreError) -> Bool
    {
        guard session.authentication.mayChangeSignIn(at: ambient.now()) else { return false }
        guard transaction.needsSeveralFactors else {
            guard !transaction.needsSignIn(session) else { return false }
            return try await lacksFactor(transaction, session)
        }
        var transaction = transaction
        transaction.wantsSeveralFactors = nil
        return !transaction.needsSignIn(session)
    }

    /// The user consented: remembers it and ends the transaction with a code.
    public func allow(_ transaction: AuthorizationTransaction, session: BrowserSession)
        async throws(StoreError) -> AuthorizationAnswer
    {
        let now = ambient.now()
        if let client = clients.client(transaction.clientID) {
            try await stores.consents.remember(
                asked(transaction, by: client), redirectURI: client.registeredURI(of: transaction.redirectURI),
                of: session.userID, to: client.id, at: now)
        }
        audit.record(
            AuditEvent(
                .consentGiven, at: now, userID: session.userID, clientID: transaction.clientID, sessionID: session.id))
        return try await finish(transaction, session: session)
    }

    /// The user of a session continued to a client that nothing else shows.
    public func confirm(_ transaction: AuthorizationTransaction, session: BrowserSession)
        async throws(StoreError) -> AuthorizationAnswer
    {
        try await finish(transaction, session: session)
    }

    /// The transaction of a user who wants to continue as another one.
    public func choosingAnother(_ transaction: AuthorizationTransaction) -> AuthorizationTransaction {
        var transaction = transaction
        transaction.authenticatedSession = nil
        if !transaction.asks(.selectAccount) { transaction.prompts.append(Prompt.selectAccount.rawValue) }
        return transaction
    }

    /// The user denied consent, or cancelled.
    public func deny(_ transaction: AuthorizationTransaction, session: BrowserSession?)
        async throws(StoreError) -> AuthorizationAnswer
    {
        guard transaction.ownPath == nil else { return leave(transaction) }
        try await useUp(transaction)
        audit.recordOnce(
            AuditEvent(
                .consentRefused, at: ambient.now(), userID: session?.userID, clientID: transaction.clientID,
                sessionID: session?.id))
        return transaction.answer(
            .refused(OAuthProblem(.accessDenied, "the person refused")), issuer: project.issuer)
    }

    /// Whether the user that an ID token names can sign in again at all: if not, a page would be a dead end.
    private func canBeRequired(_ transaction: AuthorizationTransaction) async throws(StoreError) -> Bool {
        guard transaction.isHinted == true, let subject = transaction.requiredSubject else { return true }
        return try await stores.users.account(UserID(rawValue: subject))?.canReauthenticate ?? false
    }

    private func refuse(
        _ transaction: AuthorizationTransaction, _ client: Client, _ user: UserID?, _ code: OAuthProblem.Code,
        _ text: String
    ) async throws(StoreError) -> Step {
        try await useUp(transaction)
        var answer = transaction.answer(.refused(OAuthProblem(code, text)), issuer: project.issuer)
        answer.heldClientID = client.isUnverified ? client.id : nil
        return .answer(try await released(answer, for: user))
    }

    /// A transaction that ends without a code for tokens.
    ///
    /// - Returns: `false` if its request was used up before.
    @discardableResult
    func useUp(_ transaction: AuthorizationTransaction) async throws(StoreError) -> Bool {
        guard let ticket = transaction.ticket else { return true }
        return try await stores.pushedRequests.use(ticket, of: transaction.clientID)
    }

    /// The session that is reauthenticated, for a client whose session is updated and that asks for none of its own.
    private func reauthenticated(_ transaction: AuthorizationTransaction) -> SessionID? {
        guard client(of: transaction)?.reauthenticatesSessions == true,
            !transaction.requestedScope.contains(Scope.offlineAccess), transaction.hintedTime != nil
        else { return nil }
        return transaction.hintedSession.map(SessionID.init(rawValue:))
    }

    /// Writes the grant with its code, and uses up the request: one transaction.
    private func finish(_ transaction: AuthorizationTransaction, session: BrowserSession)
        async throws(StoreError) -> AuthorizationAnswer
    {
        guard transaction.ownPath == nil else { return arrive(transaction) }
        let now = ambient.now()
        let code = Secret(ambient.randomToken(byteCount: 32))
        let codeExpiresAt = now + Limits.codeSeconds
        let reauthenticated = reauthenticated(transaction)
        // A sign-in without a session of its own lasts as long as its access token.
        let lifetime =
            reauthenticated == nil ? project.absoluteSeconds : Limits.codeSeconds + project.accessTokenSeconds
        let grant = Grant(
            id: .make(ambient), clientID: transaction.clientID, userID: session.userID, sessionID: session.id,
            scope: transaction.requestedScope, resources: transaction.resources,
            authentication: completed(transaction, session.authentication),
            nonce: transaction.nonce, claimsRequest: transaction.claims,
            authorizationDetails: transaction.requestedDetails,
            tenantID: transaction.journeyTenant,
            createdAt: now, idleExpiresAt: codeExpiresAt, absoluteExpiresAt: now + lifetime)
        let addition = try await stores.grants.add(
            grant,
            code: CodeConditions(
                digest: SecretDigest(of: code),
                redirectURI: transaction.redirectURIWasSent ? transaction.redirectURI : nil,
                codeChallenge: transaction.codeChallenge, keyThumbprint: transaction.keyThumbprint,
                reauthenticates: reauthenticated, reauthenticatesSince: transaction.hintedTime,
                promotion: transaction.promotion?.promotion(for: session.userID, startedAt: transaction.startedAt),
                expiresAt: codeExpiresAt),
            ticket: transaction.ticket)
        let problem =
            switch addition {
            case .added: nil as OAuthProblem?
            case .sessionEnded: OAuthProblem(.loginRequired, "The session has ended")
            case .ticketUsed: OAuthProblem(.invalidRequestURI, "the request was answered before")
            }
        return transaction.answer(problem.map { .refused($0) } ?? .code(code.exposed()), issuer: project.issuer)
    }
}
