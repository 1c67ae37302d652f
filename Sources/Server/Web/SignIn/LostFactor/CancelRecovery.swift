internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import SignIn

/// `/recovery/cancel`: the link in the message about a recovery. Every reader of that message may cancel it.
extension SignInRoutes {
    /// `GET`: says what the link is for. Changes nothing, however often mail scanners open it.
    @Sendable func showCancellation(_ request: Request, _ context: WebContext) async throws -> Response {
        try await cancellation(Secret(try request.queryParameters().one("t") ?? ""), request)
    }

    /// `POST`: cancels.
    @Sendable func cancelRecovery(
        _ posted: LinkTokenForm, _ request: Request, _ context: WebContext
    ) async throws -> Response {
        let isCancelled = try await services.recovery.cancel(
            posted.token, from: addresses.address(of: request, context))
        return isCancelled ? cancelled(request) : try await cancellation(posted.token, request)
    }

    private func cancellation(_ token: Secret, _ request: Request) async throws -> Response {
        let browser = checks.browser(request)
        let state: RecoveryCancelPage.State
        switch try await services.recovery.describe(token) {
        case .cancelled: return cancelled(request)
        case .live(let recovery):
            let seconds = max(0, services.ambient.now().seconds(since: recovery.begunAt))
            state = .live(
                token: token.exposed(), secondsAgo: Int(seconds), from: recovery.readyAt.minuteText)
        case nil: state = .gone
        }
        let form = PageForm(
            action: Self.cancelPath, transaction: nil,
            csrf: guardian.token(browser: browser, session: nil, transaction: token.exposed()))
        return presenter.response(
            RecoveryCancelPage(form: form, state: state, projectName: services.project.name),
            look: presenter.look(request), cookies: [cookies.setBrowser(browser)])
    }

    private func cancelled(_ request: Request) -> Response {
        presenter.response(
            DonePage(
                kind: .recoveryCancelled, way: DonePage.Way(uri: Routes.settingsPassword, appName: nil)),
            look: presenter.look(request))
    }
}
