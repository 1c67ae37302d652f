internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth
internal import SignIn

extension SignInMethodPages {
    static let totp = SignInMethodPages(
        method: TOTPAuthenticators.self,
        ways: [
            SignInWay(
                value: "authenticator", place: .second, label: { _, _ in (.authenticator, nil) },
                choose: { try $0.move($1, .secondFactorChosen(TOTPAuthenticators.factor)) })
        ],
        steps: [
            .secondFactor(TOTPAuthenticators.self, path: "/login/authenticator") {
                try await $0.authenticatorPage($1, $2)
            },
            SignInStepPage(
                step: .enrolment, path: "/login/setup", prepare: { try await $0.enrolling($1, $2) },
                show: { try await $0.enrolmentPage($1, $2.refusal) }
            ) { try await $0.checkEnrolment($1, $2) },
        ],
        calls: { TOTPRoutes(frame: $0).routes })
}

/// Authenticator apps: the code, and the page that sets one up.
extension SignInRoutes {
    /// The page for a code.
    func authenticatorPage(_ visit: SignInVisit, _ problem: StepProblem) async throws -> Response {
        respond(
            CodePage(
                form: form(visit), channel: .authenticator, destination: nil, problem: problem.code,
                wasSentAgain: false, resending: .never, hasOtherWays: true, passkey: try await passkeyButton(visit),
                passkeyProblem: problem.passkey?.refusal, signals: problem.passkey?.signals ?? [],
                canBeLost: services.recovery.isOffered), visit, problem.refusal)
    }

    /// A new key for the app, in the transaction.
    fileprivate func enrolling(_ visit: SignInVisit, _ user: User) async throws -> SignInVisit {
        guard let account = try await services.stores.users.account(user.id) else { throw PageProblem.expired }
        var visit = visit
        visit.passage.progress.enrolmentKey = try await services.methods.authenticators.enrol(account).exposed()
        return visit
    }

    /// Checks the first code of an app that is being set up.
    fileprivate func checkEnrolment(_ visit: SignInVisit, _ form: SameSiteForm) async throws -> Response {
        guard let account = try await provenAccount(visit) else { throw PageProblem.expired }
        do {
            _ = try await services.methods.checkSecond(
                account, code: Secret(try form.one("code") ?? ""), by: TOTPAuthenticators.factor,
                from: addresses.address(of: visit.request, visit.context))
            return try await enrolled(visit, account)
        } catch is CodeWasUsed {
            return try await enrolmentPage(visit, .used)
        } catch let problem as MethodProblem {
            return try await enrolmentPage(visit, Refusal(problem))
        }
    }

    fileprivate func enrolmentPage(_ visit: SignInVisit, _ refusal: Refusal?) async throws -> Response {
        guard let account = try await provenAccount(visit), let key = visit.progress.enrolmentKey,
            let picture = services.methods.authenticators.picture(
                of: Secret(key), account: account.email ?? visit.progress.loginID)
        else { throw PageProblem.expired }
        return respond(
            TOTPSetupPage(
                form: form(visit), keyURI: picture.uri.exposed(),
                pictureURI: TOTPSetupPage.dataURI(svg: picture.svg), key: key,
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
}
