internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth
internal import SignIn

/// Every page between a name that was typed and a session: codes, links, second factors, passwords, sign-up.
///
/// What comes next is said by ``SignInProgress``; the handlers here report to it what happened. A passage travels sealed,
/// and goes on only in the browser that began it.
struct SignInRoutes: Sendable {
    let authorize: AuthorizeRoutes
    /// Whom messages reach: nothing is offered that needs one and cannot be delivered.
    let reach: Reach

    var services: IdentityServices { authorize.services }
    private static let seal = "sign-in"

    var routes: [Route] {
        var routes = [
            Route(method: .get, path: "/login", checks: [.journey], isPage: true, handler: showLogin),
            Route(method: .post, path: "/login", checks: [.journey, .sameSite], isPage: true, handler: login),
            Route(method: .get, path: Self.resetPath, checks: [.journey], isPage: true, handler: showReset),
            Route(method: .post, path: Self.resetPath, checks: [.journey, .sameSite], isPage: true, handler: reset),
            Route(method: .get, path: Self.signUpPath, checks: [.journey], isPage: true, handler: showSignUp),
            Route(method: .post, path: Self.signUpPath, checks: [.journey, .sameSite], isPage: true, handler: signUp),
            Route(method: .get, path: Self.statusPath, checks: [.journey], handler: linkStatus),
            Route(method: .get, path: Self.linkPath, isPage: true, handler: showLanding),
            Route(method: .post, path: Self.linkPath, checks: [.sameSite], isPage: true, handler: landed),
            Route(method: .get, path: Self.offerPath, checks: [.journey], isPage: true, handler: showOffer),
            Route(
                method: .post, path: Self.offerPath, checks: [.journey, .sameSite], isPage: true, handler: takeOffer),
            Route(method: .get, path: Self.ceremonyPath, isPage: true, handler: showCeremony),
            Route(method: .get, path: Self.cancelPath, isPage: true, handler: showCancellation),
            Route(method: .post, path: Self.cancelPath, checks: [.sameSite], isPage: true, handler: cancelRecovery),
        ]
        for path in SignInProgress.Step.allCases.compactMap(\.path) {
            routes.append(Route(method: .get, path: path, checks: [.journey], isPage: true, handler: show))
            routes.append(
                Route(method: .post, path: path, checks: [.journey, .sameSite], isPage: true, handler: submit))
        }
        return routes
    }

    static let resetPath = "/login/reset"
    static let signUpPath = "/signup"
    static let statusPath = "/login/link-status"
    static let linkPath = "/link"
    static let offerPath = "/login/passkey"
    static let ceremonyPath = "/passkey"
    static let cancelPath = "/recovery/cancel"

    /// One visit to one page.
    struct Visit: Sendable {
        var passage: SignInPassage
        /// The passage as it came.
        let sealed: String
        let request: Request
        let context: WebContext
        /// The mark of the browser.
        let browser: String

        var progress: SignInProgress { passage.progress }
    }

    /// `GET` of any step: its page.
    @Sendable func show(_ request: Request, _ context: WebContext) async throws -> Response {
        guard let visit = try visit(request.queryParameters(), request, context) else {
            return authorize.expired(request, context)
        }
        guard visit.progress.step.path == request.uri.path else { return .seeOther(location(visit.passage)) }
        switch visit.progress.step {
        case .link: return try await waitForLink(visit)
        case .ways: return try await waysPage(visit)
        case .newPassword, .expiredPassword: return try await passwordPage(visit)
        case .enrolment: return try await enrolmentPage(visit, nil)
        case .lost, .lostCode, .lostWaiting, .lostRemoval: return try await showLost(visit)
        default: return try await codePage(visit, nil)
        }
    }

    /// `POST` of any step.
    @Sendable func submit(_ request: Request, _ context: WebContext) async throws -> Response {
        let form = try await request.formParameters()
        guard let visit = try visit(form, request, context) else { return authorize.expired(request, context) }
        guard authorize.admits(form, request, session: nil) else { return authorize.crossSite(request, context) }
        guard visit.progress.step.path == request.uri.path else { return .seeOther(location(visit.passage)) }
        let action = try form.one("action")
        if action == "deny" { return try await deny(visit) }
        do {
            switch (visit.progress.step, action) {
            case (.code, "resend"), (.link, "resend"): return try await sendAgain(visit)
            case (.lost, _), (.lostCode, _), (.lostWaiting, _), (.lostRemoval, _):
                return try await submitLost(visit, action, form)
            case (_, "lost") where services.recovery.isOffered: return try move(visit, .factorLost)
            case (_, "other"): return try move(visit, .otherWaysWanted)
            case (.ways, "passkey"), (.secondFactor, "passkey"), (.recoveryCode, "passkey"):
                return try await checkPasskey(visit, form)
            case (.link, "code"): return try typeInstead(visit)
            case (.code, _): return try await checkCode(visit, form)
            case (.ways, _): return try await chooseWay(visit, form)
            case (.secondFactor, _), (.recoveryCode, _), (.enrolment, _): return try await checkSecond(visit, form)
            case (.newPassword, _), (.expiredPassword, _): return try await choosePassword(visit, form)
            default: return .seeOther(location(visit.passage))
            }
        } catch is SignInProgress.Misplaced {
            return authorize.expired(request, context)
        }
    }

