internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth
internal import SignIn

/// From verified factors to a session: second factors, enrolment, and the end.
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
            hasAuthenticator: try await services.methods.authenticators.isConfirmed(for: user),
            needsSeveralFactors: needsSeveral,
            hasPasskey: needsSeveral ? try await services.stores.users.account(user)?.hasPasskey == true : false)
    }

    /// To the next page, or to the end.
    func goOn(_ visit: SignInVisit, _ user: User) async throws -> Response {
        var visit = visit
        switch visit.progress.step {
        case .finished: return try await finish(visit, user)
        case .enrolment:
            guard let account = try await services.stores.users.account(user.id) else {
                throw PageProblem.expired
            }
            visit.passage.progress.enrolmentKey = try await services.methods.authenticators.enrol(account).exposed()
        case .newPassword:
            let account = try await services.stores.users.account(user.id)
            visit.passage.progress.passwordMark = Cookies.digest(of: account?.passwordHash ?? "")
        default: break
        }
        return .seeOther(location(visit.passage))
    }

    /// Checks a code of an authenticator app, or a recovery code.
    func checkSecond(_ visit: SignInVisit, _ form: SameSiteForm) async throws -> Response {
        let step = visit.progress.step
        guard let account = try await provenAccount(visit) else {
            throw PageProblem.expired
        }
        do {
            let method = try await services.methods.checkSecond(
                account, code: Secret(try form.one("code") ?? ""), isRecovery: step == .recoveryCode,
                from: addresses.address(of: visit.request, visit.context))
            guard step == .enrolment else { return try await proved(visit, account.user, by: method) }
            return try await enrolled(visit, account)
        } catch is CodeWasUsed {
            var refusal = Refusal()
            refusal.code = .used
            return try await codePage(visit, refusal)
        } catch let problem as MethodProblem {
            let refusal = Refusal(problem)
            return step == .enrolment
                ? try await enrolmentPage(visit, refusal) : try await codePage(visit, refusal)
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

    func enrolmentPage(_ visit: SignInVisit, _ refusal: Refusal?) async throws -> Response {
        guard let account = try await provenAccount(visit), let key = visit.progress.enrolmentKey,
            let picture = services.methods.authenticators.picture(
                of: Secret(key), account: account.email ?? visit.progress.loginID)
        else { throw PageProblem.expired }
        return respond(
            TOTPSetupPage(
                form: form(visit), keyURI: picture.uri.exposed(),
                pictureURI: "data:image/png;base64," + Data(picture.png).base64EncodedString(), key: key,
                problem: refusal?.code), visit, refusal)
    }

    /// The authenticator app is set up: the user is signed in and gets recovery codes.
    private func enrolled(_ visit: SignInVisit, _ account: Account) async throws -> Response {
        var visit = visit
        let facts = try SecondFactor.combine(
            .totp, with: visit.progress.proven?.facts, mustCombine: true, at: services.ambient.now())
        try visit.passage.progress.apply(
            .proved(SignInProgress.Proven(account.user, facts), try await demands(visit, account.user.id)))
        guard visit.progress.step == .finished, var journey = visit.passage.journey else {
            return try await goOn(visit, account.user)
        }
        guard let (session, cookie) = try await openSession(visit, account.user, facts) else {
            throw PageProblem.expired
        }
        let codes = try await services.methods.recoveryCodes.make(for: account.user.id)
        journey.authenticatedSession = session.id.rawValue
        let sealed = checks.sealed(journey)
        let form = PageForm(
            action: "/login", journey: sealed,
            csrf: guardian.token(browser: visit.browser, session: nil, journey: sealed),
            redirectOrigins: [journey.redirectURI])
        return respond(
            RecoveryCodesPage(form: form, codes: codes.map { $0.exposed() }, replacesEarlier: false), visit,
            cookies: [cookies.setSession(cookie)])
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
        if let offered = try await offer(visit, journey, session) {
            response = offered
        } else {
            response = try await authorize.proceed(journey, session: (session, user), visit.request, visit.context)
        }
        response.headers.append(HTTPField(name: .setCookie, value: field))
        return response
    }

    private func openSession(_ visit: SignInVisit, _ user: User, _ facts: AuthenticationFacts) async throws -> (
        BrowserSession, cookie: Secret
    )? {
        let opened = try await checks.openSession(for: user, facts.inReferences, visit.request, visit.context)
        if opened != nil {
            services.signIn.note(user, facts, from: addresses.address(of: visit.request, visit.context))
        }
        return opened
    }
}
