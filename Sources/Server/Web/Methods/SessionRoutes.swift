internal import Hummingbird
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import SignIn

/// What a session of the methods can do: renew itself, end, tell whose it is, choose a tenant. And access keys.
struct SessionRoutes: Sendable {
    let frame: MethodFrame

    private var services: IdentityServices { frame.services }

    var routes: [Route] {
        [
            frame.route(.post, "/v1/auth/refresh", [.session], run: refresh),
            frame.route(.post, "/v1/auth/logout", [.session]) { try await revoke($0, all: false) },
            frame.route(.post, "/v1/auth/logoutall", [.session]) { try await revoke($0, all: true) },
            frame.route(.get, "/v1/auth/me", [.session], run: me),
            frame.route(.post, "/v1/auth/me/tenants", [.session], run: tenants),
            frame.route(.get, "/v1/auth/me/history", [.session], run: history),
            frame.route(.post, "/v1/auth/tenant/select", [.session], run: select),
            frame.route(.post, "/v1/auth/accesskey/exchange", [.accessKey], run: exchange),
        ]
    }

    private func refresh(_ request: MethodRequest) async throws -> JSONValue {
        if let external = try RefreshRequest(request.body).externalToken {
            return try await services.sessions.migrate(external, from: request.address).json
        }
        return try await services.sessions.refresh(request.refreshJWT(), from: request.address).json
    }

    private func revoke(_ request: MethodRequest, all: Bool) async throws -> JSONValue {
        let presented = try await presented(request)
        // Whoever acts as somebody else ends their own session, not those of the other.
        try await services.sessions.revoke(presented, all: all && presented.grant.sessionClaims.actor == nil)
        return [:]
    }

    /// The user, bare.
    private func me(_ request: MethodRequest) async throws -> JSONValue {
        UserAnswer(try await presented(request).account, services.directory).json
    }

    private func tenants(_ request: MethodRequest) async throws -> JSONValue {
        let asked = try TenantsRequest(request.body)
        let presented = try await presented(request)
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

    private func history(_ request: MethodRequest) async throws -> JSONValue {
        .array(try await services.loginHistory(of: [try await presented(request).account.user.id]).map(\.json))
    }

    private func select(_ request: MethodRequest) async throws -> JSONValue {
        let tenant = try SelectTenantRequest(request.body).tenant
        return try await services.sessions.select(tenant: tenant, try await presented(request)).json
    }

    private func exchange(_ request: MethodRequest) async throws -> JSONValue {
        guard let key = request.bearer.accessKey else { throw MethodProblem.missingAccessKey }
        let options = try AccessKeyExchangeRequest(request.body).options
        return try await services.accessKeys.exchange(key, options: options, from: request.address) {
            address, network in
            AddressRange(network)?.contains(address) ?? false
        }.json
    }

    private func presented(_ request: MethodRequest) async throws -> PresentedRefresh {
        try await services.sessions.presented(request.refreshJWT())
    }
}
