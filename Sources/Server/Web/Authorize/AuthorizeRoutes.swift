internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth
internal import SignIn

/// `/oauth2/authorize` and `/consent`: where a request begins and where it ends, with the sign-in between them.
///
/// Each handler opens the sealed journey, checks who sent the form, and asks the rules what comes next.
struct AuthorizeRoutes: Sendable {
    let services: IdentityServices
    let cookies: Cookies
    let guardian: CrossSiteGuard
    let presenter: Presenter
    let addresses: ClientAddress

    /// The kind under which journeys are sealed.
    static let seal = "authorization"

    /// `GET` and `POST /oauth2/authorize` (RFC 6749 §3.1, OpenID Connect Core §3.1.2.1).
    @Sendable func authorize(_ request: Request, _ context: WebContext) async throws -> Response {
        try await begin(request, context, services.authorization)
    }

    /// The same, at the server's address or at a realm's.
    func begin(
        _ request: Request, _ context: WebContext, _ endpoint: AuthorizationEndpoint
    ) async throws -> Response {
        switch try await endpoint.start(try await request.parameters()) {
        case .page(let refusal):
            return refused(refusal, request, context)
        case .answer(let answer):
            let user = answer.isHeld ? try await session(request)?.1.id : nil
            return respond(try await services.authorization.released(answer, for: user), request, context)
        case .journey(let journey):
            // A form posted by another site comes without our cookies; a fresh GET brings them.
            if request.method == .post { return .seeOther(location(signInPath(journey), of: journey)) }
            return try await proceed(journey, session: try await session(request), request, context)
        }
    }

    /// `GET /consent`.
    @Sendable func showConsent(_ request: Request, _ context: WebContext) async throws -> Response {
        guard let journey = journey(try request.queryParameters()) else { return expired(request, context) }
        let session = try await session(request)
        let step = try await services.authorization.next(journey, session: session)
        guard case .consent(let client, let scope, let user) = step, let session else {
            return try await respond(step, journey, request, context)
        }
        let browser = cookies.browser(request) ?? services.ambient.randomToken(byteCount: 16)
        let sealed = services.journeys.close(journey, kind: Self.seal)
        let page = ConsentPage(
            journey: sealed, csrf: guardian.token(browser: browser, session: session.0.id, journey: sealed),
            clientName: client.name, policyURI: client.metadata.policyURI, tosURI: client.metadata.tosURI,
            userName: user.displayName ?? user.id.rawValue, scopes: scope.names,
            details: journey.requestedDetails?.elements ?? [], isUnverified: client.isUnverified,
            destination: RedirectURI.webOrigin(journey.redirectURI) ?? journey.redirectURI,
            redirectOrigins: [journey.redirectURI])
        return presenter.response(
            page, look: look(journey, request), cookies: [cookies.setBrowser(browser)])
    }

    /// `POST /consent`.
    @Sendable func consent(_ request: Request, _ context: WebContext) async throws -> Response {
        let form = try await request.formParameters()
        guard let journey = journey(form) else { return expired(request, context) }
        let session = try await session(request)
        guard admits(form, request, session: session?.0) else { return crossSite(request, context) }
        if try form.one("action") == "deny" {
            return respond(try await services.authorization.deny(journey, session: session?.0), request, context)
        }
        let step = try await services.authorization.next(journey, session: session)
        guard case .consent = step, let session else { return try await respond(step, journey, request, context) }
        return respond(try await services.authorization.allow(journey, session: session.0), request, context)
    }

    /// Where the journey leads next, by address: no page is ever the answer to a form.
    func proceed(
        _ journey: AuthorizationJourney, session: (BrowserSession, User)?, _ request: Request, _ context: WebContext
    ) async throws -> Response {
        try await respond(try await services.authorization.next(journey, session: session), journey, request, context)
    }

    func respond(
        _ step: AuthorizationEndpoint.Step, _ journey: AuthorizationJourney, _ request: Request, _ context: WebContext
    ) async throws -> Response {
        switch step {
        case .signIn: .seeOther(location(signInPath(journey), of: journey))
        case .consent: .seeOther(location("/consent", of: journey))
        case .settings(let action):
            .seeOther(location(SettingsSection(action)?.path ?? SettingsSection.overview.path, of: journey))
        case .answer(let answer): respond(answer, request, context)
        case .expired: expired(request, context)
        }
    }

    func respond(_ answer: AuthorizationAnswer, _ request: Request, _ context: WebContext) -> Response {
        if answer.isHeld, case .refused(let problem) = answer.response.outcome {
            return refused(.refused(problem), request, context)
        }
        guard answer.mode == .formPost else { return .seeOther(answer.location) }
        let fields = answer.response.parameters.all.map { (name: $0.name, value: $0.value) }
        return presenter.response(
            FormPostPage(action: answer.redirectURI, fields: fields), look: presenter.look(request))
    }
}

extension AuthorizeRoutes {
    func session(_ request: Request) async throws -> (BrowserSession, User)? {
        try await services.signIn.session(of: cookies.session(request))
    }

    func journey(_ form: FormParameters) -> AuthorizationJourney? {
        form.values("journey").first.flatMap {
            services.journeys.open($0, as: AuthorizationJourney.self, kind: Self.seal)
        }
    }

    /// The first page of a sign-in: the sign-up page if the app asks for it.
    private func signInPath(_ journey: AuthorizationJourney) -> String {
        journey.asks(.create) ? SignInRoutes.signUpPath : "/login"
    }

    func location(_ path: String, of journey: AuthorizationJourney) -> String {
        "\(path)?journey=\(services.journeys.close(journey, kind: Self.seal))"
    }

    func admits(_ form: FormParameters, _ request: Request, session: BrowserSession?) -> Bool {
        guardian.admits(
            form.values("csrf").first, request, browser: cookies.browser(request), session: session?.id,
            journey: form.values("journey").first ?? "")
    }

    func look(_ journey: AuthorizationJourney, _ request: Request) -> PageLook {
        presenter.look(request, uiLocales: journey.uiLocales, colorScheme: journey.colorScheme)
    }

    func expired(_ request: Request, _ context: WebContext) -> Response {
        presenter.error(
            .expired, "The sign-in took too long or was changed on its way.", status: .badRequest, request, context)
    }

    func crossSite(_ request: Request, _ context: WebContext) -> Response {
        presenter.error(
            .cookiesBlocked, "The form did not come from a page that this server showed in this browser.",
            status: .forbidden, request, context)
    }

    private func refused(_ refusal: AuthorizationRefusal, _ request: Request, _ context: WebContext) -> Response {
        switch refusal {
        case .unknownClient:
            presenter.error(.unknownClient, "Unknown client_id.", status: .badRequest, request, context)
        case .redirectMismatch:
            presenter.error(
                .redirectMismatch, "redirect_uri is missing, or is not one that the client registered.",
                status: .badRequest, request, context)
        case .malformed(let detail):
            presenter.error(.badRequest, detail, status: .badRequest, request, context)
        case .unknownRequest:
            presenter.error(
                .expired, "invalid_request_uri: request_uri is unknown here, another client's, too old, or answered.",
                status: .badRequest, request, context)
        case .refused(let problem):
            presenter.error(
                .badRequest, "\(problem.code.rawValue): \(problem.description ?? "")", status: .badRequest, request,
                context)
        }
    }
}
