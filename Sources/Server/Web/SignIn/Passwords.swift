internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth
internal import SignIn

/// Forgotten passwords, and those that must be replaced.
extension SignInRoutes {
    /// `GET /login/reset`.
    @Sendable func showReset(_ request: Request, _ context: WebContext) async throws -> Response {
        let query = try request.queryParameters()
        guard reach.kind != nil, let journey = authorize.journey(query) else {
            return authorize.expired(request, context)
        }
        return resetPage(journey, typed: nil, nil, nil, request)
    }

    /// `POST /login/reset`: sends a way back in to whoever was named, there or not.
    @Sendable func reset(_ request: Request, _ context: WebContext) async throws -> Response {
        let form = try await request.formParameters()
        guard let kind = reach.kind, let journey = authorize.journey(form) else {
            return authorize.expired(request, context)
        }
        guard authorize.admits(form, request, session: nil), let browser = authorize.cookies.browser(request) else {
            return authorize.crossSite(request, context)
        }
        if try form.one("action") == "deny" { return .seeOther(authorize.location("/login", of: journey)) }
        let name = try form.one("username") ?? ""
        guard let identifier = Identifier(loginID: name) else {
            return resetPage(journey, typed: name, .nameMissing, Refusal(), request)
        }
        guard reach.channel(to: identifier) != nil else {
            return resetPage(journey, typed: name, .unreachable(kind), Refusal(), request)
        }
        do {
            return try await sent(visit(journey, .passwordReset, name, browser, request, context))
        } catch let problem as MethodProblem {
            let refusal = Refusal(problem)
            let shown: PasswordResetPage.Problem =
                refusal.retryAfterSeconds.map { .tooManyAttempts(retryAfterSeconds: $0) } ?? .nameMissing
            return resetPage(journey, typed: name, shown, refusal, request)
        }
    }

    private func resetPage(
        _ journey: AuthorizationJourney, typed: String?, _ problem: PasswordResetPage.Problem?, _ refusal: Refusal?,
        _ request: Request
    ) -> Response {
        let (form, cookie) = plainForm(Self.resetPath, journey, request)
        var response = authorize.presenter.response(
            PasswordResetPage(
                form: form, loginHint: typed.map { String($0.prefix(Identifier.bytesMax)) } ?? journey.loginHint,
                problem: problem), look: authorize.look(journey, request), status: refusal?.status ?? .ok,
            cookies: [cookie])
        response.headers[.retryAfter] = refusal?.retryAfterSeconds.map(String.init)
        return response
    }

    /// A form that carries the request alone: nothing has happened yet.
    func plainForm(_ path: String, _ journey: AuthorizationJourney, _ request: Request) -> (PageForm, cookie: String) {
        let browser = authorize.cookies.browser(request) ?? services.ambient.randomToken(byteCount: 16)
        let sealed = services.journeys.close(journey, kind: AuthorizeRoutes.seal)
        return (
            PageForm(
                action: path, journey: sealed,
                csrf: authorize.guardian.token(browser: browser, session: nil, journey: sealed),
                redirectOrigins: [journey.redirectURI]), authorize.cookies.setBrowser(browser)
        )
    }

    /// The page for a new password, with what was wrong with the last one.
    func passwordPage(
        _ visit: Visit, _ refusals: [PasswordRefusal] = [], _ problem: PasswordProblem? = nil,
        _ refusal: Refusal? = nil
    ) async throws -> Response {
        guard let account = try await provenAccount(visit), isUnchanged(visit, account) else {
            return authorize.expired(visit.request, visit.context)
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

    func choosePassword(_ visit: Visit, _ form: FormParameters) async throws -> Response {
        guard let account = try await provenAccount(visit), isUnchanged(visit, account),
            let facts = visit.progress.proven?.facts
        else {
            return authorize.expired(visit.request, visit.context)
        }
        let new = Secret(try form.one("password") ?? "")
        let origin = SessionOrigin(visit.request, authorize.addresses.address(of: visit.request, visit.context))
        do {
            let refusals = try await refusals(of: new, for: Array(account.identifiers.keys))
            guard refusals.isEmpty else { return try await passwordPage(visit, refusals, nil, Refusal()) }
            if visit.progress.step == .newPassword {
                try await services.methods.passwords.choose(new, for: account, by: facts, from: origin)
            } else {
                let proof = try await services.methods.passwords.replace(
                    loginID: visit.progress.loginID, old: Secret(try form.one("current_password") ?? ""), new: new,
                    from: authorize.addresses.address(of: visit.request, visit.context))
                guard proof.identity.account.user.id == account.user.id else { throw MethodProblem.wrongPassword }
            }
        } catch let problem as MethodProblem {
            return try await passwordRefused(visit, problem)
        }
        guard let changed = try await services.stores.users.account(account.user.id) else {
            return authorize.expired(visit.request, visit.context)
        }
        var visit = visit
        try visit.passage.progress.apply(
            .passwordChosen(try await demands(visit, changed.user.id), epoch: changed.user.epoch))
        return try await goOn(visit, changed.user)
    }

    private func passwordRefused(_ visit: Visit, _ problem: MethodProblem) async throws -> Response {
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

    /// A reset was proved once, for one password: it does not replace the next one as well.
    private func isUnchanged(_ visit: Visit, _ account: Account) -> Bool {
        visit.progress.step != .newPassword
            || visit.progress.passwordMark == Self.mark(account.passwordHash ?? "")
    }

    var rules: PasswordRules {
        let policy = services.project.passwordPolicy
        return PasswordRules(
            minLength: policy.minLength, needsLowercase: policy.requiresLowercase,
            needsUppercase: policy.requiresUppercase, needsNumber: policy.requiresNumber,
            needsSymbol: policy.requiresNonAlphanumeric)
    }

    /// Everything that is wrong with a new password, each once.
    ///
    /// - Throws: ``MethodProblem/rateLimited(retryAfterSeconds:)`` while too many people wait.
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
