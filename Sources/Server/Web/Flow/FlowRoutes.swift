internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth
internal import SignIn

/// The pages of flows that apps show in web views of their own: the first address, the last page, and the way to
/// providers. The pages between are those of every sign-in.
struct FlowRoutes: Sendable {
    let signIn: SignInRoutes

    var services: IdentityServices { signIn.services }
    var checks: Checks { signIn.checks }
    var presenter: Presenter { signIn.presenter }

    /// The address that Descope's clients open: the project, and the flow in the query.
    static let startPath = "/login/{name}"
    private static let over = PageProblem(
        kind: .expired, detail: "This browser has no such flow, or it is over: its session is handed out once.",
        status: .badRequest)
    private static let whyOpen = "where an app's web view begins, in which no user is signed in yet"

    var routes: [Route] {
        [
            Route(.get, Self.startPath, open: Self.whyOpen, isPage: true, handler: start),
            Route(.get, Routes.flowCancelled, open: "it says that nothing happened", isPage: true, handler: cancelled),
            Route(.get, Routes.flowEnd, checks.transactionPage(), isPage: true, handler: end),
            Route(.post, Routes.flowResult, resultForm, isPage: true, handler: result),
            Route(.get, Routes.flowHandoff, checks.transactionPage(), isPage: true, handler: showHandoff),
            Route(.post, Routes.flowHandoff, checks.transactionForm(), isPage: true, handler: handoff),
        ]
    }

    /// `GET /login/{project}?flow=…`: begins a run.
    @Sendable private func start(_ request: Request, _ context: WebContext) async throws -> Response {
        let query = try request.queryParameters()
        guard request.names(in: Self.startPath).first == services.project.id else {
            return presenter.error(
                .notFound, "There is no project of this identifier here.", status: .notFound, request, context)
        }
        let browser = checks.browser(request)
        let name = String((try query.one("flow") ?? "").prefix(Limits.journeyNameBytesMax))
        let colorScheme = try query.one("theme")
        var inputs: JourneyInputs?
        if let text = try query.one(AuthorizationEndpoint.journeyInputsParameter) {
            guard let read = JourneyInputs(json: text) else {
                return presenter.error(
                    .badRequest, OAuthProblem.journeyInputs.description ?? "", status: .badRequest, request, context)
            }
            inputs = read
        }
        guard
            let transaction = services.authorization.transaction(
                ofFlow: name, in: Cookies.digest(of: browser), inputs: inputs, cancelledAt: Routes.flowCancelled,
                uiLocales: try query.one("locale").map { String($0.prefix(256)) },
                colorScheme: colorScheme.flatMap { ["light", "dark"].contains($0) ? $0 : nil })
        else {
            return presenter.error(
                .notFound, "There is no flow of this name, or it is for other clients.", status: .notFound, request,
                context)
        }
        return .seeOther(
            signIn.authorize.location(Routes.login, of: transaction), cookies: [signIn.cookies.setBrowser(browser)])
    }

    /// The flow of a transaction, if this browser began it.
    ///
    /// - Throws: ``over``.
    func flow(_ transaction: AuthorizationTransaction, in browser: String?) throws(PageProblem) -> AppFlow {
        guard let flow = transaction.flow, let browser, Cookies.digest(of: browser) == flow.browser,
            !transaction.isExpired(at: services.ambient.now())
        else { throw Self.over }
        return flow
    }

    /// `GET /flow/end`: the last page, whose script fetches the session for the app.
    @Sendable private func end(
        _ opened: OpenedTransaction, _ request: Request, _ context: WebContext
    ) async throws -> Response {
        let transaction = opened.transaction
        _ = try flow(transaction, in: signIn.cookies.browser(request))
        let person = try await checks.person(request)
        let step = try await services.authorization.next(transaction, session: person?.asPair)
        guard case .flow = step, let person else {
            return try await signIn.authorize.respond(step, transaction, request, context)
        }
        let browser = checks.browser(request)
        let sealed = checks.sealed(transaction)
        let form = PageForm(
            action: Routes.flowResult, transaction: sealed,
            csrf: checks.guardian.token(browser: browser, session: person.session.id, transaction: sealed))
        return presenter.response(FlowEndPage(form: form), look: signIn.authorize.look(transaction, request))
    }

    /// The form of the last page, sent by the session that the page was shown to.
    private struct ResultForm: Sendable {
        let transaction: AuthorizationTransaction
        let person: SignedInPerson?
        let form: SameSiteForm
    }

    private var resultForm: Check<ResultForm> {
        checks.transactionInForm().then(.sameSite) { opened, request, _ in
            let person = try await checks.person(request)
            let form = try checks.sameSite(opened.fields, request, session: person?.session.id)
            return ResultForm(transaction: opened.transaction, person: person, form: form)
        }
    }

    /// `POST /flow/result`: the session, once, for the browser that went through the flow. Its own session ends: the
    /// app has the user's from here on.
    @Sendable private func result(
        _ asked: ResultForm, _ request: Request, _ context: WebContext
    ) async throws -> Response {
        let transaction = asked.transaction
        let flow = try flow(transaction, in: asked.form.browser)
        let step = try await services.authorization.next(transaction, session: asked.person?.asPair)
        guard case .flow = step, let person = asked.person else { throw Self.over }
        guard try await services.stores.spent.spend(flow.mark(transaction)) else { throw Self.over }
        let answer: SessionAnswer
        do {
            answer = try await services.sessions.open(
                afterFlowOf: person.user, services.authorization.facts(transaction, person.session),
                tenant: transaction.journeyTenant, isFirst: person.user.createdAt >= transaction.startedAt,
                from: checks.addresses.address(of: request, context))
        } catch is MethodProblem {
            throw Self.over
        }
        _ = try await services.stores.sessions.end(
            person.session.id, of: person.user.id, at: services.ambient.now())
        var response = Response.json(answer.json.serialized)
        response.headers[.cacheControl] = "no-store"
        for field in checks.signedOutCookies { response.headers.append(HTTPField(name: .setCookie, value: field)) }
        return response
    }

    /// `GET /flow/cancelled`.
    @Sendable private func cancelled(_ request: Request, _ context: WebContext) async throws -> Response {
        var look = presenter.look(request)
        look.flow = PageFlow(name: "", project: services.project)
        return presenter.response(FlowCancelledPage(), look: look)
    }
}