    // MARK: - What handlers share

    /// The passage of a request; `nil` if it is over, was changed, or belongs to another browser.
    func visit(_ form: FormParameters, _ request: Request, _ context: WebContext) throws -> Visit? {
        guard let sealed = form.values("journey").first, let browser = authorize.cookies.browser(request),
            let passage = open(sealed), passage.progress.browser == Self.mark(browser)
        else { return nil }
        return Visit(passage: passage, sealed: sealed, request: request, context: context, browser: browser)
    }

    func open(_ sealed: String) -> SignInPassage? {
        let now = services.ambient.now()
        return services.journeys.open(sealed, as: SignInPassage.self, kind: Self.seal).flatMap {
            $0.isExpired(at: now) || $0.progress.isStale(at: now) ? nil : $0
        }
    }

    func close(_ passage: SignInPassage) -> String { services.journeys.close(passage, kind: Self.seal) }

    /// The page of a passage's step.
    func location(_ passage: SignInPassage) -> String {
        "\(passage.progress.step.path ?? "/login")?journey=\(close(passage))"
    }

    /// A browser's mark, as passages name it.
    static func mark(_ browser: String) -> String {
        Base64URL.encode(SecretDigest(of: Secret(browser)).bytes)
    }

    func move(_ visit: Visit, _ event: SignInProgress.Event) throws(SignInProgress.Misplaced) -> Response {
        var passage = visit.passage
        try passage.progress.apply(event)
        return .seeOther(location(passage))
    }

    func form(_ visit: Visit) -> PageForm {
        PageForm(
            // The page that waits for a link loads itself again, wherever it stands.
            action: visit.progress.step == .link ? location(visit.passage) : visit.progress.step.path ?? "/login",
            journey: visit.sealed,
            csrf: authorize.guardian.token(browser: visit.browser, session: nil, journey: visit.sealed),
            redirectOrigins: visit.passage.journey.map { [$0.redirectURI] } ?? [])
    }

    func look(_ visit: Visit) -> PageLook {
        visit.passage.journey.map { authorize.look($0, visit.request) } ?? authorize.presenter.look(visit.request)
    }

    func appName(_ passage: SignInPassage?) -> String {
        passage?.journey.flatMap { services.clients.client($0.clientID)?.name } ?? services.project.name
    }

    /// A page, with the status and the wait that a problem stands for.
    func respond(_ page: some Page, _ visit: Visit, _ refusal: Refusal? = nil, cookies: [String] = []) -> Response {
        var response = authorize.presenter.response(
            page, look: look(visit), status: refusal?.status ?? .ok, cookies: cookies)
        if let seconds = refusal?.retryAfterSeconds { response.headers[.retryAfter] = String(seconds) }
        return response
    }

    /// The person gave up.
    func deny(_ visit: Visit) async throws -> Response {
        guard let journey = visit.passage.journey else {
            return respond(
                DonePage(kind: .cancelled, way: DonePage.Way(uri: SettingsSection.overview.path, appName: nil)), visit)
        }
        return authorize.respond(
            try await services.authorization.deny(journey, session: nil), visit.request, visit.context)
    }
}

extension SignInProgress.Step {
    /// Where its page is; `nil` for those that are never sealed.
    var path: String? {
        switch self {
        case .identify, .finished: nil
        case .code: "/login/code"
        case .link: "/login/link"
        case .ways: "/login/methods"
        case .secondFactor: "/login/authenticator"
        case .recoveryCode: "/login/recovery"
        case .lost: "/login/lost"
        case .lostCode: "/login/lost/code"
        case .lostWaiting: "/login/lost/waiting"
        case .lostRemoval: "/login/lost/remove"
        case .enrolment: "/login/setup"
        case .newPassword: "/login/password"
        case .expiredPassword: "/login/expired"
        }
    }
}

/// Why a form was not taken, as answers say it.
struct Refusal: Sendable {
    var status = HTTPResponse.Status.unprocessableContent
    var retryAfterSeconds: Int?
    var code = CodeProblem.wrong

    init() {}

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
