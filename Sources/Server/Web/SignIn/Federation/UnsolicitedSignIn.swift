internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth
internal import SignIn

/// A sign-in that the provider began, where the connection allows it: its form comes from another site, without this
/// browser's cookies, and answers no request of ours.
struct UnsolicitedSignIn: Sendable {
    let connection: Connection
    let routes: FederationRoutes

    /// The answer waits for the redirect alone.
    private static let keptSeconds: Int64 = 60

    private var services: IdentityServices { routes.services }
    private var signIn: SignInRoutes { routes.signIn }

    /// Judges the form, and keeps it for the redirect that brings the cookies. What is not accepted is not kept.
    func keep(_ text: String, _ fields: FormParameters, _ request: Request, _ context: WebContext) async throws
        -> Response
    {
        _ = try await profile(fields, request, context)
        guard try await routes.gate.mayDepart(from: signIn.addresses.address(of: request, context)) else {
            throw FederationRoutes.lost
        }
        let handle = routes.states.makeHandle()
        try await routes.states.keep(
            FederationState(
                connectionID: connection.id, purpose: .unsolicited(text), browser: "", protocolState: "",
                startedAt: services.ambient.now()),
            under: handle, seconds: Self.keptSeconds)
        return .seeOther("\(request.target.path)?posted=\(handle)")
    }

    /// After the redirect; `nil`: the request brings something else.
    static func answer(
        _ fields: FormParameters, _ routes: FederationRoutes, _ request: Request, _ context: WebContext
    ) async throws -> Response? {
        guard let handle = try fields.one("posted"), let state = try await routes.states.peek(handle),
            case .unsolicited(let text) = state.purpose
        else { return nil }
        guard request.names(in: FederationRoutes.consumerPath).first == state.connectionID,
            let connection = routes.gate.connection(state.connectionID)
        else { throw FederationRoutes.lost }
        return try await UnsolicitedSignIn(connection: connection, routes: routes)
            .receive(try FederationRoutes.read(text), handle, request, context)
    }

    private func receive(
        _ fields: FormParameters, _ handle: String, _ request: Request, _ context: WebContext
    ) async throws -> Response {
        let profile = try await profile(fields, request, context)
        // Only now: a page that found too many waiting can be loaded again.
        guard try await routes.states.take(handle) != nil else { throw FederationRoutes.lost }
        // Without a request that is spent, the assertion's identifier is all that counts once.
        guard let mark = profile.replay, try await services.stores.spent.spend(mark) else {
            audit("replay", request, context)
            throw FederationRoutes.lost
        }
        let address = signIn.addresses.address(of: request, context)
        switch try await services.federation.admit(profile, at: connection, from: address) {
        case .refused(let refusal): throw problem(.refusal(refusal))
        case .ask: throw problem(.refusal(.unprovenAddress))
        case .user(let account, _):
            // Another site sent this form. It changes no session of another user.
            if let person = try await signIn.checks.person(request), person.user.id != account.user.id {
                audit("other_user", request, context)
                throw Self.otherUser
            }
            try await services.providerTokens.keep(profile, at: connection)
            let browser = signIn.checks.browser(request)
            var response = try await signIn.proved(
                account, by: profile, at: connection,
                FederatedEntry(authorization: nil, landing: landing(fields), browser: browser), request, context)
            response.headers.append(HTTPField(name: .setCookie, value: signIn.cookies.setBrowser(browser)))
            return response
        }
    }

    /// An address that the operator listed, byte for byte; anything else that the form names is not followed.
    private func landing(_ fields: FormParameters) -> String? {
        guard case .saml(let settings) = connection.settings, let listed = settings.landingURIs else { return nil }
        let asked = fields.values("RelayState").first
        return listed.first { $0 == asked } ?? listed.first
    }

    private func profile(_ fields: FormParameters, _ request: Request, _ context: WebContext) async throws
        -> FederatedProfile
    {
        guard let speaker = routes.gate.protocols.of(connection) else { throw FederationRoutes.lost }
        do throws(ConnectionProblem) {
            return try await speaker.unsolicited(
                fields.all.map { (name: $0.name, value: $0.value) }, at: connection)
        } catch {
            guard error.code != ConnectionProblem.busy else { throw ProviderIsBusy() }
            audit(error.code, request, context)
            throw error.code == "unsolicited" ? FederationRoutes.lost : problem(.connection(error.kind))
        }
    }

    private func problem(_ problem: FederationProblem) -> PageProblem {
        PageProblem(
            kind: .expired, detail: Language.english.texts(FederationStrings.self).problem(problem, connection.name),
            status: .badRequest)
    }

    private static let otherUser = PageProblem(
        kind: .expired,
        detail: "Another user is signed in in this browser. Sign out first, then begin again at your provider.",
        status: .conflict)

    private func audit(_ reason: String, _ request: Request, _ context: WebContext) {
        services.auditLog.recordOnce(
            AuditEvent(
                .identityRefused, at: services.ambient.now(),
                address: signIn.addresses.address(of: request, context)?.text, reason: reason, target: connection.id))
    }
}
