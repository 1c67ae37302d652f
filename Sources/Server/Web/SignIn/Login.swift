internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth
internal import SignIn

/// `/login`: the first page, with the password and the other ways on it.
extension SignInRoutes {
    /// `GET /login`: shows the page, or moves on if nobody has to sign in (any more).
    @Sendable func showLogin(_ request: Request, _ context: WebContext) async throws -> Response {
        guard let journey = authorize.journey(try request.queryParameters()) else {
            return authorize.expired(request, context)
        }
        let session = try await authorize.session(request)
        let step = try await services.authorization.next(journey, session: session)
        guard case .signIn(let client, let user) = step else {
            return try await authorize.respond(step, journey, request, context)
        }
        if let session, let browser = authorize.cookies.browser(request),
            services.authorization.lacksFactorOnly(journey, session.0)
        {
            return try await stepUp(journey, session, browser, request, context)
        }
        return try await loginPage(journey, client: client, user: user, problem: nil, request)
    }

    /// `POST /login`: checks the password, or begins another way.
    @Sendable func login(_ request: Request, _ context: WebContext) async throws -> Response {
        let form = try await request.formParameters()
        guard let journey = authorize.journey(form) else { return authorize.expired(request, context) }
        // Another tab that opened at the same moment may have replaced the mark of this form. The browser's own word
        // that the form is ours is enough then: nobody types a password twice for that.
        guard let browser = authorize.cookies.browser(request),
            authorize.admits(form, request, session: nil) || request.headers[.secFetchSite] == "same-origin"
        else { return authorize.crossSite(request, context) }
        let action = try form.one("action")
        switch action {
        case "deny":
            let session = try await authorize.session(request)
            return authorize.respond(
                try await services.authorization.deny(journey, session: session?.0), request, context)
        case "continue":
            return .seeOther(authorize.location("/login", of: journey))
        case "passkey":
            return try await checkPasskey(journey, form, browser, request, context)
        case "code" where reach.kind != nil, "link" where reach.kind != nil:
            return try await begin(journey, asLink: action == "link", form, browser, request, context)
        default:
            return try await checkPassword(journey, form, browser, request, context)
        }
    }

    private func checkPassword(
        _ journey: AuthorizationJourney, _ form: FormParameters, _ browser: String, _ request: Request,
        _ context: WebContext
    ) async throws -> Response {
        let name = try form.one("username") ?? ""
        let outcome = try await services.signIn.check(
            loginID: name, password: Secret(try form.one("password") ?? ""),
            from: authorize.addresses.address(of: request, context))
        var choice: SignInProgress.Choice?
        switch outcome {
        case .mustReplace(let user, let facts, let isTemporary):
            choice = isTemporary ? .temporary : .expired
            let visit = visit(
                journey, .signIn, name, browser, request, context, choice: choice, passkeys: support(form))
            return try await proved(visit, user, facts)
        case .recognised(let user, let facts):
            return try await proved(
                visit(journey, .signIn, name, browser, request, context, passkeys: support(form)), user, facts)
        case .wrong:
            return try await loginAgain(journey, .wrongCredentials, .unprocessableContent, form, request, context)
        case .throttled(let seconds):
            var response = try await loginAgain(
                journey, .tooManyAttempts(retryAfterSeconds: Int(seconds)), .tooManyRequests, form, request, context)
            response.headers[.retryAfter] = String(seconds)
            return response
        case .busy:
            var response = try await loginAgain(journey, .busy, .serviceUnavailable, form, request, context)
            response.headers[.retryAfter] = "2"
            return response
        }
    }

    /// Sends a code or links to whoever was named, there or not.
    private func begin(
        _ journey: AuthorizationJourney, asLink: Bool, _ form: FormParameters, _ browser: String, _ request: Request,
        _ context: WebContext
    ) async throws -> Response {
        let name = try form.one("username") ?? ""
        guard let identifier = Identifier(loginID: name) else {
            return try await loginAgain(journey, .nameMissing, .unprocessableContent, form, request, context)
        }
        if let kind = reach.kind, reach.channel(to: identifier) == nil {
            return try await loginAgain(journey, .unreachable(kind), .unprocessableContent, form, request, context)
        }
        do {
            return try await sent(
                visit(journey, .signIn, name, browser, request, context, passkeys: support(form)), asLink: asLink)
        } catch let problem as MethodProblem {
            let refusal = Refusal(problem)
            let shown: LoginPage.Problem =
                refusal.retryAfterSeconds.map { .tooManyAttempts(retryAfterSeconds: $0) } ?? .nameMissing
            var response = try await loginAgain(journey, shown, refusal.status, form, request, context)
            response.headers[.retryAfter] = refusal.retryAfterSeconds.map(String.init)
            return response
        }
    }

