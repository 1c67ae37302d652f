internal import KeyturnBase
internal import Model

extension TenantCommand.Create {
    func run(on server: RemoteServer) async throws {
        try await server.post(
            "/v1/mgmt/tenant/create",
            [
                "id": .string(id), "name": .string(name ?? id),
                "selfProvisioningDomains": .array(domain.map { .string($0.lowercased()) }),
            ])
        guard options.json else { return print("created \(id)") }
        Report.json(TenantCommand.json(try await server.get("/v1/mgmt/tenant", ["id": id])))
    }
}

extension TenantCommand.List {
    func run(on server: RemoteServer) async throws {
        let tenants = try await server.get("/v1/mgmt/tenant/all").list("tenants")
        guard !options.json else { return Report.json(.array(tenants.map(TenantCommand.json))) }
        show(tenants.map { [$0.text("id"), $0.time("createdTime").map(Report.text) ?? "-", $0.text("name")] })
    }
}

extension TenantCommand.Delete {
    func run(on server: RemoteServer) async throws {
        try await server.post("/v1/mgmt/tenant/delete", ["id": .string(id)])
        if options.json { Report.json(["deleted": .string(id)]) } else { print("deleted") }
    }
}

extension TenantCommand {
    /// The interface's tenant, as `tenant list` prints it.
    fileprivate static func json(_ tenant: JSONValue) -> JSONValue {
        [
            "id": tenant["id"] ?? "", "name": tenant["name"] ?? "", "attributes": tenant["customAttributes"] ?? [:],
            "self_provisioning_domains": tenant["selfProvisioningDomains"] ?? [],
            "requires_sso": tenant["enforceSSO"] ?? false, "created_at": tenant["createdTime"] ?? 0,
        ]
    }
}

extension RoleCommand.Create {
    func run(on server: RemoteServer) async throws {
        let known = try await server.get("/v1/mgmt/permission/all").list("permissions").map { $0.text("name") }
        for name in permission where !known.contains(name) {
            try await server.post("/v1/mgmt/permission/create", ["name": .string(name)])
        }
        var members: [String: JSONValue] = [
            "name": .string(name), "description": .string(description),
            "permissionNames": .array(permission.map(JSONValue.string)), "default": .bool(isDefault),
        ]
        members["tenantId"] = tenant.map(JSONValue.string)
        let role = try await server.post("/v1/mgmt/role/create", members)
        if options.json { Report.json(RoleCommand.json(role)) } else { print("created \(name)") }
    }
}

extension RoleCommand.List {
    func run(on server: RemoteServer) async throws {
        let all = try await server.get("/v1/mgmt/role/all").list("roles")
        let roles = all.filter { tenant == nil || $0.text("tenantId") == tenant }
        guard !options.json else { return Report.json(.array(roles.map(RoleCommand.json))) }
        show(
            roles.map { role in
                let tenant = role.text("tenantId")
                let permissions = role["permissionNames"]?.stringArrayValue ?? []
                return [role.text("name"), tenant.isEmpty ? "(all)" : tenant, permissions.joined(separator: " ")]
            })
    }
}

extension RoleCommand.Delete {
    func run(on server: RemoteServer) async throws {
        var members: [String: JSONValue] = ["name": .string(name)]
        members["tenantId"] = tenant.map(JSONValue.string)
        try await server.post("/v1/mgmt/role/delete", members)
        if options.json { Report.json(["deleted": .string(name)]) } else { print("deleted") }
    }
}

extension RoleCommand {
    /// The interface's role, as `role list` prints it.
    fileprivate static func json(_ role: JSONValue) -> JSONValue {
        var members: [String: JSONValue] = [
            "id": role["id"] ?? "", "name": role["name"] ?? "", "description": role["description"] ?? "",
            "permissions": role["permissionNames"] ?? [], "default": role["default"] ?? false,
            "created_at": role["createdTime"] ?? 0,
        ]
        if !role.text("tenantId").isEmpty { members["tenant"] = role["tenantId"] }
        return .object(members)
    }
}

extension OperatorCommand.Grant {
    func run(on server: RemoteServer) async throws {
        let id = try await server.user(user).sub
        let before = try await server.operators().first { $0.text("userId") == id }
        let answer = try await server.post(
            "/v1/mgmt/operator/update", [user == id ? "userId" : "loginId": .string(user), "role": .string(role)])
        let entry = try await server.operators().first { $0.text("userId") == id } ?? [:]
        guard !options.json else { return Report.json(OperatorCommand.json(entry)) }
        let name = Printable.text(entry["loginIds"]?.stringArrayValue?.first ?? id)
        print(before?.text("role") == role ? "\(name) is \(role) already" : "\(name) is \(role) now")
        if answer["credentialsRemoved"]?.boolValue == true { print(OperatorCommand.credentialsRemoved) }
    }
}

extension OperatorCommand.List {
    func run(on server: RemoteServer) async throws {
        let entries = try await server.operators()
        guard !options.json else { return Report.json(.array(entries.map(OperatorCommand.json))) }
        show(
            entries.map { entry in
                let hasFactor = entry["hasSecondFactor"] == true
                return [
                    entry.text("userId"), entry.text("role"), hasFactor ? "yes" : "at the next sign-in",
                    entry.time("grantedTime").map(Report.text) ?? "-",
                    (entry["loginIds"]?.stringArrayValue ?? []).map(Printable.text).joined(separator: ", "),
                ]
            })
    }
}

extension OperatorCommand.Remove {
    func run(on server: RemoteServer) async throws {
        let id = try await server.user(user).sub
        guard try await server.operators().contains(where: { $0.text("userId") == id }) else {
            throw OperatorCommand.unknown(user)
        }
        try await server.post("/v1/mgmt/operator/update", ["userId": .string(id), "role": ""])
        if options.json { Report.json(["removed": .string(user)]) } else { print("removed") }
    }
}

extension RemoteServer {
    fileprivate func operators() async throws -> [JSONValue] {
        try await get("/v1/mgmt/operator/all").list("operators")
    }
}

extension OperatorCommand {
    /// The interface's operator, as `operator list` prints it.
    fileprivate static func json(_ entry: JSONValue) -> JSONValue {
        [
            "sub": entry["userId"] ?? "", "role": entry["role"] ?? "", "login_ids": entry["loginIds"] ?? [],
            "has_second_factor": entry["hasSecondFactor"] ?? false, "since": entry["grantedTime"] ?? 0,
            "granted_by": entry["grantedBy"] ?? "",
        ]
    }
}
