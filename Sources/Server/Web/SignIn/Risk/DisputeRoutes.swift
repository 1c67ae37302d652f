internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import SignIn

/// `/sign-in/dispute`: the link in the message about a new sign-in. It works without a session: what it disputes may
/// be over, and its reader may be signed in nowhere.
extension SignInRoutes {
    static let disputePath = SignInRisks.disputePath

    var disputeRoutes: [Route] {
        [
            Route(.get, Self.disputePath, open: Self.whyLink, isPage: true, handler: showDispute),
            Route(.post, Self.disputePath, checks.linkTokenForm, isPage: true, handler: dispute),
        ]
    }

    /// `GET`: says what the link does. Changes nothing, however often mail scanners open it.
    @Sendable private func showDispute(_ request: Request, _ context: WebContext) async throws -> Response {
        try await disputePage(Secret(try request.queryParameters().one("t") ?? ""), request)
    }

    /// `POST`: ends the sessions.
    @Sendable private func dispute(
        _ posted: LinkTokenForm, _ request: Request, _ context: WebContext
    ) async throws -> Response {
        let isDone = try await services.risks.dispute(posted.token, from: addresses.address(of: request, context))
        if isDone { return disputed(request) }
        if case (_, .carriedOut)? = try await services.risks.describe(posted.token) { return disputed(request) }
        // It is void: nothing was ended.
        return gone(request)
    }

    private func disputePage(_ token: Secret, _ request: Request) async throws -> Response {
        let browser = checks.browser(request)
        let state: DisputePage.State
        switch try await services.risks.describe(token) {
        case (_, .carriedOut)?: return disputed(request)
        case (let dispute, .open)?:
            state = .live(token: token.exposed(), signedInAt: dispute.signedInAt.minuteText)
        case (_, .void)?, nil: return gone(request)
        }
        let form = PageForm(
            action: Self.disputePath, transaction: nil,
            csrf: guardian.token(browser: browser, session: nil, transaction: token.exposed()))
        return presenter.response(
            DisputePage(form: form, state: state, projectName: services.project.name),
            look: presenter.look(request), cookies: [cookies.setBrowser(browser)])
    }

    private func gone(_ request: Request) -> Response {
        presenter.response(
            DisputePage(form: nil, state: .gone, projectName: services.project.name), look: presenter.look(request))
    }

    private func disputed(_ request: Request) -> Response {
        presenter.response(
            DisputePage(form: nil, state: .done, projectName: services.project.name), look: presenter.look(request))
    }
}
