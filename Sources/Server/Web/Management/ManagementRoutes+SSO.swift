internal import Account
internal import Authority
internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import SignIn

/// Single sign-on of tenants (`mgmt.sso`).
extension ManagementRoutes {
    private var sso: TenantSSO {
        TenantSSO(
            editor: connectionEditor, access: services.directory, issuer: services.project.issuer,
            ambient: services.ambient)
    }

    var ssoRoutes: [Route] {
        let sso = sso
        return [
            frame.route(.get, "/v2/mgmt/sso/settings") { request in
                let query = Self.query(request)
                return sso.load(try sso.existing(query), of: try sso.tenant(query))
            },
            frame.route(.get, "/v2/mgmt/sso/settings/all") { request in
                let tenant = try sso.tenant(Self.query(request))
                let own = services.connections.connections(of: tenant.id)
                return ["SSOSettings": .array(own.map { sso.load($0, of: tenant) })]
            },
            frame.route(.get, "/v1/mgmt/sso/settings") { request in
                let query = Self.query(request)
                let loaded = sso.load(try sso.existing(query), of: try sso.tenant(query))
                var members = loaded["saml"]?.objectValue ?? [:]
                members["tenantId"] = loaded["tenant"]?["id"]
                members["domains"] = loaded["tenant"]?["domains"]
                return .object(members)
            },
            change(.post, "/v1/mgmt/sso/settings/new") { _ = try await sso.create($0, by: $1) },
            change(.post, "/v1/mgmt/sso/settings/authtype") { try await sso.setKind($0, by: $1) },
            change(.post, "/v1/mgmt/sso/redirect") { try await sso.setRedirect($0, by: $1) },
            change(.post, "/v1/mgmt/sso/oidc") { try await sso.configureOpenID($0, by: $1) },
            change(.post, "/v1/mgmt/sso/saml") { try await sso.configureSAML($0, by: $1) },
            change(.post, "/v1/mgmt/sso/saml/metadata") { try await sso.configureSAML($0, by: $1) },
            change(.post, "/v1/mgmt/sso/settings") { try await sso.configureFlat($0, by: $1) },
            change(.post, "/v1/mgmt/sso/metadata") { try await sso.configureFlat($0, by: $1) },
            change(.post, "/v1/mgmt/sso/mapping") { try await sso.setMapping($0, by: $1) },
            frame.route(.delete, "/v1/mgmt/sso/settings") { request in
                try await refusing {
                    try await sso.remove(Self.query(request), by: request.actor)
                    return [:]
                }
            },
        ]
    }

    private func change(
        _ method: HTTPRequest.Method, _ path: String,
        _ work: @escaping @Sendable (MethodBody, _ actor: Actor) async throws -> Void
    ) -> Route {
        frame.route(method, path) { request in
            try await refusing {
                try await work(request.body, request.actor)
                return [:]
            }
        }
    }

    /// The parameters of the query as a body has them.
    private static func query(_ request: ManagementRequest) -> MethodBody {
        var members: [String: JSONValue] = [:]
        for name in ["tenantId", "ssoId"] { members[name] = request.parameter(name).map(JSONValue.string) }
        return MethodBody(members)
    }
}
