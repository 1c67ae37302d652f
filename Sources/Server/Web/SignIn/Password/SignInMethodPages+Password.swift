internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth
internal import SignIn

extension SignInMethodPages {
    static let password = SignInMethodPages(
        method: PasswordMethods.self, buttons: [.password],
        ways: [
            SignInWay(
                value: "password", place: .first, label: { _, _ in (.password, nil) },
                choose: { try await $0.passwordInstead($1) })
        ],
        steps: [
            newPassword(.newPassword, "/login/password"), newPassword(.expiredPassword, "/login/expired"),
        ],
        routes: {
            let canReach = $0.reach.kind != nil
            return [
                Route(
                    .get, SignInRoutes.resetPath, $0.checks.transactionPage(isOffered: canReach), isPage: true,
                    handler: $0.showReset),
                Route(
                    .post, SignInRoutes.resetPath, $0.checks.transactionForm(isOffered: canReach), isPage: true,
                    handler: $0.reset),
            ]
        },
        calls: { PasswordRoutes(frame: $0).routes })

    private static func newPassword(_ step: SignInProgress.Step, _ path: String) -> SignInStepPage {
        SignInStepPage(
            step: step, path: path, prepare: { try await $0.marking($1, $2) },
            show: { routes, signIn, _ in try await routes.passwordPage(signIn) }
        ) { try await $0.choosePassword($1, $2) }
    }
}

extension SignInButton {
    /// Checks the password of the first page.
    static let password = SignInButton(action: "password") { try await $0.checkPassword($1) }
}

/// Passwords of the first page.
extension SignInRoutes {
    fileprivate func checkPassword(_ posted: TransactionForm) async throws -> Response {
        let form = posted.form
        let name = try form.one("username") ?? ""
        let outcome = try await services.signIn.check(
            loginID: name, password: Secret(try form.one("password") ?? ""),
            from: addresses.address(of: posted.request, posted.context),
            admitsNewUsers: services.authorization.allowsSignUp(posted.transaction))
        switch outcome {
        case .mustReplace(let user, let facts, let isTemporary):
            let signIn = beginning(
                posted.opened, in: posted.browser, .signIn, name, choice: isTemporary ? .temporary : .expired,
                passkeys: support(form.fields))
            return try await proved(signIn, user, facts)
        case .recognised(let user, let facts):
            let signIn = beginning(posted.opened, in: posted.browser, .signIn, name, passkeys: support(form.fields))
            return try await proved(signIn, user, facts)
        case .directory(let outcome): return try await atDirectory(outcome, posted, name)
        case .wrong:
            return try await loginAgain(posted, .wrongCredentials, .unprocessableContent)
        case .throttled(let seconds): return try await throttled(seconds, posted)
        case .busy:
            var response = try await loginAgain(posted, .busy, .serviceUnavailable)
            response.headers[.retryAfter] = "2"
            return response
        }
    }

    func throttled(_ seconds: Int64, _ posted: TransactionForm) async throws -> Response {
        var response = try await loginAgain(
            posted, .tooManyAttempts(retryAfterSeconds: Int(seconds)), .tooManyRequests)
        response.headers[.retryAfter] = String(seconds)
        return response
    }

    /// Back to the first page, which has the password.
    fileprivate func passwordInstead(_ signIn: OpenedSignIn) async throws -> Response {
        guard let transaction = signIn.transaction.authorization else { return try await waysPage(signIn) }
        return .seeOther(authorize.location(Routes.login, of: transaction))
    }

    /// The password that a reset replaces, in the transaction.
    fileprivate func marking(_ signIn: OpenedSignIn, _ user: User) async throws -> OpenedSignIn {
        guard signIn.progress.step == .newPassword else { return signIn }
        let account = try await services.stores.users.account(user.id)
        var signIn = signIn
        signIn.transaction.progress.passwordMark = Cookies.digest(of: account?.passwordHash ?? "")
        return signIn
    }
}
