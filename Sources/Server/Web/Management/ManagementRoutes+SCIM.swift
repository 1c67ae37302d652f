internal import Authority
internal import Account
internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import SignIn

/// The tokens of tenants' directories. Each secret is shown once, when the token is made.
extension ManagementRoutes {
    private var tokens: ManagedSCIMTokens { services.managedSCIMTokens }

    var scimTokenRoutes: [Route] {
        [
            frame.route(.post, "/v1/mgmt/scim/token/create", for: .makeProvisioningToken) { request in
                let made = try await tokens.create(request.body, by: request.actor)
                let domains = try await TenantDomains(
                    connections: services.connections, store: services.stores.tenantDomains
                ).names(of: made.token.tenantID)
                return [
                    "token": json(made.token), "cleartext": .string(made.secret.exposed()),
                    "hasProvenDomain": .bool(!domains.isEmpty),
                ]
            },
            frame.route(.post, "/v1/mgmt/scim/token/search", for: .readProject) { request in
                ["tokens": .array(try await tokens.all(request.body).map(json))]
            },
            frame.route(.post, "/v1/mgmt/scim/token/revoke", for: .makeProvisioningToken) { request in
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
