internal import Authority
internal import Account
internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model

extension ConsoleSection {
    static let tenants: ConsoleSection = .init(
        path: "/admin/tenants", title: { $0[ConsoleTenantsStrings.self].title },
        routes: { routes in
            [
                routes.page(.tenants, routes.showTenants),
                routes.form(.tenants, for: .changeTenants, routes.createTenant),
                routes.page(.tenants, at: ConsoleTenantPage.path, routes.showTenant),
                routes.form(.tenants, at: ConsoleTenantPage.path, for: .changeTenants, routes.changeTenant),
            ]
        })
}

/// `/admin/tenants`: the customer organisations.
extension ConsoleRoutes {
    @Sendable func showTenants(_ opened: ConsoleRequest) async throws -> Response {
        tenantsPage(opened)
    }

    @Sendable func createTenant(_ form: ConsoleForm) async throws -> Response {
        var members: [String: JSONValue] = ["name": .string(form.value("name") ?? "")]
        members["id"] = form.value("id").map(JSONValue.string)
        do {
            let tenant = try await services.managedAccess.createTenant(MethodBody(members), by: form.actor)
            return frame.done("created", at: ConsoleTenantPage.path, ["id": tenant.id])
        } catch let problem as MethodProblem {
            return tenantsPage(form.request, problem: problem.shown)
        }
    }

    private func tenantsPage(_ opened: ConsoleRequest, problem: String? = nil) -> Response {
        let directory = services.directory
        let rows = directory.tenants.sorted { ($0.name, $0.id) < ($1.name, $1.id) }.map { tenant in
            ConsoleTenantsPage.Row(
                id: tenant.id, name: tenant.name, domains: tenant.selfProvisioningDomains,
                connections: services.connections.connections(of: tenant.id).count,
                requiresSingleSignOn: tenant.requiresSingleSignOn, secondsAgo: frame.age(tenant.createdAt))
        }
        let page = ConsoleTenantsPage(
            visitor: frame.visitor(opened), form: frame.form(opened, to: ConsoleSection.tenants.path), tenants: rows,
            typedID: opened.value("id") ?? "", typedName: opened.value("name") ?? "", problem: problem,
            wasRemoved: opened.done == "removed")
        return frame.page(page, opened, status: problem == nil ? .ok : .unprocessableContent)
    }
}

extension MethodProblem {
    /// What a page says of it.
    var shown: String { message ?? description }
}
