internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth
internal import SignIn

/// From verified factors to a session: second factors, and the end.
extension SignInRoutes {
    /// One more factor is verified: combines it with the earlier ones and goes to the next step.
    ///
    /// - Parameters:
    ///   - isOfTwoFactors: whether it counts as two, as a passkey that verified its user.
    ///   - tenant: whose connection vouched for the user.
    ///   - address: that a code or a link proved, as ``ProvenIdentity/provedAddress``.
    ///   - isLetIn: whether a link did that was opened in another browser.
    func proved(
        _ signIn: OpenedSignIn, _ user: User, by method: AuthenticationMethod, isOfTwoFactors: Bool = false,
        tenant: String? = nil, proving address: String? = nil, isLetIn: Bool = false, isFirst: Bool = false
    ) async throws -> Response {
        let earlier = signIn.progress.proven?.facts
        let facts = try SecondFactor.combine(
            method, isOfTwoFactors: isOfTwoFactors, tenant: tenant, with: earlier, mustCombine: earlier != nil,
            at: services.ambient.now())
        var signIn = signIn
        if isFirst { signIn.transaction.authorization?.madeUser = user.id.rawValue }
        return try await proved(signIn, user, isLetIn ? facts.letIn : facts, proving: address)
    }

    func proved(
        _ signIn: OpenedSignIn, _ user: User, _ facts: AuthenticationFacts, proving address: String? = nil
    ) async throws -> Response {
        // What was proved before must still stand: a factor of now says nothing about it.
        if signIn.progress.proven != nil, try await provenAccount(signIn)?.user.id != user.id {
            throw PageProblem.expired
        }
        if let response = try await sentToOrganisation(signIn, user, facts) { return response }
        var signIn = try await assessed(signIn, user, facts)
        let proven = SignInProgress.Proven(user, facts, after: signIn.progress.proven, proving: address)
        try signIn.transaction.progress.apply(.proved(proven, try await demands(signIn, user.id)))
        return try await goOn(signIn, user)
    }

    func demands(_ signIn: OpenedSignIn, _ user: UserID) async throws -> SignInProgress.Demands {
        let needsSeveral =
            if signIn.transaction.needsSeveralFactors { true } else { try await services.needsSecondFactor(user) }
        let authorization = signIn.transaction.authorization
        let linksIdentity = signIn.transaction.authorization?.pendingIdentity != nil
        let journey = try await journeyDemand(signIn, user)
        let asksAccount = needsSeveral || linksIdentity || journey != nil
        let account = asksAccount ? try await services.stores.users.account(user) : nil
        return SignInProgress.Demands(
            secondFactor: try await services.methods.requiredFactor(of: user),
            needsSeveralFactors: needsSeveral,
            hasPasskey: account?.hasPasskey == true,
            needsOwnFactor: authorization?.ownPath != nil && authorization?.needsSeveralFactors == true,
            linksIdentity: linksIdentity, isOperator: account?.consoleRole != nil, journey: journey)
    }

    private func journeyDemand(_ signIn: OpenedSignIn, _ user: UserID) async throws -> JourneyDemand? {
        guard let transaction = signIn.transaction.authorization, transaction.journey != nil else { return nil }
        // Without them the sign-in cannot go on: passing over the journey would open what it guards.
        guard let journey = services.authorization.journey(of: transaction),
            var facts = try await services.authorization.journeyFacts(
                of: user, in: journey, transaction)
        else { throw PageProblem.expired }
        facts.risks = signIn.transaction.risk?.signals ?? []
        return JourneyDemand(
            journey, facts, connection: signIn.transaction.federated?.key.connectionID,
            startedAt: transaction.startedAt, authenticatedAt: signIn.transaction.federated?.authenticatedAt)
    }

    /// To the next page, or to the end.
    func goOn(_ signIn: OpenedSignIn, _ user: User) async throws -> Response {
        let signIn = try await called(signIn, user)
        guard signIn.progress.step != .finished else { return try await finish(signIn, user) }
        if signIn.progress.step == .identify, var transaction = signIn.transaction.authorization {
            // The page offers what the journey accepts of this user.
            transaction.typedLoginID =
                try await services.stores.users.account(user.id)?.email ?? transaction.typedLoginID
            return .seeOther(
                authorize.location(Routes.login, of: transaction) + "&problem=\(Self.methodRefused)")
        }
        let prepared = try await SignInStepPage.of(signIn.progress.step)?.prepare(self, signIn, user) ?? signIn
        return .seeOther(location(prepared.transaction))
    }

