internal import HTTPTypes
internal import Hummingbird
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
    /// - Parameter isOfTwoFactors: whether it counts as two, as a passkey that verified its user.
    func proved(_ visit: SignInVisit, _ user: User, by method: AuthenticationMethod, isOfTwoFactors: Bool = false)
        async throws -> Response
    {
        let earlier = visit.progress.proven?.facts
        let facts = try SecondFactor.combine(
            method, isOfTwoFactors: isOfTwoFactors, with: earlier, mustCombine: earlier != nil,
            at: services.ambient.now())
        return try await proved(visit, user, facts)
    }

    func proved(_ visit: SignInVisit, _ user: User, _ facts: AuthenticationFacts) async throws -> Response {
        var visit = visit
        try visit.passage.progress.apply(
            .proved(SignInProgress.Proven(user, facts), try await demands(visit, user.id)))
        return try await goOn(visit, user)
    }

    func demands(_ visit: SignInVisit, _ user: UserID) async throws -> SignInProgress.Demands {
        let needsSeveral = visit.passage.needsSeveralFactors
        return SignInProgress.Demands(
            secondFactor: try await services.methods.requiredFactor(of: user),
            needsSeveralFactors: needsSeveral,
            hasPasskey: needsSeveral ? try await services.stores.users.account(user)?.hasPasskey == true : false)
    }

    /// To the next page, or to the end.
    func goOn(_ visit: SignInVisit, _ user: User) async throws -> Response {
        guard visit.progress.step != .finished else { return try await finish(visit, user) }
        let prepared = try await SignInStepPage.of(visit.progress.step)?.prepare(self, visit, user) ?? visit
        return .seeOther(location(prepared.passage))
    }

    /// Checks the code of a second factor.
    func checkSecond(_ visit: SignInVisit, _ form: SameSiteForm, by factor: AuthenticationMethod) async throws
        -> Response
    {
        guard let account = try await provenAccount(visit) else { throw PageProblem.expired }
        do {
            let method = try await services.methods.checkSecond(
                account, code: Secret(try form.one("code") ?? ""), by: factor,
                from: addresses.address(of: visit.request, visit.context))
            return try await proved(visit, account.user, by: method)
        } catch is CodeWasUsed {
            return try await show(visit, StepProblem(refusal: .used))
        } catch let problem as MethodProblem {
            return try await show(visit, StepProblem(refusal: Refusal(problem)))
        }
    }

    /// The user whom the transaction verified, if the account is active and nothing was revoked since.
    func provenAccount(_ visit: SignInVisit) async throws -> Account? {
        guard let proven = visit.progress.proven,
            let account = try await services.stores.users.account(UserID(rawValue: proven.userID)),
            account.user.status == .active, account.user.epoch == proven.epoch
        else { return nil }
        return account
    }

    /// Nothing is missing: opens the session, and continues the authorization.
    private func finish(_ visit: SignInVisit, _ user: User) async throws -> Response {
        guard let proven = visit.progress.proven else { throw SignInProgress.Misplaced() }
        guard let (session, cookie) = try await openSession(visit, user, proven.facts) else {
            throw PageProblem.expired
        }
        let field = cookies.setSession(cookie)
        guard var journey = visit.passage.journey else {
            guard visit.progress.goal == .passwordReset else {
                return .seeOther(Routes.settings, cookies: [field])
            }
            return respond(
                DonePage(
                    kind: .passwordChanged,
                    way: DonePage.Way(uri: Routes.settingsSessions, appName: nil)), visit, cookies: [field])
        }
        journey.authenticatedSession = session.id.rawValue
        var response: Response
        if let offered = try await offer(visit, journey, cookie: cookie) {
            response = offered
        } else {
            response = try await authorize.proceed(journey, session: (session, user), visit.request, visit.context)
        }
        response.headers.append(HTTPField(name: .setCookie, value: field))
        return response
    }

    func openSession(_ visit: SignInVisit, _ user: User, _ facts: AuthenticationFacts) async throws -> (
        BrowserSession, cookie: Secret
    )? {
        let opened = try await checks.openSession(for: user, facts.inReferences, visit.request, visit.context)
        if opened != nil {
            services.signIn.note(user, facts, from: addresses.address(of: visit.request, visit.context))
        }
        return opened
    }
}
