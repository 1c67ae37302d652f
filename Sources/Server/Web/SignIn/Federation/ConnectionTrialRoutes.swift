internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import SignIn

/// `GET /federation/{name}/try`: an operator's browser leaves for the provider, to try the connection.
struct ConnectionTrialRoutes: Sendable {
    let signIn: SignInRoutes

    static let path = "/federation/{name}/try"

    private var services: IdentityServices { signIn.services }

    var routes: [Route] {
        [
            Route(
                .get, Self.path, open: "the ticket that it carries is sealed by this server", isPage: true,
                handler: depart)
        ]
    }

    private func depart(_ request: Request, _ context: WebContext) async throws -> Response {
        guard let ticket = try request.queryParameters().one("ticket"), let opened = services.trials.opened(ticket),
            case .trial(let handle) = opened.purpose, opened.connectionID == request.names(in: Self.path).first,
            let connection = services.connections.connection(opened.connectionID)
        else { throw PageProblem.expired }
        let browser = signIn.checks.browser(request)
        do {
            var response = try await signIn.gate.depart(
                to: connection, opened.purpose, in: browser, request, context, look: signIn.presenter.look(request))
            response.headers.append(HTTPField(name: .setCookie, value: signIn.cookies.setBrowser(browser)))
            return response
        } catch let problem as ConnectionProblem {
            try await services.trials.keep(
                ConnectionTrials.report(problem, at: connection), under: handle, at: connection)
            return signIn.presenter.response(
                DonePage(kind: .connectionTried, way: nil), look: signIn.presenter.look(request))
        }
    }
}

/// The end of a trial.
extension FederationArrival {
    /// Keeps what came of it, for the operator who began it. No user, no session and no link is made.
    func tried(_ answer: [(name: String, value: String)], _ trial: String) async throws -> Response {
        guard try await routes.states.take(handle) != nil,
            let connection = services.connections.connection(state.connectionID),
            let speaker = routes.gate.protocols.of(connection)
        else { throw PageProblem.expired }
        let report: JSONValue
        do throws(ConnectionProblem) {
            let profile = try await speaker.finish(answer, state, at: connection)
            report = try await self.report(profile, connection)
        } catch {
            report = ConnectionTrials.report(error, at: connection)
        }
        try await services.trials.keep(report, under: trial, at: connection)
        let presenter = routes.signIn.presenter
        return presenter.response(DonePage(kind: .connectionTried, way: nil), look: presenter.look(request))
    }

    private func report(_ profile: FederatedProfile, _ connection: Connection) async throws(ConnectionProblem)
        -> JSONValue
    {
        do throws(StoreError) {
            // What counts once is used up by a trial as well.
            if let mark = profile.replay, try await !services.stores.spent.spend(mark) {
                throw StoreError(.conflict)
            }
            return try await services.trials.report(profile, at: connection)
        } catch {
            throw error.code == .conflict
                ? ConnectionProblem(.refused, code: "replay") : ConnectionProblem(.unavailable, code: "store")
        }
    }
}
