internal import Authority
internal import Account
internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// The keys that sign tokens, with their schedule.
extension ManagementRoutes {
    private var signingKeys: ManagedSigningKeys { services.managedSigningKeys }

    var signingKeyRoutes: [Route] {
        [
            frame.route(.get, "/v1/mgmt/signing-key/all", for: .readProject) { _ in
                ["keys": .array(try await signingKeys.all().map(json))]
            },
            frame.route(.post, "/v1/mgmt/signing-key/rotate", for: .changeKeys) { request in
                let algorithm = try request.body.requiredText("alg")
                return ["key": try await signingKeys.rotate(algorithm, by: request.actor).map(json) ?? .null]
            },
            frame.route(.post, "/v1/mgmt/signing-key/drop", for: .changeKeys) { request in
                let id = try request.body.requiredText("kid")
                return ["key": try await signingKeys.drop(id, by: request.actor).map(json) ?? .null]
            },
        ]
    }

    private func json(_ key: StoredKey) -> JSONValue {
        [
            "kid": .string(key.keyID), "alg": .string(key.algorithm),
            "state": .string(key.state(at: services.ambient.now())?.rawValue ?? ""),
            "created_at": .integer(key.createdAt.rawValue), "activates_at": .integer(key.activatesAt.rawValue),
            "retires_at": .integer(key.retiresAt.rawValue), "removed_at": .integer(key.removedAt.rawValue),
        ]
    }
}
