internal import Authority
internal import Account
internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth

/// Clients, by the names of RFC 7591. A secret is shown once, when it is made.
extension ManagementRoutes {
    private var clients: ManagedClients { services.managedClients }

    var clientRoutes: [Route] {
        [
            frame.route(.get, "/v1/mgmt/client/all", for: .readProject) { _ in
                ["clients": .array(try clients.all().map { try ClientDocument.json($0) })]
            },
            frame.route(.get, "/v1/mgmt/client", for: .readProject) { request in
                guard let id = request.parameter("id") else { throw MethodProblem.missing("id") }
                let client = try await clients.find(id)
                var members = try ClientDocument.json(client).objectValue ?? [:]
                members["live_grants"] = .integer(Int64(try await clients.liveGrants(of: client)))
                let streams = try await SignalStreamState.all(of: id, services.stores)
                if !streams.isEmpty { members["signal_streams"] = .array(streams.map(\.json)) }
                return .object(members)
            },
            frame.route(.post, "/v1/mgmt/client/create", for: .changeClient) { request in
                let draft = try ClientDocument.draft(request.body)
                let made = try await checking { try await clients.create(draft, by: request.actor) }
                return try ClientDocument.json(made.client, secret: made.secret)
            },
            frame.route(.patch, "/v1/mgmt/client/patch", for: .changeClient) { request in
                let id = try request.body.requiredText("client_id")
                let client = try await checking {
                    try await clients.change(id, by: request.actor) { draft in
                        try ClientDocument.read(request.body, into: &draft)
                    }
                }
                return try ClientDocument.json(client)
            },
            frame.route(.post, "/v1/mgmt/client/rotate-secret", for: .changeClient) { request in
                let id = try request.body.requiredText("client_id")
                let secret = try await clients.rotateSecret(
                    of: id, keepsOld: try request.body.flag("keep_old") ?? false, by: request.actor)
                return ["client_id": .string(id), "client_secret": .string(secret.exposed())]
            },
            frame.route(.post, "/v1/mgmt/client/delete", for: .changeClient) { request in
                try await clients.remove(try request.body.requiredText("client_id"), by: request.actor)
                return [:]
            },
        ]
    }

    private func checking<Value>(_ work: () async throws -> Value) async throws -> Value {
        do {
            return try await work()
        } catch let refusal as ClientRefusal {
            throw MethodProblem.invalidArguments.saying(refusal.mistakes.map(\.sentence).joined(separator: " "))
        }
    }
}
