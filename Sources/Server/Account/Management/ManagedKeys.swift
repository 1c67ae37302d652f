public import Authority
public import KeyturnBase
public import KeyturnWire
public import Model
package import SignIn

/// Management of access keys by the operator's programs.
public struct ManagedKeys: Sendable {
    let stores: Stores
    let users: ManagedUsers
    let keys: AccessKeys
    let audit: any AuditLog
    let ambient: Ambient

    package init(
        stores: Stores, users: ManagedUsers, keys: AccessKeys, audit: any AuditLog, ambient: Ambient
    ) {
        self.stores = stores
        self.users = users
        self.keys = keys
        self.audit = audit
        self.ambient = ambient
    }

    /// Creates a key. A key that is bound to a user has the user's rights and none of its own.
    ///
    /// - Returns: the key and its secret, which is not shown again.
    public func create(_ body: MethodBody, by actor: Actor) async throws -> (key: AccessKey, cleartext: Secret) {
        let permission = try permission(of: actor)
        let name = try ManagedAccess.name(try body.requiredText("name"))
        let description = try ManagedAccess.description(body)
        let bound = try body.text("userId").map(UserID.init(rawValue:))
        var details = body.members
        details["userTenants"] = body.members["keyTenants"]
        let memberships = bound == nil ? try users.memberships(UserDetails(MethodBody(details))) : .none
        guard memberships.isWithinLimits else {
            throw MethodProblem.invalidArguments.saying("The key has too many tenants or roles")
        }
        let claims = try body.object("customClaims")
        try SessionClaims.requireSmall(claims)
        let attributes = try ManagedAccess.attributes(body)
        let networks = try Self.networks(body)
        let expireTime = try body.integer("expireTime") ?? 0
        guard expireTime == 0 || expireTime > ambient.now().rawValue else {
            throw MethodProblem.invalidArguments.saying("expireTime is a moment to come, in seconds; 0: never")
        }
        do throws(StoreError) {
            let made = try await keys.create(by: permission) { id, now in
                AccessKey(
                    id: id, name: name, description: description, boundUser: bound, memberships: memberships,
                    customClaims: claims.filter { !SessionClaims.reserved.contains($0.key) }, attributes: attributes,
                    permittedNetworks: networks, createdBy: actor.name, createdAt: now, updatedAt: now,
                    expiresAt: expireTime == 0 ? nil : UnixTime(rawValue: expireTime))
            }
            let note = note
            note.set(from: nil, to: made.key)
            record("access_key.created", made.key, note.changes, by: actor)
            return made
        } catch {
            throw Self.refusal(error)
        }
    }

    /// Gives a key a new secret.
    public func rotate(_ body: MethodBody, by actor: Actor) async throws -> (key: AccessKey, cleartext: Secret) {
        let permission = try permission(of: actor)
        let id = try body.requiredText("id")
        do throws(StoreError) {
            let made = try await keys.rotate(id, by: permission)
            record("access_key.rotated", made.key, by: actor)
            return made
        } catch {
            throw Self.refusal(error)
        }
    }

    public func find(_ id: String) async throws -> AccessKey {
        guard let key = try await stores.accessKeys.key(id) else { throw Self.unknown }
        return key
    }

    public func search(_ body: MethodBody) async throws -> [AccessKey] {
        let tenants = try body.texts("tenantIds")
        let page = try body.integer("page") ?? 0
        guard tenants.count <= Limits.usersOfPageMax, (0...Int64(Limits.searchPageMax)).contains(page) else {
            throw MethodProblem.invalidArguments
        }
        return try await stores.accessKeys.search(
            tenants: tenants, user: try body.text("boundUserId").map(UserID.init(rawValue:)),
            limit: Limits.accessKeysOfPageMax, offset: Int(page) * Limits.accessKeysOfPageMax)
    }

    /// Changes the name and the other members in the body.
    public func update(_ body: MethodBody, by actor: Actor) async throws -> AccessKey {
        let name = try ManagedAccess.name(try body.requiredText("name"))
        let description = body.names("description") ? try ManagedAccess.description(body) : nil
        let claims = body.names("customClaims") ? try body.object("customClaims") : nil
        try SessionClaims.requireSmall(claims ?? [:])
        let attributes = body.names("customAttributes") ? try ManagedAccess.attributes(body) : nil
        let networks = body.names("permittedIps") ? try Self.networks(body) : nil
        return try await change(body, "access_key.updated", by: actor) { key in
            key.name = name
            if let description { key.description = description }
            if let claims { key.customClaims = claims.filter { !SessionClaims.reserved.contains($0.key) } }
            if let attributes { key.attributes = attributes }
            if let networks { key.permittedNetworks = networks }
        }
    }

    public func setActive(_ isActive: Bool, _ body: MethodBody, by actor: Actor) async throws -> AccessKey {
        try await change(body, isActive ? "access_key.activated" : "access_key.deactivated", by: actor) {
            $0.isActive = isActive
        }
    }

    public func delete(_ body: MethodBody, by actor: Actor) async throws {
        let permission = try permission(of: actor)
        let key = try await find(try body.requiredText("id"))
        guard try await stores.accessKeys.delete(key.id, by: permission) else { throw Self.unknown }
        let note = note
        note.set(from: key, to: nil)
        record("access_key.deleted", key, note.changes, by: actor)
    }

    private func change(
        _ body: MethodBody, _ kind: String, by actor: Actor, _ rule: @escaping @Sendable (inout AccessKey) -> Void
    ) async throws -> AccessKey {
        let permission = try permission(of: actor)
        let id = try body.requiredText("id")
        let now = ambient.now()
        let note = note
        let noted = note.noting(rule)
        do throws(StoreError) {
            let key = try await stores.accessKeys.change(id, by: permission, at: now, noted)
            record(kind, key, note.changes, by: actor)
            return key
        } catch {
            throw Self.refusal(error)
        }
    }

    private func permission(of actor: Actor) throws(Denial) -> Allowed<Acts.ChangeAccessKeys> {
        try users.project.rulebook.permit(
            Acts.ChangeAccessKeys.self, to: actor.caller, on: .project(tenant: nil))
    }

    private static let unknown = MethodProblem.invalidRequest.saying("There is no such access key")

    private static func refusal(_ error: StoreError) -> any Error {
        guard error.code == .missing else { return error }
        return MethodProblem.invalidRequest.saying("There is no such access key, user or tenant")
    }

    private static func networks(_ body: MethodBody) throws(MethodProblem) -> [String] {
        let networks = try body.texts("permittedIps")
        guard networks.count <= Limits.permissionsOfRoleMax, networks.allSatisfy({ (try? IPAddressRange($0)) != nil })
        else {
            throw .invalidArguments.saying(
                "permittedIps is a short list of addresses and of networks in CIDR notation, each by its first address")
        }
        return networks
    }

    /// A new one.
    private var note: ChangeNote { ChangeNote(ambient, roleName: users.directory.roleName) }

    private func record(_ kind: String, _ key: AccessKey, _ changes: AuditChanges? = nil, by actor: Actor) {
        audit.record(
            AuditEvent(
                .init(rawValue: kind), at: ambient.now(), userID: key.boundUser, actor: actor.name, target: key.id,
                changes: changes))
    }
}
