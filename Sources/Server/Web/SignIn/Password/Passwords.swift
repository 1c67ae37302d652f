internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth
internal import SignIn

/// Forgotten passwords, and passwords that must be replaced.
extension SignInRoutes {
    /// `GET /login/reset`.
    @Sendable func showReset(_ opened: OpenedTransaction) async throws -> Response {
        resetPage(opened, typed: nil, nil, nil)
    }

    /// `POST /login/reset`: sends a code or link to the named address, whether an account exists or not.
    @Sendable func reset(_ posted: TransactionForm) async throws -> Response {
        let (opened, form) = (posted.opened, posted.form)
        guard let kind = reach.kind else { throw PageProblem.expired }
        if try form.one("action") == "deny" {
            return .seeOther(authorize.location(Routes.login, of: posted.transaction))
        }
        let name = try form.one("username") ?? ""
        guard let identifier = Identifier(loginID: name) else {
            return resetPage(opened, typed: name, .nameMissing, Refusal())
        }
        guard reach.channel(to: identifier) != nil else {
            return resetPage(opened, typed: name, .unreachable(kind), Refusal())
        }
        do {
            return try await sent(beginning(opened, in: posted.browser, .passwordReset, name))
        } catch let problem as MethodProblem {
            let refusal = Refusal(problem)
            let shown: PasswordResetPage.Problem =
                refusal.retryAfterSeconds.map { .tooManyAttempts(retryAfterSeconds: $0) } ?? .nameMissing
            return resetPage(opened, typed: name, shown, refusal)
        }
    }

    private func resetPage(
        _ opened: OpenedTransaction, typed: String?, _ problem: PasswordResetPage.Problem?, _ refusal: Refusal?
    ) -> Response {
        let transaction = opened.transaction
        let (form, cookie) = plainForm(Self.resetPath, opened)
        var response = presenter.response(
            PasswordResetPage(
                form: form, loginHint: typed.map { String($0.prefix(Identifier.bytesMax)) } ?? transaction.loginHint,
                problem: problem), look: authorize.look(transaction, opened.request), status: refusal?.status ?? .ok,
            cookies: [cookie])
        response.headers[.retryAfter] = refusal?.retryAfterSeconds.map(String.init)
        return response
    }

    /// A form without a sign-in transaction, which has not begun yet.
    func plainForm(_ path: String, _ opened: OpenedTransaction) -> (PageForm, cookie: String) {
        let transaction = opened.transaction
        let browser = checks.browser(opened.request)
        let sealed = checks.sealed(transaction)
        return (
            PageForm(
                action: path, transaction: sealed,
                csrf: guardian.token(browser: browser, session: nil, transaction: sealed),
                redirectOrigins: [transaction.redirectURI]), cookies.setBrowser(browser)
        )
    }

    /// The page for a new password, with the problems of the last one.
    func passwordPage(
        _ signIn: OpenedSignIn, _ refusals: [PasswordRefusal] = [], _ problem: PasswordProblem? = nil,
        _ refusal: Refusal? = nil
    ) async throws -> Response {
        guard let account = try await provenAccount(signIn), isUnchanged(signIn, account) else {
            throw PageProblem.expired
        }
        let field = NewPasswordField(rules: rules, refusals: refusals)
        let name = signIn.progress.loginID
        guard signIn.progress.step == .expiredPassword else {
            return respond(
                PasswordNewPage(form: form(signIn), userName: name, password: field, problem: problem), signIn, refusal)
        }
        return respond(
            PasswordExpiredPage(
                form: form(signIn), userName: name, isTemporary: signIn.progress.choice == .temporary, password: field,
                problem: problem), signIn, refusal)
    }

    func choosePassword(_ signIn: OpenedSignIn, _ form: SameSiteForm) async throws -> Response {
        guard let account = try await provenAccount(signIn), isUnchanged(signIn, account),
            let facts = signIn.progress.proven?.facts
        else {
            throw PageProblem.expired
        }
        let new = Secret(try form.one("password") ?? "")
        let origin = SessionOrigin(signIn.request, addresses.address(of: signIn.request, signIn.context))
        do {
            let refusals = try await refusals(of: new, for: Array(account.identifiers.keys))
            guard refusals.isEmpty else { return try await passwordPage(signIn, refusals, nil, Refusal()) }
            if signIn.progress.step == .newPassword {
                try await services.methods.passwords.choose(new, for: account, by: facts, from: origin)
            } else {
                let proof = try await services.methods.passwords.replace(
                    loginID: signIn.progress.loginID, old: Secret(try form.one("current_password") ?? ""), new: new,
                    after: signIn.progress.proven, from: addresses.address(of: signIn.request, signIn.context))
                guard proof.identity.account.user.id == account.user.id else { throw MethodProblem.wrongPassword }
            }
        } catch let problem as MethodProblem {
            return try await passwordRefused(signIn, problem)
        }
        guard let changed = try await services.stores.users.account(account.user.id) else {
            throw PageProblem.expired
        }
        var signIn = signIn
        try signIn.transaction.progress.apply(
            .passwordChosen(try await demands(signIn, changed.user.id), epoch: changed.user.epoch))
        return try await goOn(signIn, changed.user)
    }

    private func passwordRefused(_ signIn: OpenedSignIn, _ problem: MethodProblem) async throws -> Response {
        let refusal = Refusal(problem)
        switch problem.code {
        case MethodProblem.invalidRequest.code: return try await passwordPage(signIn, [.reused], nil, refusal)
        case MethodProblem.wrongPassword.code: return try await passwordPage(signIn, [], .wrongCurrent, refusal)
        default:
            let seconds = refusal.retryAfterSeconds
            return try await passwordPage(
                signIn, [], seconds.map { .tooManyAttempts(retryAfterSeconds: $0) } ?? .busy, refusal)
        }
    }

    /// A reset is verified for one password: it must not replace the next one too.
    private func isUnchanged(_ signIn: OpenedSignIn, _ account: Account) -> Bool {
        signIn.progress.step != .newPassword
            || signIn.progress.passwordMark == Cookies.digest(of: account.passwordHash ?? "")
    }

    var rules: PasswordRules {
        let policy = services.project.passwordPolicy
        return PasswordRules(
            minLength: policy.minLength, needsLowercase: policy.requiresLowercase,
            needsUppercase: policy.requiresUppercase, needsNumber: policy.requiresNumber,
            needsSymbol: policy.requiresNonAlphanumeric)
    }

    /// Every problem of a new password, each once.
    ///
    /// - Throws: ``MethodProblem/rateLimited(retryAfterSeconds:)`` while too many hashes wait.
    func refusals(of password: Secret, for identifiers: [Identifier]) async throws(MethodProblem) -> [PasswordRefusal] {
        let flaws: [PasswordPolicy.Flaw]
        do {
            flaws = try await services.passwords.flaws(
                in: password, policy: services.project.passwordPolicy, identifiers: identifiers,
                breached: services.project.breachedPasswords)
        } catch {
            throw .rateLimited(retryAfterSeconds: 2)
        }
        let all = flaws.map { flaw -> PasswordRefusal in
            switch flaw {
            case .tooShort: .tooShort
            case .tooLong, .containsNUL: .tooLong
            case .lacksLowercase: .noLowercase
            case .lacksUppercase: .noUppercase
            case .lacksNumber: .noNumber
            case .lacksNonAlphanumeric: .noSymbol
            case .breached, .common: .breached
            case .containsIdentifier: .likeName
            }
        }
        return PasswordRefusal.allCases.filter(all.contains)
    }
}
