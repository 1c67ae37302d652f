internal import Account
internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// Access keys. Each secret is shown once, when the key is made.
extension ManagementRoutes {
    private var keys: ManagedKeys { services.managedKeys }

    var accessKeyRoutes: [Route] {
        [
            frame.route(.post, "/v1/mgmt/accesskey/create") { request in
                shown(try await keys.create(request.body, by: request.actor))
            },
            frame.route(.post, "/v1/mgmt/accesskey/rotate") { request in
                shown(try await keys.rotate(request.body, by: request.actor))
            },
            frame.route(.get, "/v1/mgmt/accesskey") { request in
                guard let id = request.parameter("id") else { throw MethodProblem.missing("id") }
                return ["key": json(try await keys.find(id))]
            },
            frame.route(.post, "/v1/mgmt/accesskey/search") { request in
                ["keys": .array(try await keys.search(request.body).map(json))]
            },
            frame.route(.post, "/v1/mgmt/accesskey/update") { request in
                ["key": json(try await keys.update(request.body, by: request.actor))]
            },
            frame.route(.post, "/v1/mgmt/accesskey/activate") { request in
                ["key": json(try await keys.setActive(true, request.body, by: request.actor))]
            },
            frame.route(.post, "/v1/mgmt/accesskey/deactivate") { request in
                ["key": json(try await keys.setActive(false, request.body, by: request.actor))]
            },
            frame.route(.post, "/v1/mgmt/accesskey/delete") { request in
                try await keys.delete(request.body, by: request.actor)
                return [:]
            },
        ]
    }

    private func shown(_ made: (key: AccessKey, cleartext: Secret)) -> JSONValue {
        ["key": json(made.key), "cleartext": .string(made.cleartext.exposed())]
    }

    private func json(_ key: AccessKey) -> JSONValue {
        let tenants = key.memberships.tenants.sorted { $0.key < $1.key }.map { id, roles in
            UserAnswer.Membership(
                tenantID: id, tenantName: services.directory.tenant(id)?.name ?? "",
                roleNames: services.directory.names(of: roles)
            ).json
        }
        return [
            "id": .string(key.id), "name": .string(key.name), "description": .string(key.description),
            "status": .string(key.isActive ? "active" : "inactive"),
            "roleNames": .array(services.directory.names(of: key.memberships.roles).map(JSONValue.string)),
            "keyTenants": .array(tenants), "boundUserId": .string(key.boundUser?.rawValue ?? ""),
            "createdTime": .integer(key.createdAt.rawValue), "expireTime": .integer(key.expiresAt?.rawValue ?? 0),
            "createdBy": .string(key.createdBy), "clientId": .string(key.id),
            "customClaims": .object(key.customClaims), "customAttributes": .object(key.attributes),
            "permittedIps": .array(key.permittedNetworks.map(JSONValue.string)),
        ]
    }
}
