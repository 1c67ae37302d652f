internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth
internal import SignIn

/// `/saml/{name}/slo`: single logout of SAML through the browser (Profiles §4.4). A provider's request ends the sessions
/// that began at this connection with the name that it gives, and no others.
struct SingleLogoutRoutes: Sendable {
    let checks: Checks
    let presenter: Presenter
    let gate: FederationGate
    let endSession: EndSessionRoutes

    static let path = "/saml/{name}/slo"
    private static let why = "the message that it carries is signed by the connection's provider"

    private var services: IdentityServices { checks.services }

    var routes: [Route] {
        [
            Route(.get, Self.path, open: Self.why, isPage: true) { request, context in
                try await receive(.query(request.target.query ?? ""), request, context)
            },
            Route(.post, Self.path, open: Self.why, isPage: true) { request, context in
                let fields = try await request.postedForm(max: Limits.providerAnswerBytesMax).fields
                return try await receive(
                    .form(fields.all.map { (name: $0.name, value: $0.value) }), request, context)
            },
        ]
    }

    private static let refused = PageProblem(
        kind: .expired, detail: "The message of your provider was not accepted. Nothing was changed here.",
        status: .badRequest)

    private func receive(_ message: LogoutMessage, _ request: Request, _ context: WebContext) async throws -> Response {
        guard let id = request.names(in: Self.path).first, let connection = gate.connection(id),
            let speaker = gate.protocols.of(connection)?.singleLogout
        else { throw Self.refused }
        let arrival: LogoutArrival
        do throws(ConnectionProblem) {
            arrival = try await speaker.read(message, at: connection)
        } catch {
            guard error.code != ConnectionProblem.busy else { throw ProviderIsBusy() }
            audit(error.code, connection, request, context)
            throw Self.refused
        }
        switch arrival {
        case .request(let asked): return try await end(asked, at: connection, speaker, request, context)
        case .response(let answer): return try await finish(answer, at: connection, request, context)
        }
    }

    /// Ends what the provider says is over, and tells it so.
    private func end(
        _ asked: LogoutArrival.Request, at connection: Connection, _ speaker: any SingleLogout, _ request: Request,
        _ context: WebContext
    ) async throws -> Response {
        let mark = ReplayMark(
            jti: asked.id, of: connection.id, kind: "saml-logout", expiresAt: asked.expiresAt)
        guard try await services.stores.spent.spend(mark) else {
            audit("replay", connection, request, context)
            throw Self.refused
        }
        let origins = try await services.stores.identities.origins(
            named: asked.name, at: connection.id, issuer: asked.issuer, at: services.ambient.now()
        ).filter(asked.covers)
        let ended = try await FederatedSessions(
            stores: services.stores, audit: services.auditLog, ambient: services.ambient
        ).end(origins, at: connection)
        if ended > 0 { services.logoutNotices.wake() }
        do throws(ConnectionProblem) {
            let way = try speaker.answer(asked, at: connection)
            return gate.lead(way, to: connection, afterForm: false, look: presenter.look(request))
        } catch {
            audit(error.code, connection, request, context)
            return endSession.finish(nil, request)
        }
    }

    /// The user comes back from the provider, whose word about its own session changes nothing here.
    private func finish(
        _ answer: LogoutArrival.Response, at connection: Connection, _ request: Request, _ context: WebContext
    ) async throws -> Response {
        let states = services.federation.states
        guard let handle = answer.relayState, let state = try await states.peek(handle),
            case .signedOut(let sealed) = state.purpose, state.connectionID == connection.id,
            state.protocolState == answer.inResponseTo
        else {
            audit("in_response_to", connection, request, context)
            throw Self.refused
        }
        // A form of the provider brings no cookie; another browser's cookie is refused.
        if let browser = checks.cookies.browser(request), Cookies.digest(of: browser) != state.browser {
            throw Self.refused
        }
        guard try await states.take(handle) != nil else { throw Self.refused }
        if !answer.isSuccess { audit("logout_incomplete", connection, request, context) }
        return endSession.finish(sealed, request)
    }

    private func audit(_ reason: String, _ connection: Connection, _ request: Request, _ context: WebContext) {
        services.auditLog.recordOnce(
            AuditEvent(
                .identityRefused, at: services.ambient.now(),
                address: checks.addresses.address(of: request, context)?.text, reason: reason, target: connection.id))
    }
}
