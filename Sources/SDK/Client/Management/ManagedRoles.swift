public import KeyturnBase
public import KeyturnWire

/// Organisations that users belong to. Throws as ``ManagedUsers`` does.
public struct ManagedTenants: Sendable {
    let calls: ManagementCalls

    /// Makes a tenant.
    ///
    /// - Parameters:
    ///   - name: What it is called.
    ///   - id: Its identifier; `nil`: the service chooses.
    ///   - customAttributes: What else is kept about it, by name.
    /// - Returns: Its identifier.
    public func create(
        name: String, id: String? = nil, customAttributes: [String: JSONValue] = [:]
    ) async throws(AuthError) -> String {
        var members: [String: JSONValue] = ["name": .string(name)]
        members.put("id", id)
        if !customAttributes.isEmpty { members["customAttributes"] = .object(customAttributes) }
        return try await calls.post("/v1/mgmt/tenant/create", members).text("id")
    }

    /// Every tenant.
    public func all() async throws(AuthError) -> [TenantAnswer] {
        try await calls.get("/v1/mgmt/tenant/all").list("tenants")
    }

    /// Deletes a tenant.
    public func delete(_ id: String) async throws(AuthError) {
        try await calls.post("/v1/mgmt/tenant/delete", ["id": .string(id)])
    }
}

/// Names for sets of permissions. Throws as ``ManagedUsers`` does.
public struct ManagedRoles: Sendable {
    let calls: ManagementCalls

    /// Makes a role.
    ///
    /// - Parameters:
    ///   - name: What it is called.
    ///   - description: What it is for.
    ///   - permissionNames: What the role permits.
    ///   - tenantID: A role of that tenant alone; `nil`: of the project.
    public func create(
        name: String, description: String = "", permissionNames: [String] = [], tenantID: String? = nil
    ) async throws(AuthError) {
        var members: [String: JSONValue] = [
            "name": .string(name), "description": .string(description), "permissionNames": .names(permissionNames),
        ]
        members.put("tenantId", tenantID)
        try await calls.post("/v1/mgmt/role/create", members)
    }

    /// Every role.
    public func all() async throws(AuthError) -> [RoleDetails] {
        try await calls.get("/v1/mgmt/role/all").list("roles")
    }

    /// Deletes a role.
    public func delete(_ name: String, tenantID: String? = nil) async throws(AuthError) {
        var members: [String: JSONValue] = ["name": .string(name)]
        members.put("tenantId", tenantID)
        try await calls.post("/v1/mgmt/role/delete", members)
    }
}

/// A role.
public struct RoleDetails: Hashable, Sendable {
    /// The role's name, which is unique in its tenant or in the project.
    public let name: String
    public let description: String
    /// The names of the permissions that the role brings.
    public let permissionNames: [String]
    /// `nil`: of the project.
    public let tenantID: String?
}

extension RoleDetails: MethodMessage {
    public init(_ body: MethodBody) throws(MethodProblem) {
        name = try body.requiredText("name")
        description = try body.text("description") ?? ""
        permissionNames = try body.texts("permissionNames")
        tenantID = try body.text("tenantId")
    }

    public var json: JSONValue {
        var members: [String: JSONValue] = [
            "name": .string(name), "description": .string(description), "permissionNames": .names(permissionNames),
        ]
        members.put("tenantId", tenantID)
        return .object(members)
    }
}

/// What roles permit. Throws as ``ManagedUsers`` does.
public struct ManagedPermissions: Sendable {
    let calls: ManagementCalls

    /// Makes a permission.
    public func create(name: String, description: String = "") async throws(AuthError) {
        try await calls.post(
            "/v1/mgmt/permission/create", ["name": .string(name), "description": .string(description)])
    }

    /// Every permission.
    public func all() async throws(AuthError) -> [PermissionDetails] {
        try await calls.get("/v1/mgmt/permission/all").list("permissions")
    }

    /// Deletes a permission.
    public func delete(_ name: String) async throws(AuthError) {
        try await calls.post("/v1/mgmt/permission/delete", ["name": .string(name)])
    }
}

/// A permission.
public struct PermissionDetails: Hashable, Sendable {
    /// The permission's name, which is unique in the project.
    public let name: String
    public let description: String
    /// Whether it is the service's own, and cannot be changed.
    public let isSystemDefault: Bool
}

extension PermissionDetails: MethodMessage {
    public init(_ body: MethodBody) throws(MethodProblem) {
        name = try body.requiredText("name")
        description = try body.text("description") ?? ""
        isSystemDefault = try body.flag("systemDefault") ?? false
    }

    public var json: JSONValue {
        ["name": .string(name), "description": .string(description), "systemDefault": .bool(isSystemDefault)]
    }
}