    /// Checks the code of a second factor.
    func checkSecond(_ signIn: OpenedSignIn, _ form: SameSiteForm, by factor: AuthenticationMethod) async throws
        -> Response
    {
        guard let account = try await provenAccount(signIn) else { throw PageProblem.expired }
        do {
            let method = try await services.methods.checkSecond(
                account, code: Secret(try form.one("code") ?? ""), by: factor,
                from: addresses.address(of: signIn.request, signIn.context))
            return try await proved(signIn, account.user, by: method)
        } catch is CodeWasUsed {
            return try await show(signIn, StepProblem(refusal: .used))
        } catch let problem as MethodProblem {
            return try await show(signIn, StepProblem(refusal: Refusal(problem)))
        }
    }

    /// The user whom the transaction verified, if the account is active, nothing was revoked since, and what the
    /// sign-in rests on still stands: the session that it goes on from, the addresses that were proved, the identity at
    /// a provider, the session that approved it. Every step after the first factor asks, every further factor, and the
    /// end.
    ///
    /// - Throws: ``PageProblem/expired`` if the session has ended since.
    func provenAccount(_ signIn: OpenedSignIn) async throws -> Account? {
        guard let proven = signIn.progress.proven,
            let account = try await services.stores.users.account(UserID(rawValue: proven.userID)),
            account.user.status == .active, account.user.epoch == proven.epoch
        else { return nil }
        _ = try await resumedSession(signIn)
        let grounds = SignInGrounds(
            addresses: proven.addresses ?? [], identity: signIn.transaction.federated?.key,
            since: signIn.transaction.startedAt, approval: proven.approval)
        let stands = try await grounds.stand(
            for: account, in: services.stores, services.connections, at: services.ambient.now())
        return stands ? account : nil
    }

    /// Nothing is missing: opens the session, and continues the authorization.
    private func finish(_ signIn: OpenedSignIn, _ user: User) async throws -> Response {
        guard let proven = signIn.progress.proven else { throw SignInProgress.Misplaced() }
        guard try await provenAccount(signIn) != nil else { throw PageProblem.expired }
        if let resumed = try await resumedSession(signIn), var transaction = signIn.transaction.authorization {
            transaction.authenticatedSession = resumed.0.id.rawValue
            if signIn.request.method == .get { transaction.isUnseen = true }
            transaction.journeyTenant = signIn.progress.journey?.tenant
            return try await authorize.proceed(transaction, session: resumed, signIn.request, signIn.context)
        }
        guard let opened = try await openSession(signIn, user, proven.facts) else {
            throw PageProblem.expired
        }
        guard var transaction = signIn.transaction.authorization else {
            guard signIn.progress.goal == .passwordReset else {
                return .seeOther(signIn.transaction.landing ?? Routes.settings, cookies: opened.fields)
            }
            return respond(
                DonePage(
                    kind: .passwordChanged,
                    way: DonePage.Way(uri: Routes.settingsSessions, appName: nil)), signIn, cookies: opened.fields)
        }
        transaction.authenticatedSession = opened.session.id.rawValue
        transaction.journeyTenant = signIn.progress.journey?.tenant
        if signIn.progress.hasEnrolled == true {
            return try await recoveryCodesPage(signIn, transaction, user, cookies: opened.fields)
        }
        var response: Response
        if let offered = try await offer(signIn, transaction, cookie: opened.cookie) {
            response = offered
        } else {
            response = try await authorize.proceed(
                transaction, session: (opened.session, user), signIn.request, signIn.context)
        }
        for field in opened.fields { response.headers.append(HTTPField(name: .setCookie, value: field)) }
        return response
    }

    /// When the session must be over: as the provider says. One that goes on with what an organisation said before ends with
    /// the session to which it said so.
    private func end(_ signIn: OpenedSignIn, _ facts: AuthenticationFacts) async throws -> UnixTime? {
        if let federated = signIn.transaction.federated { return federated.endsAt }
        guard facts.tenantID != nil else { return nil }
        guard let person = try await checks.person(signIn.request) else { throw PageProblem.expired }
        return person.session.expiresAt
    }

    func openSession(_ signIn: OpenedSignIn, _ user: User, _ facts: AuthenticationFacts) async throws
        -> SessionOfSignIn?
    {
        let address = addresses.address(of: signIn.request, signIn.context)
        let risk = signIn.transaction.risk
        var origin = SessionOrigin(signIn.request, address)
        (origin.country, origin.signals) = (risk?.country, risk?.signals ?? [])
        let facts = facts.noLater(than: signIn.transaction.federated?.authenticatedAt)
        guard
            let (session, cookie) = try await checks.openSession(
                for: user, facts, from: origin, endsAt: try await end(signIn, facts), signIn.request)
        else { return nil }
        try await finishFederation(signIn, user, session)
        services.signIn.note(user, facts, from: address, signals: origin.signals)
        let device = try await rememberDevice(of: session, signIn)
        return SessionOfSignIn(session: session, cookie: cookie, fields: [cookies.setSession(cookie), device])
    }
}
