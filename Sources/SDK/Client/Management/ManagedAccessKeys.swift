public import KeyturnBase
public import KeyturnWire

/// Keys for programs. Throws as ``ManagedUsers`` does.
public struct ManagedAccessKeys: Sendable {
    let calls: ManagementCalls

    /// Makes a key.
    ///
    /// - Parameters:
    ///   - name: For people.
    ///   - expiresAt: When it ends; `nil`: never.
    ///   - roleNames: Roles that depend on no tenant.
    ///   - tenants: Tenants, and the roles in them.
    ///   - userID: The user whose rights it has; `nil`: its own.
    ///   - customClaims: Further claims of the token, by name.
    /// - Returns: The key, and its clear text, which is shown this once.
    public func create(
        name: String, expiresAt: UnixTime? = nil, roleNames: [String] = [], tenants: [TenantRoles] = [],
        userID: String? = nil, customClaims: [String: JSONValue] = [:]
    ) async throws(AuthError) -> (key: AccessKeyDetails, cleartext: Secret) {
        var members: [String: JSONValue] = [
            "name": .string(name), "expireTime": .integer(expiresAt?.rawValue ?? 0), "roleNames": .names(roleNames),
            "keyTenants": .array(tenants.map(\.json)),
        ]
        members.put("userId", userID)
        if !customClaims.isEmpty { members["customClaims"] = .object(customClaims) }
        let reply = try await calls.post("/v1/mgmt/accesskey/create", members)
        return (try reply.message("key"), Secret(try reply.text("cleartext")))
    }

    /// The keys of tenants, or all.
    public func search(tenantIDs: [String] = []) async throws(AuthError) -> [AccessKeyDetails] {
        try await calls.post("/v1/mgmt/accesskey/search", ["tenantIds": .names(tenantIDs)]).list("keys")
    }

    /// Gives a key another name.
    public func update(_ id: String, name: String) async throws(AuthError) {
        try await calls.post("/v1/mgmt/accesskey/update", ["id": .string(id), "name": .string(name)])
    }

    /// Makes a key good for nothing until it is activated again.
    public func deactivate(_ id: String) async throws(AuthError) {
        try await calls.post("/v1/mgmt/accesskey/deactivate", ["id": .string(id)])
    }

    /// Makes a key good again.
    public func activate(_ id: String) async throws(AuthError) {
        try await calls.post("/v1/mgmt/accesskey/activate", ["id": .string(id)])
    }

    /// Gives a key another clear text; the old one is good for nothing.
    public func rotate(_ id: String) async throws(AuthError) -> (key: AccessKeyDetails, cleartext: Secret) {
        let reply = try await calls.post("/v1/mgmt/accesskey/rotate", ["id": .string(id)])
        return (try reply.message("key"), Secret(try reply.text("cleartext")))
    }

    /// Deletes a key.
    public func delete(_ id: String) async throws(AuthError) {
        try await calls.post("/v1/mgmt/accesskey/delete", ["id": .string(id)])
    }
}

/// A key, without what it is worth.
public struct AccessKeyDetails: Hashable, Sendable {
    /// The key's identifier, which is not secret.
    public let id: String
    /// What the key was called when it was made.
    public let name: String
    /// As the service spells it, such as `active`.
    public let status: String
    /// When the key was made.
    public let createdAt: UnixTime
    /// `nil`: never.
    public let expiresAt: UnixTime?
    /// The names of the roles that the key has in no tenant.
    public let roleNames: [String]
    /// The tenants that the key belongs to, with its roles there.
    public let tenants: [TenantRoles]
    /// The identifier of the user whom the key acts for; `nil`: it acts for no user.
    public let userID: String?
}

extension AccessKeyDetails: MethodMessage {
    public init(_ body: MethodBody) throws(MethodProblem) {
        id = try body.requiredText("id")
        name = try body.text("name") ?? ""
        status = try body.text("status") ?? ""
        createdAt = UnixTime(rawValue: try body.integer("createdTime") ?? 0)
        let end = try body.integer("expireTime") ?? 0
        expiresAt = end == 0 ? nil : UnixTime(rawValue: end)
        roleNames = try body.texts("roleNames")
        var tenants: [TenantRoles] = []
        for tenant in try body.bodies("keyTenants") {
            tenants.append(
                TenantRoles(try tenant.requiredText("tenantId"), roleNames: try tenant.texts("roleNames")))
        }
        self.tenants = tenants
        userID = try body.text("userId", "boundUserId")
    }

    public var json: JSONValue {
        var members: [String: JSONValue] = [
            "id": .string(id), "name": .string(name), "status": .string(status),
            "createdTime": .integer(createdAt.rawValue), "expireTime": .integer(expiresAt?.rawValue ?? 0),
            "roleNames": .names(roleNames), "keyTenants": .array(tenants.map(\.json)),
        ]
        members.put("userId", userID)
        return .object(members)
    }
}
