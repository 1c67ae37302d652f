internal import Authority
internal import Account
internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// The tokens of tenants' directories. Each secret is shown once, when the token is made.
extension ManagementRoutes {
    private var tokens: ManagedSCIMTokens { services.managedSCIMTokens }

    var scimTokenRoutes: [Route] {
        [
            frame.route(.post, "/v1/mgmt/scim/token/create", by: .recent(.operator)) { request in
                let made = try await tokens.create(request.body, by: request.actor)
                return ["token": json(made.token), "cleartext": .string(made.secret.exposed())]
            },
            frame.route(.post, "/v1/mgmt/scim/token/search", by: .viewer) { request in
                ["tokens": .array(try await tokens.all(request.body).map(json))]
            },
            frame.route(.post, "/v1/mgmt/scim/token/revoke", by: .recent(.operator)) { request in
                try await tokens.revoke(request.body, by: request.actor)
                return [:]
            },
        ]
    }

    private func json(_ token: SCIMToken) -> JSONValue {
        [
            "id": .string(token.id), "tenantId": .string(token.tenantID), "name": .string(token.name),
            "createdTime": .integer(token.createdAt.rawValue), "expireTime": .integer(token.expiresAt?.rawValue ?? 0),
            "usedTime": .integer(token.usedAt?.rawValue ?? 0),
        ]
    }
}
