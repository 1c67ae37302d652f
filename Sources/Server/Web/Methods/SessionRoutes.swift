internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import SignIn

/// The calls of a session: renew it, end it, read its user, choose a tenant. And access keys.
struct SessionRoutes: Sendable {
    let frame: DescopeMiddleware

    private var services: IdentityServices { frame.services }

    var routes: [Route] {
        [
            frame.route(.post, "/v1/auth/refresh", renewal) { try await refresh($0.0, $0.1) },
            frame.sessionRoute(.post, "/v1/auth/logout") { try await revoke($0, all: false) },
            frame.sessionRoute(.post, "/v1/auth/logoutall") { try await revoke($0, all: true) },
            frame.sessionRoute(.get, "/v1/auth/me", run: me),
            frame.sessionRoute(.post, "/v1/auth/me/tenants", reading: { try TenantsRequest($0.body) }, run: tenants),
            frame.sessionRoute(.get, "/v1/auth/me/history", run: history),
            frame.sessionRoute(
                .post, "/v1/auth/tenant/select", reading: { try SelectTenantRequest($0.body).tenant }, run: select),
            frame.route(.post, "/v1/auth/accesskey/exchange", accessKey) { try await exchange($0.0, $0.1) },
        ]
    }

    /// What a new session is made from.
    private enum Renewal: Sendable {
        /// Another service's token, which is exchanged.
        case external(Secret)
        case own(ShownRefreshToken)
    }

    private var renewal: Check<(Renewal, MethodRequest)> {
        frame.project().then(.refreshToken) { request, _, _ in
            if let external = try RefreshRequest(request.body).externalToken { return (.external(external), request) }
            return (.own(try frame.checks.refreshToken(request.bearer)), request)
        }
    }

    private func refresh(_ renewal: Renewal, _ request: MethodRequest) async throws -> JSONValue {
        switch renewal {
        case .external(let token): try await services.sessions.migrate(token, from: request.address).json
        case .own(let shown):
            try await services.sessions.refresh(shown.token, from: request.address, kind: request.clientKind).json
        }
    }

    private func revoke(_ session: LiveSession, all: Bool) async throws -> JSONValue {
        try await services.sessions.revoke(session.presented, all: all)
        return [:]
    }

    /// The user, without an envelope.
    private func me(_ session: LiveSession) -> JSONValue {
        UserAnswer(telling: session.presented.account, services.directory, services.project.authority).json
    }

    private func tenants(_ asked: TenantsRequest, _ session: LiveSession, _ request: MethodRequest) -> JSONValue {
        let presented = session.presented
        let own = presented.account.memberships.tenants.keys.sorted()
        let current = presented.grant.tenantID ?? (own.count == 1 ? own[0] : nil)
        let ids = own.filter { id in
            asked.isCurrentOnly ? id == current : asked.ids.isEmpty || asked.ids.contains(id)
        }
        return TenantsAnswer(
            tenants: ids.compactMap(services.directory.tenant).map {
                TenantAnswer(id: $0.id, name: $0.name, customAttributes: $0.attributes)
            }
        ).json
    }

    private func history(_ session: LiveSession) async throws -> JSONValue {
        .array(try await services.loginHistory(of: [session.presented.account.user.id]).map(\.json))
    }

    private func select(_ tenant: String, _ session: LiveSession, _ request: MethodRequest) async throws -> JSONValue {
        try await services.sessions.select(tenant: tenant, session.presented).json
    }

    private var accessKey: Check<(ShownAccessKey, MethodRequest)> {
        frame.project().then(.accessKey) { request, _, _ in
            (try frame.checks.accessKey(request.bearer), request)
        }
    }

    private func exchange(_ shown: ShownAccessKey, _ request: MethodRequest) async throws -> JSONValue {
        let options = try AccessKeyExchangeRequest(request.body).options
        return try await services.accessKeys.exchange(shown.key, options: options, from: request.address).json
    }
}
