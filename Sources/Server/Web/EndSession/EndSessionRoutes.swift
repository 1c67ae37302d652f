internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth
internal import SignIn

/// `/oauth2/end_session` and `/logout` (OpenID Connect RP-Initiated Logout §2).
struct EndSessionRoutes: Sendable {
    let services: IdentityServices
    let cookies: Cookies
    let guardian: CrossSiteGuard
    let presenter: Presenter

    private static let seal = "logout"

    /// `GET` and `POST /oauth2/end_session`.
    @Sendable func endSession(_ request: Request, _ context: WebContext) async throws -> Response {
        let logout = try LogoutRequest(try await request.parameters())
        if request.method == .post, cookies.session(request) == nil {
            // A form posted by another site comes without our cookies; a fresh GET brings them.
            return .seeOther("\(Routes.endSession)?\(logout.parameters.encoded)")
        }
        let session = try await services.signIn.session(of: cookies.session(request))
        switch services.endSession.start(logout, session: session?.0) {
        case .refused(let detail):
            return presenter.error(.badRequest, detail, status: .badRequest, request, context)
        case .nobody(let journey):
            try await services.endSession.endGrant(of: logout)
            return signedOut(journey, request)
        case .end(let journey):
            if let session { try await services.endSession.end(session.0) }
            return signedOut(journey, request)
        case .confirm(let journey):
            try await services.endSession.endGrant(of: logout)
            return confirm(journey, session: session, request)
        }
    }

    /// `GET /logout`: somebody came here by hand.
    @Sendable func showLogout(_ request: Request, _ context: WebContext) async throws -> Response {
        let session = try await services.signIn.session(of: cookies.session(request))
        guard case .confirm(let journey) = services.endSession.start(LogoutRequest(), session: session?.0)
        else { return presenter.response(SignedOutPage(), look: presenter.look(request)) }
        return confirm(journey, session: session, request)
    }

    /// `POST /logout`: the person's own decision.
    @Sendable func logout(_ request: Request, _ context: WebContext) async throws -> Response {
        let form = try await request.formParameters()
        let text = try form.one("request") ?? ""
        guard let journey = services.journeys.open(text, as: LogoutJourney.self, kind: Self.seal) else {
            return presenter.error(
                .expired, "The sign-out took too long or was changed on its way.", status: .badRequest, request, context
            )
        }
        let session = try await services.signIn.session(of: cookies.session(request))
        guard
            guardian.admits(
                try form.one("csrf"), request, browser: cookies.browser(request), session: session?.0.id, journey: text)
        else {
            return presenter.error(
                .cookiesBlocked, "The form did not come from a page that this server showed in this browser.",
                status: .forbidden, request, context)
        }
        if try form.one("action") == "deny" { return .seeOther(SettingsSection.overview.path) }
        if let session { try await services.endSession.end(session.0) }
        return signedOut(journey, request)
    }

    private func confirm(
        _ journey: LogoutJourney, session: (BrowserSession, User)?, _ request: Request
    ) -> Response {
        let browser = cookies.browser(request) ?? services.ambient.randomToken(byteCount: 16)
        let sealed = services.journeys.close(journey, kind: Self.seal)
        let page = LogoutPage(
            request: sealed, csrf: guardian.token(browser: browser, session: session?.0.id, journey: sealed),
            userName: session?.1.displayName,
            redirectOrigins: journey.redirectURI.map { [$0] } ?? [])
        return presenter.response(
            page, look: presenter.look(request, uiLocales: journey.uiLocales), cookies: [cookies.setBrowser(browser)])
    }

    private func signedOut(_ journey: LogoutJourney, _ request: Request) -> Response {
        if let location = journey.location { return .seeOther(location, cookies: [cookies.clearSession()]) }
        return presenter.response(
            SignedOutPage(), look: presenter.look(request, uiLocales: journey.uiLocales),
            cookies: [cookies.clearSession()])
    }
}