    /// A session that is fresh enough, and lacks a second factor alone.
    private func stepUp(
        _ journey: AuthorizationJourney, _ session: (BrowserSession, User), _ browser: String, _ request: Request,
        _ context: WebContext
    ) async throws -> Response {
        let account = try await services.stores.users.account(session.1.id)
        let name = account?.identifiers.keys.map(\.value).min() ?? ""
        return try await proved(
            visit(journey, .signIn, name, browser, request, context), session.1, session.0.authentication.inMethods)
    }

    /// The beginning of a passage.
    func visit(
        _ journey: AuthorizationJourney, _ goal: SignInProgress.Goal, _ name: String, _ browser: String,
        _ request: Request, _ context: WebContext, choice: SignInProgress.Choice? = nil, chosenHash: String? = nil,
        displayName: String? = nil, passkeys: SignInProgress.PasskeySupport? = nil
    ) -> Visit {
        let channel = Identifier(loginID: name).flatMap(reach.channel) ?? .email
        let progress = SignInProgress(
            goal, loginID: String(name.prefix(Identifier.bytesMax)),
            channel: channel.rawValue, browser: Self.mark(browser), choice: choice,
            chosenHash: chosenHash, name: displayName, passkeys: passkeys)
        return Visit(
            passage: SignInPassage(journey: journey, progress: progress, startedAt: services.ambient.now()), sealed: "",
            request: request, context: context, browser: browser)
    }

    private func loginPage(
        _ journey: AuthorizationJourney, client: Client, user: User?, problem: LoginPage.Problem?, _ request: Request,
        status: HTTPResponse.Status = .ok, typed: String? = nil, signals: [PasskeySignal] = []
    ) async throws -> Response {
        let browser = authorize.cookies.browser(request) ?? services.ambient.randomToken(byteCount: 16)
        let sealed = services.journeys.close(journey, kind: AuthorizeRoutes.seal)
        var ways = LoginPage.Ways()
        ways.passkey = try await passkeyButton(for: user, in: browser, isAgain: problem?.isAboutPasskey == true)
        if let kind = reach.kind {
            ways.sendsTo = kind
            ways.resetURI = "\(Self.resetPath)?journey=\(sealed)"
            if user == nil { ways.signUpURI = "\(Self.signUpPath)?journey=\(sealed)" }
        }
        let page = LoginPage(
            journey: sealed, csrf: authorize.guardian.token(browser: browser, session: nil, journey: sealed),
            clientName: client.name, loginHint: typed ?? journey.loginHint, problem: problem,
            reauthenticating: user.map { $0.displayName ?? $0.id.rawValue }, redirectOrigins: [journey.redirectURI],
            ways: ways, signals: signals)
        return authorize.presenter.response(
            page, look: authorize.look(journey, request), status: status,
            cookies: [authorize.cookies.setBrowser(browser)])
    }

    /// The page once more, with what is wrong and the name as it was typed.
    ///
    /// - Parameter user: who must sign in again, and nobody else.
    func loginAgain(
        _ journey: AuthorizationJourney, _ problem: LoginPage.Problem, _ status: HTTPResponse.Status,
        _ form: FormParameters, _ request: Request, _ context: WebContext, user: User? = nil,
        signals: [PasskeySignal] = []
    ) async throws -> Response {
        guard let client = services.authorization.client(of: journey) else {
            return authorize.expired(request, context)
        }
        return try await loginPage(
            journey, client: client, user: user, problem: problem, request, status: status,
            typed: form.values("username").first.map { String($0.prefix(Identifier.bytesMax)) }, signals: signals)
    }
}
