internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth
internal import SignIn

/// `/oauth2/end_session` and `/logout` (OpenID Connect RP-Initiated Logout §2).
struct EndSessionRoutes: Sendable {
    let checks: Checks
    let presenter: Presenter
    let gate: FederationGate

    private var services: IdentityServices { checks.services }
    private static let seal = "logout"
    private static let path = "/logout"

    var routes: [Route] {
        let why = "ends nothing that the user was not asked about, or that a token does not name"
        return [
            Route(.get, Routes.endSession, open: why, isPage: true, handler: endSession),
            Route(.post, Routes.endSession, open: why, isPage: true, handler: endSession),
            Route(.get, Self.path, open: "asks the user, and ends nothing", isPage: true, handler: showLogout),
            Route(.post, Self.path, logoutForm, isPage: true, handler: logout),
        ]
    }

    /// `GET` and `POST /oauth2/end_session`.
    @Sendable private func endSession(_ request: Request, _ context: WebContext) async throws -> Response {
        let logout = try LogoutRequest(try await request.parameters())
        if request.method == .post, !checks.hasSessionCookie(request) {
            // A form posted by another site comes without this server's cookies; a new GET brings them.
            return .seeOther("\(Routes.endSession)?\(logout.parameters.encoded)")
        }
        let person = try await checks.person(request)
        switch services.endSession.start(logout, session: person?.session) {
        case .refused(let detail):
            return presenter.error(.badRequest, detail, status: .badRequest, request, context)
        case .nobody(let transaction):
            try await services.endSession.endGrant(of: logout)
            return signedOut(transaction, request)
        case .end(let transaction):
            guard let person else { return signedOut(transaction, request) }
            return try await end(person, transaction, request, afterForm: request.method == .post)
        case .confirm(let transaction):
            try await services.endSession.endGrant(of: logout)
            return confirm(transaction, person, request)
        }
    }

    /// `GET /logout`: the user opened the page directly.
    @Sendable private func showLogout(_ request: Request, _ context: WebContext) async throws -> Response {
        let person = try await checks.person(request)
        guard case .confirm(let transaction) = services.endSession.start(LogoutRequest(), session: person?.session)
        else { return presenter.response(SignedOutPage(), look: presenter.look(request)) }
        return confirm(transaction, person, request)
    }

    /// The form of the sign-out page, sent by the session that the page was shown to.
    private struct LogoutForm: Sendable {
        let transaction: LogoutTransaction
        let person: SignedInPerson?
        let form: SameSiteForm
    }

    private var logoutForm: Check<LogoutForm> {
        checks.anyForm.then(Demand(.logout, PageProblem.signOutExpired.refusal)) { fields, _, _ in
            let sealed = try fields.one("request") ?? ""
            guard let transaction = services.transactions.open(sealed, as: LogoutTransaction.self, kind: Self.seal)
            else {
                throw PageProblem.signOutExpired
            }
            return (fields, sealed, transaction)
        }.then(.sameSite) { opened, request, _ in
            let (fields, sealed, transaction) = opened
            let person = try await checks.person(request)
            let form = try checks.sameSite(
                fields, request, token: try fields.one("csrf") ?? "", transaction: sealed, session: person?.session.id)
            return LogoutForm(transaction: transaction, person: person, form: form)
        }
    }

    /// `POST /logout`: the user's decision.
    @Sendable private func logout(
        _ asked: LogoutForm, _ request: Request, _ context: WebContext
    ) async throws -> Response {
        if try asked.form.one("action") == "deny" { return .seeOther(Routes.settings) }
        guard let person = asked.person else { return signedOut(asked.transaction, request) }
        return try await end(person, asked.transaction, request, afterForm: true)
    }

    /// Ends the session, and then leads to the provider where it began, if that wants to know.
    private func end(
        _ person: SignedInPerson, _ transaction: LogoutTransaction, _ request: Request, afterForm: Bool
    ) async throws -> Response {
        let providers = ProviderSignOut(checks: checks, gate: gate)
        let origin = try await providers.origin(of: person.session)
        try await services.endSession.end(person.session)
        let sealed = services.transactions.close(transaction, kind: Self.seal)
        let browser = checks.browser(request)
        guard let origin,
            var response = try await providers.depart(
                origin, then: sealed, in: browser, afterForm: afterForm,
                look: presenter.look(request, uiLocales: transaction.uiLocales))
        else { return signedOut(transaction, request) }
        for cookie in [checks.cookies.clearSession(), checks.cookies.setBrowser(browser)] {
            response.headers.append(HTTPField(name: .setCookie, value: cookie))
        }
        return response
    }

    /// After the provider's part of a sign-out.
    ///
    /// - Parameter sealed: what ``ProviderSignOut`` kept; `nil` or changed: only the page says that the user is signed out.
    func finish(_ sealed: String?, _ request: Request) -> Response {
        guard let sealed,
            let transaction = services.transactions.open(sealed, as: LogoutTransaction.self, kind: Self.seal)
        else { return presenter.response(SignedOutPage(), look: presenter.look(request)) }
        return signedOut(transaction, request)
    }

    private func confirm(_ transaction: LogoutTransaction, _ person: SignedInPerson?, _ request: Request) -> Response {
        let browser = checks.browser(request)
        let sealed = services.transactions.close(transaction, kind: Self.seal)
        let page = LogoutPage(
            request: sealed,
            csrf: checks.guardian.token(browser: browser, session: person?.session.id, transaction: sealed),
            userName: person?.user.displayName,
            redirectOrigins: transaction.redirectURI.map { [$0] } ?? [])
        return presenter.response(
            page, look: presenter.look(request, uiLocales: transaction.uiLocales),
            cookies: [checks.cookies.setBrowser(browser)])
    }

    private func signedOut(_ transaction: LogoutTransaction, _ request: Request) -> Response {
        let fields = checks.signedOutCookies
        if let location = transaction.location { return .seeOther(location, cookies: fields) }
        return presenter.response(
            SignedOutPage(), look: presenter.look(request, uiLocales: transaction.uiLocales), cookies: fields)
    }
}
