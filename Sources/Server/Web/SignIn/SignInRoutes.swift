internal import HTTPTypes
internal import Hummingbird
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

    var services: IdentityServices { checks.services }
    var cookies: Cookies { checks.cookies }
    var guardian: CrossSiteGuard { checks.guardian }
    var addresses: ClientAddress { checks.addresses }

    var routes: [Route] {
        let canReach = reach.kind != nil
        var routes = [
            Route(.get, Routes.login, checks.journeyPage(), isPage: true, handler: showLogin),
            Route(.post, Routes.login, checks.loginForm, isPage: true, handler: login),
            Route(.get, Routes.signUp, checks.journeyPage(), isPage: true, handler: showSignUp),
            Route(.post, Routes.signUp, checks.journeyForm(isOffered: canReach), isPage: true, handler: signUp),
            Route(.get, Self.cancelPath, open: Self.whyLink, isPage: true, handler: showCancellation),
            Route(.post, Self.cancelPath, checks.linkTokenForm, isPage: true, handler: cancelRecovery),
        ]
        for method in SignInMethodPages.all { routes += method.routes(self) }
        for page in SignInStepPage.all {
            routes.append(Route(.get, page.path, passagePage, isPage: true, handler: showStep))
            routes.append(Route(.post, page.path, passageForm, isPage: true, handler: submit))
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
    @Sendable private func showStep(_ page: PassagePage) async throws -> Response {
        let visit = page.visit
        guard visit.progress.step.path == visit.request.uri.path else { return .seeOther(location(visit.passage)) }
        return try await show(visit)
    }

    /// The page of the transaction's step, with the problems of its form.
    func show(_ visit: SignInVisit, _ problem: StepProblem = StepProblem()) async throws -> Response {
        guard let page = SignInStepPage.of(visit.progress.step) else { throw PageProblem.expired }
        return try await page.show(self, visit, problem)
    }

    /// `POST` of a step.
    @Sendable private func submit(_ posted: PassageForm) async throws -> Response {
        let (visit, form) = (posted.visit, posted.form)
        guard let page = SignInStepPage.of(visit.progress.step), page.path == visit.request.uri.path else {
            return .seeOther(location(visit.passage))
        }
        let action = try form.one("action")
        if action == "deny" { return try await deny(visit) }
        do {
            guard page.hasCommonButtons else { return try await page.submit(self, visit, form) }
            if action == "lost", services.recovery.isOffered { return try move(visit, .factorLost) }
            if action == "other" { return try move(visit, .otherWaysWanted) }
            if page.step.takesOtherFactors, let button = FactorButton.pressed(action) {
                return try await button.submit(self, visit, form)
            }
            return try await page.submit(self, visit, form)
        } catch is SignInProgress.Misplaced {
            throw PageProblem.expired
        }
    }

    // MARK: - What handlers share

    /// The address of the page of a transaction's step.
    func location(_ passage: SignInTransaction) -> String {
        "\(passage.progress.step.path ?? "/login")?journey=\(close(passage))"
    }

    func move(_ visit: SignInVisit, _ event: SignInProgress.Event) throws(SignInProgress.Misplaced) -> Response {
        var passage = visit.passage
        try passage.progress.apply(event)
        return .seeOther(location(passage))
    }

    func form(_ visit: SignInVisit) -> PageForm {
        PageForm(
            // The page that waits for a link reloads itself, at whichever address.
            action: visit.progress.step == .link ? location(visit.passage) : visit.progress.step.path ?? "/login",
            journey: visit.sealed,
            csrf: guardian.token(browser: visit.browser, session: nil, journey: visit.sealed),
            redirectOrigins: visit.passage.journey.map { [$0.redirectURI] } ?? [])
    }

    func look(_ visit: SignInVisit) -> PageLook {
        visit.passage.journey.map { authorize.look($0, visit.request) } ?? presenter.look(visit.request)
    }

    func appName(_ passage: SignInTransaction?) -> String {
        passage?.journey.flatMap { services.clients.client($0.clientID)?.name } ?? services.project.name
    }

    /// A page, with the status and `Retry-After` of a problem.
    func respond(_ page: some Page, _ visit: SignInVisit, _ refusal: Refusal? = nil, cookies: [String] = []) -> Response
    {
        var response = presenter.response(
            page, look: look(visit), status: refusal?.status ?? .ok, cookies: cookies)
        if let seconds = refusal?.retryAfterSeconds { response.headers[.retryAfter] = String(seconds) }
        return response
    }

    /// The user cancelled.
    func deny(_ visit: SignInVisit) async throws -> Response {
        guard let journey = visit.passage.journey else {
            return respond(
                DonePage(kind: .cancelled, way: DonePage.Way(uri: Routes.settings, appName: nil)), visit)
        }
        return authorize.respond(
            try await services.authorization.deny(journey, session: nil), visit.request, visit.context)
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
