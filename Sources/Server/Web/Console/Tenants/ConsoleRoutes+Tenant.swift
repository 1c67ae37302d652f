internal import Account
internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// `/admin/tenants/tenant`: one tenant, and the tokens of its directory.
extension ConsoleRoutes {
    private static let path = ConsoleTenantPage.path

    @Sendable func showTenant(_ opened: ConsoleRequest) async throws -> Response {
        guard let tenant = opened.value("id").flatMap(services.directory.tenant) else { throw Self.nothing }
        return try await tenantPage(tenant, opened)
    }

    @Sendable func changeTenant(_ form: ConsoleForm) async throws -> Response {
        guard let tenant = form.value("id").flatMap(services.directory.tenant) else { throw Self.nothing }
        do {
            switch form.action {
            case "save":
                _ = try await services.managedAccess.updateTenant(
                    MethodBody(Self.members(of: tenant, form)), isPatch: true, by: form.actor)
                return frame.done("saved", at: Self.path, ["id": tenant.id])
            case "remove":
                guard form.value("typed") == tenant.id else { break }
                try await services.managedAccess.deleteTenant(MethodBody(["id": .string(tenant.id)]), by: form.actor)
                return frame.done("removed", at: ConsoleSection.tenants.path)
            case "token":
                return try await makeToken(for: tenant, form)
            case "revoke":
                try await services.managedSCIMTokens.revoke(
                    MethodBody(["tenantId": .string(tenant.id), "id": .string(form.value("token") ?? "")]),
                    by: form.actor)
                return frame.done("revoked", at: Self.path, ["id": tenant.id])
            default: break
            }
        } catch let problem as MethodProblem {
            return try await tenantPage(tenant, form.request, problem: problem.shown)
        }
        return frame.done(nil, at: Self.path, ["id": tenant.id])
    }

    private static func members(of tenant: Tenant, _ form: ConsoleForm) -> [String: JSONValue] {
        let domains = (form.value("domains") ?? "").split { $0 == "," || $0.isWhitespace }.map(String.init)
        return [
            "id": .string(tenant.id), "name": .string(form.value("name") ?? ""),
            "selfProvisioningDomains": .array(domains.map(JSONValue.string)),
            "enforceSSO": .bool(form.value("required") != nil),
        ]
    }

    /// The secret is on this page alone.
    private func makeToken(for tenant: Tenant, _ form: ConsoleForm) async throws -> Response {
        var members: [String: JSONValue] = ["tenantId": .string(tenant.id)]
        members["name"] = form.value("name").map(JSONValue.string)
        members["days"] = form.value("days").map { Int64($0).map(JSONValue.integer) ?? .string($0) }
        let made = try await services.managedSCIMTokens.create(MethodBody(members), by: form.actor)
        return try await tenantPage(tenant, form.request, secret: made.secret.exposed())
    }

    private func tenantPage(
        _ tenant: Tenant, _ opened: ConsoleRequest, problem: String? = nil, secret: String? = nil
    ) async throws -> Response {
        let tenant = services.directory.tenant(tenant.id) ?? tenant
        let tokens = try await services.stores.provisioningTokens.tokens(of: tenant.id)
        let roles = services.directory.roles.filter { $0.tenantID == tenant.id }.map(\.name)
        let page = ConsoleTenantPage(
            visitor: frame.visitor(opened), form: frame.form(opened, to: Self.path), tenant: tenant,
            secondsAgo: frame.age(tenant.createdAt), roles: roles,
            connections: services.connections.connections(of: tenant.id).map { ($0.id, $0.name) },
            tokens: tokens.map { token in
                ConsoleTenantPage.Token(
                    id: token.id, name: token.name, madeSecondsAgo: frame.age(token.createdAt),
                    usedSecondsAgo: token.usedAt.map(frame.age),
                    endsInSeconds: token.expiresAt.map { Int($0.seconds(since: services.ambient.now())) })
            },
            secret: secret, problem: problem, notice: opened.done.flatMap(ConsoleTenantPage.Notice.init))
        return frame.page(page, opened, status: problem == nil ? .ok : .unprocessableContent)
    }

    /// There is no such thing; the address was typed, or it was removed.
    static let nothing = Unreadable(status: .notFound, detail: "there is nothing at this address")
}
