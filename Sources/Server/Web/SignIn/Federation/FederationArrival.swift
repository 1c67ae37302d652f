internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth
internal import SignIn

/// One user who came back from a provider.
struct FederationArrival: Sendable {
    let handle: String
    let state: FederationState
    let browser: String
    let request: Request
    let context: WebContext
    let routes: FederationRoutes

    var services: IdentityServices { routes.services }
    private var signIn: SignInRoutes { routes.signIn }

    /// Judges the answer, and goes on with what the user wanted.
    func receive(_ answer: [(name: String, value: String)]) async throws -> Response {
        if case .trial(let trial) = state.purpose { return try await tried(answer, trial) }
        guard let connection = routes.gate.connection(state.connectionID),
            let speaker = routes.gate.protocols.of(connection)
        else {
            _ = try await routes.states.take(handle)
            return try await failed(.refusal(.connectionOff), nil)
        }
        let profile: FederatedProfile
        do throws(ConnectionProblem) {
            profile = try await speaker.finish(answer, state, at: connection)
        } catch {
            guard error.code != ConnectionProblem.busy else { throw ProviderIsBusy() }
            // The user may reload the page when the provider answers again.
            if error.kind != .unavailable { _ = try await routes.states.take(handle) }
            audit(connection, error.code)
            let isStale = error.code == FederationRefusal.stale.rawValue
            return try await failed(isStale ? .refusal(.stale) : .connection(error.kind), connection)
        }
        guard try await routes.states.take(handle) != nil else { return try await failed(.refusal(.state), connection) }
        if let mark = profile.replay, try await !services.stores.spent.spend(mark) {
            audit(connection, "replay")
            return try await failed(.connection(.refused), connection)
        }
        if isStale(profile) {
            if let again = try await askedAgain(profile, connection) { return again }
            audit(connection, FederationRefusal.stale.rawValue)
            return try await failed(.refusal(.stale), connection)
        }
        switch state.purpose {
        case .signIn(let sealed): return try await signIn(profile, connection, sealed)
        case .step(let sealed): return try await linkInStep(profile, connection, sealed)
        case .link(let session, let awaited): return try await link(profile, connection, session, awaited)
        case .method(let asked): return try await handBack(asked, with: profile, connection)
        case .pending, .posted, .unsolicited, .signedOut, .trial, .tried: throw PageProblem.expired
        }
    }

    private func audit(_ connection: Connection, _ reason: String) {
        services.auditLog.recordOnce(
            AuditEvent(
                .identityRefused, at: services.ambient.now(),
                address: signIn.addresses.address(of: request, context)?.text, reason: reason, target: connection.id))
    }

    /// Whether the user authenticated at the provider longer ago than the app allows, or should have been asked again and
    /// was not.
    private func isStale(_ profile: FederatedProfile) -> Bool {
        guard state.isForced || state.maxAge != nil else { return false }
        // An app that wants to know how old the sign-in is would be told a time that is not known, or cannot be.
        guard let time = possibleTime(profile) else {
            guard case .signIn(let sealed) = state.purpose else { return false }
            return signIn.checks.transaction(in: FormParameters(["transaction": sealed]))?.maxAge != nil
        }
        return time + (state.isForced ? 0 : state.maxAge ?? 0) + Limits.federationSkewSeconds < state.startedAt
    }

    /// When the user authenticated at the provider; `nil`: it does not say, or says a time that has not come.
    private func possibleTime(_ profile: FederatedProfile) -> UnixTime? {
        profile.authenticatedAt.flatMap { $0 <= services.ambient.now() + Limits.federationSkewSeconds ? $0 : nil }
    }

    /// Back to the provider, which is told to ask the user now: it has no way to say `max_age`, or did not heed it. Once.
    ///
    /// - Returns: `nil` if it was told already, or does not say when the user authenticated.
    private func askedAgain(_ profile: FederatedProfile, _ connection: Connection) async throws -> Response? {
        guard case .signIn(let sealed) = state.purpose, !state.isForced, possibleTime(profile) != nil,
            let transaction = signIn.checks.transaction(in: FormParameters(["transaction": sealed]))
        else { return nil }
        do {
            return try await routes.gate.depart(
                to: connection, state.purpose, in: browser, loginHint: transaction.loginHint, isForced: true,
                maxAge: state.maxAge, request, context, look: signIn.authorize.look(transaction, request))
        } catch is ConnectionProblem {
            return nil
        }
    }

