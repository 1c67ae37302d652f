internal import HTTPTypes
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
    func authenticatorPage(_ signIn: OpenedSignIn, _ problem: StepProblem) async throws -> Response {
        respond(
            CodePage(
                form: form(signIn), channel: .authenticator, destination: nil, problem: problem.code,
                wasSentAgain: false, resending: .never, hasOtherWays: true, passkey: try await passkeyButton(signIn),
                passkeyProblem: problem.passkey?.refusal, signals: problem.passkey?.signals ?? [],
                canBeLost: services.recovery.isOffered), signIn, problem.refusal)
    }

    /// A new key for the app, in the transaction.
    fileprivate func enrolling(_ signIn: OpenedSignIn, _ user: User) async throws -> OpenedSignIn {
        guard let account = try await services.stores.users.account(user.id), let proven = signIn.progress.proven else {
            throw PageProblem.expired
        }
        var signIn = signIn
        signIn.transaction.progress.enrolmentKey = try await services.methods.authenticators.enrol(
            account, after: proven.facts, in: try await sessionBefore(signIn)
        ).exposed()
        return signIn
    }

    /// The session that the sign-in goes on from; `nil`: none.
    private func sessionBefore(_ signIn: OpenedSignIn) async throws -> SessionID? {
        guard signIn.transaction.resumed != nil else { return nil }
        _ = try await resumedSession(signIn)
        return try await checks.person(signIn.request)?.session.id
    }

    /// Checks the first code of an app that is being set up.
    fileprivate func checkEnrolment(_ signIn: OpenedSignIn, _ form: SameSiteForm) async throws -> Response {
        guard let account = try await provenAccount(signIn), let key = signIn.progress.enrolmentKey else {
            throw PageProblem.expired
        }
        do {
            _ = try await services.methods.confirm(
                Secret(key), of: account, code: Secret(try form.one("code") ?? ""),
                from: addresses.address(of: signIn.request, signIn.context))
            return try await proved(signIn, account.user, by: .totp)
        } catch is CodeWasUsed {
            return try await enrolmentPage(signIn, .used)
        } catch let problem as MethodProblem {
            return try await enrolmentPage(signIn, Refusal(problem))
        }
    }

    fileprivate func enrolmentPage(_ signIn: OpenedSignIn, _ refusal: Refusal?) async throws -> Response {
        guard let account = try await provenAccount(signIn), let key = signIn.progress.enrolmentKey,
            let picture = services.methods.authenticators.picture(
                of: Secret(key), account: account.email ?? signIn.progress.loginID)
        else { throw PageProblem.expired }
        return respond(
            TOTPSetupPage(
                form: form(signIn), keyURI: picture.uri.exposed(),
                pictureURI: TOTPSetupPage.dataURI(svg: picture.svg), key: key,
                problem: refusal?.code), signIn, refusal)
    }

    /// The authenticator app is set up, and the user is signed in and gets recovery codes.
    func recoveryCodesPage(
        _ signIn: OpenedSignIn, _ transaction: AuthorizationTransaction, _ user: User, cookies: [String]
    ) async throws -> Response {
        guard let facts = signIn.progress.proven?.facts else { throw PageProblem.expired }
        let codes = try await services.methods.recoveryCodes.make(for: user.id, after: facts)
        let sealed = checks.sealed(transaction)
        let form = PageForm(
            action: "/login", transaction: sealed,
            csrf: guardian.token(browser: signIn.browser, session: nil, transaction: sealed),
            redirectOrigins: [transaction.redirectURI])
        return respond(
            RecoveryCodesPage(form: form, codes: codes.map { $0.exposed() }, replacesEarlier: false), signIn,
            cookies: cookies)
    }
}
