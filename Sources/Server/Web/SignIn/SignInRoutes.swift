internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth
internal import SignIn

/// Every page of a sign-in, from the typed name to the session: codes, links, second factors, passwords, sign-up.
///
/// ``SignInProgress`` decides the next step; the handlers report to it what happened. A transaction travels sealed, and
/// continues only in the browser that began it.
struct SignInRoutes: Sendable {
    let checks: Checks
    let authorize: AuthorizeRoutes
    let presenter: Presenter
    /// The addresses that messages can be sent to: pages offer no method whose message cannot be delivered.
    let reach: DeliveryReach
    /// The way to identity providers.
    let gate: FederationGate

    var services: IdentityServices { checks.services }
    var cookies: Cookies { checks.cookies }
    var guardian: CrossSiteGuard { checks.guardian }
    var addresses: ClientAddress { checks.addresses }

    var routes: [Route] {
        let canReach = reach.kind != nil
        var routes = [
            Route(.get, Routes.login, checks.transactionPage(), isPage: true, handler: showLogin),
            Route(.post, Routes.login, checks.loginForm, isPage: true, handler: login),
            Route(.get, Routes.signUp, checks.transactionPage(), isPage: true, handler: showSignUp),
            Route(.post, Routes.signUp, checks.transactionForm(isOffered: canReach), isPage: true, handler: signUp),
            Route(.get, Self.cancelPath, open: Self.whyLink, isPage: true, handler: showCancellation),
            Route(.post, Self.cancelPath, checks.linkTokenForm, isPage: true, handler: cancelRecovery),
        ]
        routes += disputeRoutes
        for method in SignInMethodPages.all { routes += method.routes(self) }
        for page in SignInStepPage.all {
            routes.append(Route(.get, page.path, signInPage, isPage: true, handler: showStep))
            routes.append(Route(.post, page.path, signInForm, isPage: true, handler: submit))
        }
        return routes
    }

    static let whyLink = "says what a link is for, whose token the page's form sends"
    static let resetPath = "/login/reset"
    static let statusPath = "/login/link-status"
    static let linkPath = "/link"
    static let offerPath = "/login/passkey"
    static let ceremonyPath = "/passkey"
    static let cancelPath = "/recovery/cancel"

    /// `GET` of a step: its page.
    @Sendable private func showStep(_ page: SignInPage) async throws -> Response {
        let signIn = page.signIn
        guard signIn.progress.step.path == signIn.request.target.path else {
            return .seeOther(location(signIn.transaction))
        }
        return try await show(signIn)
    }

    /// The page of the transaction's step, with the problems of its form.
    func show(_ signIn: OpenedSignIn, _ problem: StepProblem = StepProblem()) async throws -> Response {
        guard let page = SignInStepPage.of(signIn.progress.step) else { throw PageProblem.expired }
        return try await page.show(self, signIn, problem)
    }

    /// `POST` of a step.
    @Sendable private func submit(_ posted: SignInForm) async throws -> Response {
        let (signIn, form) = (posted.signIn, posted.form)
        guard let page = SignInStepPage.of(signIn.progress.step), page.path == signIn.request.target.path else {
            return .seeOther(location(signIn.transaction))
        }
        let action = try form.one("action")
        if action == "deny" { return try await deny(signIn) }
        do {
            guard page.hasCommonButtons else { return try await page.submit(self, signIn, form) }
            if action == "lost", services.recovery.isOffered { return try move(signIn, .factorLost) }
            if action == "other" { return try move(signIn, .otherWaysWanted) }
            if page.step.takesOtherFactors, let button = FactorButton.pressed(action) {
                return try await button.submit(self, signIn, form)
            }
            return try await page.submit(self, signIn, form)
        } catch is SignInProgress.Misplaced {
            throw PageProblem.expired
        }
    }

    // MARK: - What handlers share

    /// The address of the page of a transaction's step.
    func location(_ transaction: SignInTransaction) -> String {
        "\(transaction.progress.step.path ?? "/login")?transaction=\(close(transaction))"
    }

    func move(_ signIn: OpenedSignIn, _ event: SignInProgress.Event) throws(SignInProgress.Misplaced) -> Response {
        var transaction = signIn.transaction
        try transaction.progress.apply(event)
        return .seeOther(location(transaction))
    }

    func form(_ signIn: OpenedSignIn) -> PageForm {
        PageForm(
            // A page that waits reloads itself, at whichever address.
            action: [.link, .approval].contains(signIn.progress.step)
                ? location(signIn.transaction) : signIn.progress.step.path ?? "/login",
            transaction: signIn.sealed,
            csrf: guardian.token(browser: signIn.browser, session: nil, transaction: signIn.sealed),
            redirectOrigins: [signIn.transaction.authorization?.redirectURI ?? signIn.transaction.landing].compactMap(
                \.self))
    }

    func look(_ signIn: OpenedSignIn) -> PageLook {
        signIn.transaction.authorization.map { authorize.look($0, signIn.request) } ?? presenter.look(signIn.request)
    }

    func appName(_ transaction: SignInTransaction?) -> String {
        transaction?.authorization.flatMap { services.clients.client($0.clientID)?.name } ?? services.project.name
    }

    /// A page, with the status and `Retry-After` of a problem.
    func respond(_ page: some Page, _ signIn: OpenedSignIn, _ refusal: Refusal? = nil, cookies: [String] = [])
        -> Response
    {
        var response = presenter.response(
            page, look: look(signIn), status: refusal?.status ?? .ok, cookies: cookies)
        if let seconds = refusal?.retryAfterSeconds { response.headers[.retryAfter] = String(seconds) }
        return response
    }

    /// The user cancelled.
    func deny(_ signIn: OpenedSignIn) async throws -> Response {
        guard let transaction = signIn.transaction.authorization else {
            return respond(
                DonePage(kind: .cancelled, way: DonePage.Way(uri: Routes.settings, appName: nil)), signIn)
        }
        return authorize.respond(
            try await services.authorization.deny(transaction, session: nil), signIn.request, signIn.context)
    }
}

/// Why a form was refused: status and wait.
struct Refusal: Sendable {
    var status = HTTPResponse.Status.unprocessableContent
    var retryAfterSeconds: Int?
    var code = CodeProblem.wrong

    init() {}

    /// A code that was accepted before.
    static var used: Refusal {
        var refusal = Refusal()
        refusal.code = .used
        return refusal
    }

    init(_ problem: MethodProblem) {
        switch problem.code {
        case _ where problem.message == MethodProblem.noCodes(retryAfterSeconds: 1).message,
            MethodProblem.tooManyAttempts(retryAfterSeconds: 1).code:
            status = .tooManyRequests
            retryAfterSeconds = problem.retryAfterSeconds
            code = .tooManyCodes(retryAfterSeconds: problem.retryAfterSeconds ?? 1)
        case MethodProblem.rateLimited(retryAfterSeconds: 1).code:
            status = .tooManyRequests
            retryAfterSeconds = problem.retryAfterSeconds
            code = .tooManyAttempts(retryAfterSeconds: problem.retryAfterSeconds ?? 1)
        case MethodProblem.codeExpired.code: code = .expired
        default: break
        }
    }
}
