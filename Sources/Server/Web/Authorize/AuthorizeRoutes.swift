internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth
internal import SignIn

/// `/oauth2/authorize` and `/consent`: the beginning and the end of a request, with the sign-in between them.
///
/// Each handler asks ``AuthorizationEndpoint`` for the next step.
struct AuthorizeRoutes: Sendable {
    let checks: Checks
    let presenter: Presenter

    private var services: IdentityServices { checks.services }

    static let whyOpen = "where everybody begins, who is not signed in yet"

    var routes: [Route] {
        [
            Route(.get, Routes.authorize, open: Self.whyOpen, isPage: true, handler: authorize),
            Route(.post, Routes.authorize, open: Self.whyOpen, isPage: true, handler: authorize),
            Route(.get, Routes.consent, checks.transactionPage(), isPage: true, handler: showConsent),
            Route(.post, Routes.consent, answeredForm, isPage: true, handler: consent),
            Route(.get, Routes.continuation, checks.transactionPage(), isPage: true, handler: showContinuation),
            Route(.post, Routes.continuation, answeredForm, isPage: true, handler: continuation),
            Route(.get, Routes.promotion, checks.transactionPage(), isPage: true, handler: showPromotion),
            Route(.post, Routes.promotion, answeredForm, isPage: true, handler: promotion),
        ]
    }

    /// `GET` and `POST /oauth2/authorize` (RFC 6749 §3.1, OpenID Connect Core §3.1.2.1).
    @Sendable private func authorize(_ request: Request, _ context: WebContext) async throws -> Response {
        try await begin(request, context, services.authorization)
    }

    /// Starts a request at the server's own address or at a realm's.
    func begin(
        _ request: Request, _ context: WebContext, _ endpoint: AuthorizationEndpoint
    ) async throws -> Response {
        let parameters = try await request.parameters()
        if AuthorizationEndpoint.opensPage(parameters) { return try await openPage(parameters, request, context) }
        guard let opening = AppSessionOpening(parameters) else {
            return try await begin(parameters, nil, request, context, endpoint)
        }
        return try await open(opening, request, context, endpoint)
    }

    /// - Parameter opened: the user of an app's session; `nil`: the browser's own session counts.
    func begin(
        _ parameters: FormParameters, _ opened: SignedInPerson?, _ request: Request, _ context: WebContext,
        _ endpoint: AuthorizationEndpoint
    ) async throws -> Response {
        switch try await endpoint.start(parameters) {
        case .page(let refusal):
            return refused(refusal, request, context)
        case .answer(let answer):
            let user = answer.isHeld ? try await checks.person(request)?.user.id : nil
            return respond(try await services.authorization.released(answer, for: user), request, context)
        case .transaction(let transaction):
            // A form posted by another site comes without this server's cookies; a new GET brings them.
            if request.method == .post { return .seeOther(location(signInPath(transaction), of: transaction)) }
            // An app's session opens settings. It is no sign-in to this or another app.
            var person = transaction.settingsAction == nil ? nil : opened
            if person == nil { person = try await checks.person(request) }
            if person == nil, let answer = try await answerByPass(transaction, request, context) { return answer }
            return try await proceed(transaction, session: person?.asPair, request, context)
        }
    }

    /// `GET /consent`.
    @Sendable private func showConsent(
        _ opened: OpenedTransaction, _ request: Request, _ context: WebContext
    ) async throws -> Response {
        var transaction = opened.transaction
        let person = try await checks.person(request)
        let step = try await services.authorization.next(transaction, session: person?.asPair)
        guard case .consent(let client, let asked, let user) = step, let person else {
            return try await respond(step, transaction, request, context)
        }
        transaction.shownClaims = asked.claims
        let browser = checks.browser(request)
        let sealed = checks.sealed(transaction)
        let page = ConsentPage(
            transaction: sealed,
            csrf: checks.guardian.token(browser: browser, session: person.session.id, transaction: sealed),
            clientName: client.name, policyURI: client.metadata.policyURI, tosURI: client.metadata.tosURI,
            userName: user.displayName ?? user.id.rawValue, scopes: asked.scope.names, claims: asked.claims,
            resources: services.clients.named(asked.resources), details: transaction.requestedDetails?.elements ?? [],
            isUnverified: client.isUnverified,
            destination: URIParts.origin(of: transaction.redirectURI) ?? transaction.redirectURI,
            redirectOrigins: [transaction.redirectURI])
        return presenter.response(
            page, look: look(transaction, request), cookies: [checks.cookies.setBrowser(browser)])
    }