    /// Back to the page where the user left, which says what went wrong.
    private func failed(_ problem: FederationProblem, _ connection: Connection?) async throws -> Response {
        switch state.purpose {
        case .signIn(let sealed):
            guard signIn.checks.transaction(in: FormParameters(["transaction": sealed])) != nil else {
                throw PageProblem.expired
            }
            return .seeOther(
                "\(Routes.login)?transaction=\(sealed)&problem=\(problem.word)&connection=\(state.connectionID)")
        case .step(let sealed): return .seeOther(signIn.stepURI(sealed, problem, state.connectionID))
        case .link(_, let awaited):
            return .seeOther(
                "\(Routes.settingsConnections)?problem=\(problem.word)&connection=\(state.connectionID)"
                    + (awaited.map { "&transaction=\($0)" } ?? ""))
        case .method(let asked): return try handBack(asked, with: problem)
        case .pending, .posted, .unsolicited, .signedOut, .trial, .tried: throw PageProblem.expired
        }
    }

    private func signIn(_ profile: FederatedProfile, _ connection: Connection, _ sealed: String) async throws
        -> Response
    {
        guard var transaction = signIn.checks.transaction(in: FormParameters(["transaction": sealed])),
            !transaction.isExpired(at: services.ambient.now())
        else { throw PageProblem.expired }
        let address = signIn.addresses.address(of: request, context)
        let admitting = connection.admitting(newUsers: services.authorization.allowsSignUp(transaction))
        switch try await services.federation.admit(profile, at: admitting, from: address) {
        case .refused(let refusal): return try await failed(.refusal(refusal), connection)
        case .ask:
            transaction.pendingIdentity = try await services.federation.keepPending(
                profile, at: connection, browser: Cookies.digest(of: browser))
            transaction.pendingConnection = connection.id
            return .seeOther(signIn.authorize.location(Routes.login, of: transaction))
        case .user(let account, let isNew):
            if isNew { transaction.madeUser = account.user.id.rawValue }
            if let required = transaction.requiredSubject, required != account.user.id.rawValue {
                return try await failed(.otherUser, connection)
            }
            try await services.providerTokens.keep(profile, at: connection)
            return try await signIn.proved(
                account, by: profile, at: connection,
                FederatedEntry(authorization: transaction, landing: nil, browser: browser), request, context)
        }
    }

    /// Links the identity to the user whom this sign-in, in this browser, has verified.
    private func linkInStep(_ profile: FederatedProfile, _ connection: Connection, _ sealed: String) async throws
        -> Response
    {
        guard let waiting = signIn.waitingSignIn(sealed, request, context),
            let proven = waiting.progress.proven, let account = try await signIn.provenAccount(waiting)
        else { throw PageProblem.expired }
        let mark = Cookies.digest(of: browser)
        let handle = try await services.federation.keepPending(profile, at: connection, browser: mark)
        let isLinked = try await services.federation.finishPending(
            handle, to: account.user.id, by: proven.facts, in: mark,
            connection: { services.connections.connection($0) },
            from: signIn.addresses.address(of: request, context))
        guard isLinked else { return try await failed(.refusal(.taken), connection) }
        try await services.providerTokens.keep(profile, at: connection)
        return try await signIn.report(.linked, waiting, account.user)
    }

    private func link(
        _ profile: FederatedProfile, _ connection: Connection, _ session: String, _ awaited: String?
    ) async throws -> Response {
        guard let signedIn = try await signIn.checks.owner(request, context),
            signedIn.owner.session.id.rawValue == session,
            let owner = signIn.checks.recent(signedIn)?.owner, owner.mayChangeFactors
        else { return try await failed(.refusal(.state), connection) }
        switch try await services.federation.link(profile, at: connection, to: owner) {
        case .linked, .present:
            try await services.providerTokens.keep(profile, at: connection)
            guard let answer = try await answer(to: awaited, connection, owner) else {
                return .seeOther("\(Routes.settingsConnections)?done=linked")
            }
            return .seeOther(answer.location)
        case .taken, .tooMany: return try await failed(.refusal(.taken), connection)
        case .overtaken: return try await failed(.refusal(.state), connection)
        }
    }

    /// The answer to the app that waits until the identity is linked; `nil`: no app does, or it took too long.
    private func answer(
        to awaited: String?, _ connection: Connection, _ owner: AccountOwner
    ) async throws -> AuthorizationAnswer? {
        guard let awaited,
            let transaction = signIn.checks.transaction(in: FormParameters(["transaction": awaited])),
            services.authorization.permits(.linkOAuth, transaction, owner.session),
            transaction.providerAlias == connection.id
        else { return nil }
        return try await services.authorization.done(transaction, services.transactions)
    }
}
