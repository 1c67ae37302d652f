internal import Account
internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import SignIn

/// Connections to identity providers, by the keys of the configuration file.
extension ManagementRoutes {
    var connectionEditor: ConnectionEditor {
        ConnectionEditor(
            connections: services.connections, access: services.directory, protocols: protocols,
            rules: ConnectionRules(issuer: services.project.issuer), domains: services.stores.tenantDomains,
            rulebook: services.project.rulebook, audit: services.auditLog,
            ambient: services.ambient)
    }

    var connectionRoutes: [Route] {
        [
            frame.route(.get, "/v1/mgmt/connection/all") { request in
                let tenant = request.parameter("tenant")
                let found = services.connections.all.filter { tenant == nil || $0.tenantID == tenant }
                return [
                    "connections": .array(found.map(json)),
                    "unreadable": .array(services.connections.unreadable.map(JSONValue.string)),
                ]
            },
            frame.route(.get, "/v1/mgmt/connection") { request in
                guard let id = request.parameter("id") else { throw MethodProblem.missing("id") }
                return try await refusing { json(try connectionEditor.find(id)) }
            },
            frame.route(.post, "/v1/mgmt/connection/create") { request in
                try await refusing {
                    json(
                        try await connectionEditor.add(
                            request.body.members, by: request.actor))
                }
            },
            frame.route(.patch, "/v1/mgmt/connection/patch") { request in
                let id = try request.body.requiredText("id")
                return try await refusing {
                    json(
                        try await connectionEditor.change(
                            id, request.body.members, by: request.actor))
                }
            },
            frame.route(.post, "/v1/mgmt/connection/try", run: tryConnection),
            frame.route(.post, "/v1/mgmt/connection/tried") { request in
                try await services.trials.result(try request.body.requiredText("trial")) ?? ["outcome": "pending"]
            },
            frame.route(.post, "/v1/mgmt/connection/delete") { request in
                let id = try request.body.requiredText("id")
                return try await refusing {
                    try await connectionEditor.remove(id, by: request.actor)
                    return [:]
                }
            },
        ]
    }

    /// A trial in a browser, or of a directory at once: with `loginId` and `password`.
    private func tryConnection(_ request: ManagementRequest) async throws -> JSONValue {
        let id = try request.body.requiredText("id")
        return try await refusing {
            let connection = try connectionEditor.find(id)
            guard case .ldap = connection.settings else {
                let begun = services.trials.begin(at: connection)
                return [
                    "url": .string("\(services.project.issuer)/federation/\(id)/try?ticket=\(begun.ticket)"),
                    "trial": .string(begun.handle),
                ]
            }
            let password = Secret(try request.body.requiredText("password"))
            let name = try request.body.requiredText("loginId")
            let profile: FederatedProfile
            do throws(ConnectionProblem) {
                profile = try await services.directories.tried(name, password, at: connection)
            } catch {
                return ConnectionTrials.report(error, at: connection)
            }
            return try await services.trials.report(profile, at: connection)
        }
    }

    /// Says what is wrong with a connection in the words of the configuration's check.
    func refusing<Value>(_ work: () async throws -> Value) async throws -> Value {
        do {
            return try await work()
        } catch let refusal as ConnectionRefusal {
            throw MethodProblem.invalidArguments.saying(refusal.mistakes.map(\.sentence).joined(separator: " "))
        } catch let refusal as ConnectionDenial {
            throw MethodProblem(refusal.denial).saying(refusal.sentence)
        }
    }

    private func json(_ connection: Connection) -> JSONValue {
        var members = ConnectionDocument.json(connection)
        members["from_configuration"] = .bool(services.connections.isConfigured(connection.id))
        members["enter_at_provider"] = .array(connectionEditor.entries(for: connection).map(JSONValue.string))
        return .object(members)
    }
}
