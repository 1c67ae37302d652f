internal import Authority
internal import Account
internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import SignIn

extension ConsoleSection {
    static let connections: ConsoleSection = .init(
        path: "/admin/connections", title: { $0[ConsoleConnectionsStrings.self].title },
        routes: { routes in
            [
                routes.page(.connections, routes.showConnections),
                routes.form(.connections, for: .changeConnection, routes.createConnection),
                routes.page(.connections, at: ConsoleConnectionPage.path, routes.showConnection),
                routes.form(
                    .connections, at: ConsoleConnectionPage.path, for: .changeConnection, routes.changeConnection),
            ]
        })
}

/// `/admin/connections`: connections to identity providers. A connection is written as the configuration file writes it,
/// in JSON: every kind has its own settings.
extension ConsoleRoutes {
    private static let path = ConsoleConnectionPage.path

    private var editor: ConnectionEditor {
        ConnectionEditor(
            connections: services.connections, access: services.directory, protocols: protocols,
            rules: ConnectionRules(issuer: services.project.issuer), domains: services.stores.tenantDomains,
            rulebook: services.project.rulebook,
            audit: services.auditLog, ambient: services.ambient)
    }

    @Sendable func showConnections(_ opened: ConsoleRequest) async throws -> Response {
        connectionsPage(opened)
    }

    @Sendable func createConnection(_ form: ConsoleForm) async throws -> Response {
        let typed = form.value("document") ?? ""
        guard let members = Self.members(typed) else {
            return connectionsPage(form.request, typed: typed, isUnreadable: true)
        }
        do {
            // Private addresses and domains without proof stay with the command line and the file.
            let connection = try await editor.add(members, by: form.actor)
            return frame.done("created", at: Self.path, ["id": connection.id])
        } catch let refusal as ConnectionRefusal {
            return connectionsPage(form.request, typed: typed, problem: refusal.shown)
        } catch let refusal as ConnectionDenial {
            return connectionsPage(form.request, typed: typed, denial: refusal)
        }
    }

    @Sendable func showConnection(_ opened: ConsoleRequest) async throws -> Response {
        guard let connection = opened.value("id").flatMap(services.connections.connection) else { throw Self.nothing }
        return connectionPage(connection, opened)
    }

    @Sendable func changeConnection(_ form: ConsoleForm) async throws -> Response {
        guard let connection = form.value("id").flatMap(services.connections.connection) else { throw Self.nothing }
        let (id, typed) = (connection.id, form.value("document"))
        do {
            switch form.action {
            case "save":
                guard let members = Self.members(typed ?? "") else {
                    return connectionPage(connection, form.request, typed: typed, isUnreadable: true)
                }
                _ = try await editor.change(id, members, by: form.actor)
                return frame.done("saved", at: Self.path, ["id": id])
            case "enable", "disable":
                _ = try await editor.change(
                    id, ["enabled": .bool(form.action == "enable")], by: form.actor)
                return frame.done(form.action, at: Self.path, ["id": id])
            case "try":
                let ticket = services.trials.begin(at: connection).ticket
                return .seeOther("/federation/\(id)/try?ticket=\(ticket)")
            case "remove":
                guard form.value("typed") == id else { break }
                try await editor.remove(id, by: form.actor)
                return frame.done("removed", at: ConsoleSection.connections.path)
            default: break
            }
        } catch let refusal as ConnectionRefusal {
            return connectionPage(connection, form.request, typed: typed, problem: refusal.shown)
        } catch let refusal as ConnectionDenial {
            return connectionPage(connection, form.request, typed: typed, denial: refusal)
        }
        return frame.done(nil, at: Self.path, ["id": id])
    }

    /// - Returns: `nil` for a text that is no JSON object.
    private static func members(_ typed: String) -> [String: JSONValue]? {
        try? JSONValue(parsing: Array(typed.utf8)).objectValue
    }

    private func connectionsPage(
        _ opened: ConsoleRequest, typed: String? = nil, isUnreadable: Bool = false, problem: String? = nil,
        denial: ConnectionDenial? = nil
    ) -> Response {
        let page = ConsoleConnectionsPage(
            visitor: frame.visitor(opened), form: frame.form(opened, to: ConsoleSection.connections.path),
            connections: services.connections.all.map(row), unreadable: services.connections.unreadable, typed: typed,
            isUnreadable: isUnreadable, problem: problem, ownersMembers: denial?.members,
            wasRemoved: opened.done == "removed")
        return frame.page(page, opened, status: Self.status(problem != nil || isUnreadable, denial))
    }

    private func row(_ connection: Connection) -> ConsoleConnectionsPage.Row {
        ConsoleConnectionsPage.Row(
            id: connection.id, name: connection.name, kind: connection.settings.kind,
            tenant: connection.tenantID.map { services.directory.tenant($0)?.name ?? $0 },
            domains: connection.domains, isEnabled: connection.isEnabled,
            isOfFile: services.connections.isConfigured(connection.id))
    }

    private func connectionPage(
        _ connection: Connection, _ opened: ConsoleRequest, typed: String? = nil, isUnreadable: Bool = false,
        problem: String? = nil, denial: ConnectionDenial? = nil
    ) -> Response {
        let connection = services.connections.connection(connection.id) ?? connection
        var members = ConnectionDocument.json(connection)
        for name in ["id", "tenant", "has_client_secret", "has_bind_password"] { members[name] = nil }
        let page = ConsoleConnectionPage(
            visitor: frame.visitor(opened), form: frame.form(opened, to: Self.path), row: row(connection),
            document: typed ?? ReadableJSON.text(.object(members)), entries: editor.entries(for: connection),
            canBeTried: connection.settings.kind != .ldap, isUnreadable: isUnreadable, problem: problem,
            ownersMembers: denial?.members, notice: opened.done.flatMap(ConsoleConnectionPage.Notice.init))
        return frame.page(page, opened, status: Self.status(problem != nil || isUnreadable, denial))
    }

    private static func status(_ isMistaken: Bool, _ denial: ConnectionDenial?) -> HTTPResponse.Status {
        denial != nil ? .forbidden : isMistaken ? .unprocessableContent : .ok
    }
}

extension Connection.Settings {
    var kind: ConsoleConnectionsPage.Kind {
        switch self {
        case .openID: .openID
        case .saml: .saml
        case .ldap: .ldap
        }
    }
}

extension ConnectionRefusal {
    /// What a page says of it.
    fileprivate var shown: String { mistakes.map(\.sentence).joined(separator: " ") }
}