    /// The form of a page that asks the signed-in user, sent by the session that the page was shown to.
    struct AnsweredForm: Sendable {
        let transaction: AuthorizationTransaction
        let person: SignedInPerson?
        let form: SameSiteForm
    }

    private var answeredForm: Check<AnsweredForm> {
        checks.transactionInForm().then(.sameSite) { opened, request, _ in
            let person = try await checks.person(request)
            let form = try checks.sameSite(opened.fields, request, session: person?.session.id)
            return AnsweredForm(transaction: opened.transaction, person: person, form: form)
        }
    }

    /// `POST /consent`.
    @Sendable private func consent(
        _ asked: AnsweredForm, _ request: Request, _ context: WebContext
    ) async throws -> Response {
        let (transaction, session) = (asked.transaction, asked.person?.session)
        if try asked.form.one("action") == "deny" {
            return respond(try await services.authorization.deny(transaction, session: session), request, context)
        }
        let step = try await services.authorization.next(transaction, session: asked.person?.asPair)
        // With more than the page showed, it is shown again.
        guard case .consent(_, let needed, _) = step, let session,
            needed.claims.isSubset(of: transaction.shownClaims ?? [])
        else { return try await respond(step, transaction, request, context) }
        return respond(try await services.authorization.allow(transaction, session: session), request, context)
    }

    /// Redirects to the next step of the transaction: a page is never the answer to a form.
    func proceed(
        _ transaction: AuthorizationTransaction, session: (BrowserSession, User)?, _ request: Request,
        _ context: WebContext
    ) async throws -> Response {
        try await respond(
            try await services.authorization.next(transaction, session: session), transaction, request, context)
    }

    func respond(
        _ step: AuthorizationEndpoint.Step, _ transaction: AuthorizationTransaction, _ request: Request,
        _ context: WebContext
    ) async throws -> Response {
        switch step {
        case .signIn: .seeOther(location(signInPath(transaction), of: transaction))
        case .consent: .seeOther(location(Routes.consent, of: transaction))
        case .confirmation: .seeOther(location(Routes.continuation, of: transaction))
        case .promotion: .seeOther(location(Routes.promotion, of: transaction))
        case .settings(let action): .seeOther(location(Routes.settings(action), of: transaction))
        case .flow: .seeOther(location(Routes.flowEnd, of: transaction))
        case .answer(let answer): respond(answer, request, context)
        case .expired: throw PageProblem.expired
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
    /// The first page of a sign-in: the sign-up page if the app asks for it, and no user has signed in yet.
    private func signInPath(_ transaction: AuthorizationTransaction) -> String {
        transaction.asks(.create) && transaction.authenticatedSession == nil ? Routes.signUp : Routes.login
    }

    func location(_ path: String, of transaction: AuthorizationTransaction) -> String {
        "\(path)?transaction=\(checks.sealed(transaction))"
    }

    func look(_ transaction: AuthorizationTransaction, _ request: Request) -> PageLook {
        var look = presenter.look(
            request, uiLocales: transaction.uiLocales, colorScheme: transaction.colorScheme,
            journey: transaction.journey)
        look.flow = transaction.flow.map { flow in
            let asks = services.authorization.awaitsInputs(transaction)
            return PageFlow(
                name: flow.name, project: services.project,
                inputsAt: asks ? FlowInputsAddress.of(transaction, flow, services.project) : nil)
        }
        return look
    }

    func refused(_ refusal: AuthorizationRefusal, _ request: Request, _ context: WebContext) -> Response {
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
