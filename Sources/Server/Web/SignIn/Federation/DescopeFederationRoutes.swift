internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import SignIn

/// `/v1/auth/oauth/…`, `/v1/auth/sso/…` and `/v1/auth/saml/…`: sign-ins at providers that apps begin.
struct DescopeFederationRoutes: Sendable {
    let frame: DescopeMiddleware
    let signIn: SignInRoutes

    private var services: IdentityServices { frame.services }
    private var gate: FederationGate { signIn.gate }
    private var federation: MethodFederation {
        MethodFederation(services.federation, core: services.methods.codes.core)
    }

    /// Where the user's browser leaves for the provider. One segment, so that no connection's address is like it.
    static let departurePath = "/federation"

    var routes: [Route] {
        [
            frame.route(.post, "/v1/auth/oauth/authorize", run: startSocial),
            frame.route(.post, "/v1/auth/sso/authorize", run: startSSO),
            frame.route(.post, "/v1/auth/saml/authorize", run: startSSO),
            frame.route(.post, "/v1/auth/oauth/exchange") { try await exchange($0, .social) },
            frame.route(.post, "/v1/auth/sso/exchange") { try await exchange($0, .sso) },
            frame.route(.post, "/v1/auth/saml/exchange") { try await exchange($0, .sso) },
            Route(
                .get, Self.departurePath, open: "the ticket that it carries is sealed by this server", isPage: true,
                handler: depart),
        ]
    }

    @Sendable private func startSocial(_ request: MethodRequest) async throws -> JSONValue {
        let asked = try SocialStartRequest(query: request.query, body: request.body)
        guard let connection = gate.connection(asked.provider), connection.tenantID == nil else {
            throw MethodProblem.providerRefused.saying("There is no such provider")
        }
        return try await start(
            .social, connection, asked.redirectURL, asked.options, loginHint: nil, isForced: false, request)
    }

    @Sendable private func startSSO(_ request: MethodRequest) async throws -> JSONValue {
        let asked = try SSOStartRequest(query: request.query, body: request.body)
        guard [nil, "login"].contains(asked.prompt) else {
            throw MethodProblem.invalidArguments.saying("Of prompt, login alone is sent on")
        }
        guard let connection = try await connection(of: asked), gate.connection(connection.id) != nil else {
            // The same for every unknown domain, tenant and user.
            throw MethodProblem.badRequest.saying("There is no single sign-on for this tenant")
        }
        let hint = asked.loginHint ?? (asked.tenant.contains("@") ? asked.tenant : nil)
        return try await start(
            .sso, connection, asked.redirectURL, asked.options, loginHint: hint,
            isForced: asked.forcesAuthentication || asked.prompt != nil, request)
    }

    /// By the tenant's identifier or name, a domain that it has proven, or an address there.
    private func connection(of asked: SSOStartRequest) async throws -> Connection? {
        let name = asked.tenant
        var tenant = services.directory.tenant(name)?.id
        if tenant == nil {
            let named = services.directory.tenants.filter { $0.name == name }
            tenant = named.count == 1 ? named[0].id : nil
        }
        if tenant == nil {
            let routed = try await gate.connection(forAddress: name.contains("@") ? name : "x@\(name)")
            guard let ssoID = asked.ssoID else { return routed }
            tenant = routed?.tenantID
            guard let tenant else { return nil }
            return MethodFederation.connection(of: tenant, ssoID, in: services.connections)
        }
        guard let tenant else { return nil }
        return MethodFederation.connection(of: tenant, asked.ssoID, in: services.connections)
    }

    private func start(
        _ kind: MethodFederation.Kind, _ connection: Connection, _ redirectURL: String?, _ options: LoginOptions,
        loginHint: String?, isForced: Bool, _ request: MethodRequest
    ) async throws -> JSONValue {
        let presented = try await frame.checks.session(request.bearer, for: options)
        let asked = try federation.asked(
            kind, redirectURL: redirectURL ?? connection.defaultRedirect, options: options, presented: presented,
            loginHint: loginHint)
        let ticket = federation.ticket(asked, at: connection, isForced: isForced)
        return FederationStartAnswer(
            url: "\(services.project.issuer)\(Self.departurePath)?ticket=\(ticket)"
        ).json
    }

    private func exchange(_ request: MethodRequest, _ kind: MethodFederation.Kind) async throws -> JSONValue {
        let code = try ExchangeCodeRequest(request.body).code
        let shown = try await frame.checks.sessionIfGood(request.bearer)
        let proof = try await federation.redeem(code, kind, shown: shown) { gate.connection($0) }
        return try await frame.open(proof, request, shown: shown)
    }

    /// The user's browser leaves for the provider, and only this browser can come back.
    private func depart(_ request: Request, _ context: WebContext) async throws -> Response {
        guard let ticket = try request.queryParameters().one("ticket"),
            let (state, asked) = federation.opened(ticket)
        else { throw PageProblem.expired }
        guard let connection = gate.connection(state.connectionID) else {
            return .seeOther(asked.redirection(problem: FederationProblem.refusal(.connectionOff).word))
        }
        let browser = signIn.checks.browser(request)
        do {
            var response = try await gate.depart(
                to: connection, state.purpose, in: browser, loginHint: asked.loginHint, isForced: state.isForced,
                request, context, look: signIn.presenter.look(request))
            response.headers.append(HTTPField(name: .setCookie, value: signIn.cookies.setBrowser(browser)))
            return response
        } catch let problem as ConnectionProblem {
            services.auditLog.recordOnce(
                AuditEvent(
                    .identityRefused, at: services.ambient.now(), reason: problem.code, target: connection.id))
            return .seeOther(asked.redirection(problem: FederationProblem.connection(problem.kind).word))
        }
    }
}

/// The end of a sign-in that an app began.
extension FederationArrival {
    /// Back to the app with a code, or with a word that says why there is none.
    func handBack(_ text: String, with profile: FederatedProfile, _ connection: Connection) async throws -> Response {
        let services = routes.services
        guard let asked = MethodFederation.asked(in: text) else { throw PageProblem.expired }
        let address = routes.signIn.addresses.address(of: request, context)
        switch try await services.federation.admit(
            profile, at: connection.admitting(newUsers: asked.allowsSignUp), from: address)
        {
        case .refused(let refusal): return try handBack(text, with: .refusal(refusal))
        case .ask:
            // The app has no page on which the user could sign in another way first; this server's own pages have.
            let federation = MethodFederation(services.federation, core: services.methods.codes.core)
            let onwards = try await federation.finishAtRedirect(asked, asking: profile, at: connection)
            return .seeOther(onwards ?? asked.redirection(problem: "sign_in_required"))
        case .user(let account, let isNew):
            try await services.providerTokens.keep(profile, at: connection)
            return .seeOther(
                try await MethodFederation(services.federation, core: services.methods.codes.core).finishAtRedirect(
                    asked, account, at: connection, isFirst: isNew, by: profile))
        }
    }

    /// Back to the app with a word of ours.
    func handBack(_ text: String, with problem: FederationProblem) throws -> Response {
        guard let asked = MethodFederation.asked(in: text) else { throw PageProblem.expired }
        if case .connection(.cancelled) = problem { return .seeOther(asked.redirection(problem: "access_denied")) }
        return .seeOther(asked.redirection(problem: problem.word))
    }
}
