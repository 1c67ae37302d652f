internal import HTTPTypes
internal import Hummingbird
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
    @Sendable func reset(_ posted: JourneyForm) async throws -> Response {
        let (opened, form) = (posted.opened, posted.form)
        guard let kind = reach.kind else { throw PageProblem.expired }
        if try form.one("action") == "deny" { return .seeOther(authorize.location(Routes.login, of: posted.journey)) }
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
        let journey = opened.journey
        let (form, cookie) = plainForm(Self.resetPath, opened)
        var response = presenter.response(
            PasswordResetPage(
                form: form, loginHint: typed.map { String($0.prefix(Identifier.bytesMax)) } ?? journey.loginHint,
                problem: problem), look: authorize.look(journey, opened.request), status: refusal?.status ?? .ok,
            cookies: [cookie])
        response.headers[.retryAfter] = refusal?.retryAfterSeconds.map(String.init)
        return response
    }

    /// A form without a sign-in transaction, which has not begun yet.
    func plainForm(_ path: String, _ opened: OpenedTransaction) -> (PageForm, cookie: String) {
        let journey = opened.journey
        let browser = checks.browser(opened.request)
        let sealed = checks.sealed(journey)
        return (
            PageForm(
                action: path, journey: sealed,
                csrf: guardian.token(browser: browser, session: nil, journey: sealed),
                redirectOrigins: [journey.redirectURI]), cookies.setBrowser(browser)
        )
    }

    /// The page for a new password, with the problems of the last one.
    func passwordPage(
        _ visit: SignInVisit, _ refusals: [PasswordRefusal] = [], _ problem: PasswordProblem? = nil,
        _ refusal: Refusal? = nil
    ) async throws -> Response {
        guard let account = try await provenAccount(visit), isUnchanged(visit, account) else {
            throw PageProblem.expired
        }
        let field = NewPasswordField(rules: rules, refusals: refusals)
        let name = visit.progress.loginID
        guard visit.progress.step == .expiredPassword else {
            return respond(
                PasswordNewPage(form: form(visit), userName: name, password: field, problem: problem), visit, refusal)
        }
        return respond(
            PasswordExpiredPage(
                form: form(visit), userName: name, isTemporary: visit.progress.choice == .temporary, password: field,
                problem: problem), visit, refusal)
    }

    func choosePassword(_ visit: SignInVisit, _ form: SameSiteForm) async throws -> Response {
        guard let account = try await provenAccount(visit), isUnchanged(visit, account),
            let facts = visit.progress.proven?.facts
        else {
            throw PageProblem.expired
        }
        let new = Secret(try form.one("password") ?? "")
        let origin = SessionOrigin(visit.request, addresses.address(of: visit.request, visit.context))
        do {
            let refusals = try await refusals(of: new, for: Array(account.identifiers.keys))
            guard refusals.isEmpty else { return try await passwordPage(visit, refusals, nil, Refusal()) }
            if visit.progress.step == .newPassword {
                try await services.methods.passwords.choose(new, for: account, by: facts, from: origin)
            } else {
                let proof = try await services.methods.passwords.replace(
                    loginID: visit.progress.loginID, old: Secret(try form.one("current_password") ?? ""), new: new,
                    from: addresses.address(of: visit.request, visit.context))
                guard proof.identity.account.user.id == account.user.id else { throw MethodProblem.wrongPassword }
            }
        } catch let problem as MethodProblem {
            return try await passwordRefused(visit, problem)
        }
        guard let changed = try await services.stores.users.account(account.user.id) else {
            throw PageProblem.expired
        }
        var visit = visit
        try visit.passage.progress.apply(
            .passwordChosen(try await demands(visit, changed.user.id), epoch: changed.user.epoch))
        return try await goOn(visit, changed.user)
    }

    private func passwordRefused(_ visit: SignInVisit, _ problem: MethodProblem) async throws -> Response {
        let refusal = Refusal(problem)
        switch problem.code {
        case MethodProblem.invalidRequest.code: return try await passwordPage(visit, [.reused], nil, refusal)
        case MethodProblem.wrongPassword.code: return try await passwordPage(visit, [], .wrongCurrent, refusal)
        default:
            let seconds = refusal.retryAfterSeconds
            return try await passwordPage(
                visit, [], seconds.map { .tooManyAttempts(retryAfterSeconds: $0) } ?? .busy, refusal)
        }
    }

    /// A reset is verified for one password: it must not replace the next one too.
    private func isUnchanged(_ visit: SignInVisit, _ account: Account) -> Bool {
        visit.progress.step != .newPassword
            || visit.progress.passwordMark == Cookies.digest(of: account.passwordHash ?? "")
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
