public import Authority
internal import Foundation
package import KeyturnBase
public import KeyturnWire
public import Model
internal import SignIn

/// Management of tenants, roles and permissions by the operator's programs. After each change the snapshot is read
/// anew, before the answer is sent.
public struct ManagedAccess: Sendable {
    let stores: Stores
    let directory: AccessDirectory
    let connections: ConnectionDirectory
    let rulebook: Rulebook
    let audit: any AuditLog
    let ambient: Ambient

    package init(
        stores: Stores, directory: AccessDirectory, connections: ConnectionDirectory, rulebook: Rulebook,
        audit: any AuditLog, ambient: Ambient
    ) {
        self.stores = stores
        self.directory = directory
        self.connections = connections
        self.rulebook = rulebook
        self.audit = audit
        self.ambient = ambient
    }

    /// Adds a tenant; without an `id` it gets a new one.
    public func createTenant(_ body: MethodBody, by actor: Actor) async throws -> Tenant {
        let id = try body.text("id") ?? "T\(ambient.randomToken(byteCount: 16))"
        let tenant = Tenant(
            id: try Self.name(id), name: try Self.name(try body.requiredText("name")),
            selfProvisioningDomains: try body.texts("selfProvisioningDomains"),
            attributes: try Self.attributes(body), requiresSingleSignOn: try body.flag("enforceSSO") ?? false,
            singleSignOnExclusions: try await exclusions(body), createdAt: ambient.now())
        try await commit("tenant.created", id, of: id, from: nil, to: tenant, by: actor) {
            permission throws(StoreError) in
            try await stores.tenants.create(tenant, by: permission)
        }
        return tenant
    }

    /// Replaces a tenant, or with `isPatch` only the members in the body.
    public func updateTenant(_ body: MethodBody, isPatch: Bool, by actor: Actor) async throws -> Tenant {
        let present = try self.tenant(body)
        var tenant = present
        if !isPatch || body.names("name") { tenant.name = try Self.name(try body.requiredText("name")) }
        if !isPatch || body.names("selfProvisioningDomains") {
            tenant.selfProvisioningDomains = try body.texts("selfProvisioningDomains")
        }
        // Descope's clients that know neither leave them out: what was there stays.
        if let isRequired = try body.flag("enforceSSO") { tenant.requiresSingleSignOn = isRequired }
        if body.names("enforceSSOExclusions") { tenant.singleSignOnExclusions = try await exclusions(body) }
        if body.names("customAttributes") { tenant.attributes = try Self.attributes(body) }
        let changed = tenant
        try await commit("tenant.updated", tenant.id, of: tenant.id, from: present, to: tenant, by: actor) {
            permission throws(StoreError) in
            try await stores.tenants.update(changed, by: permission)
        }
        return tenant
    }

    /// Users who may sign in elsewhere, by their identifiers alone: a login ID may become another user's.
    private func exclusions(_ body: MethodBody) async throws -> [String] {
        let ids = try body.texts("enforceSSOExclusions")
        guard ids.count <= Limits.singleSignOnExclusionsMax else {
            throw MethodProblem.invalidArguments.saying("enforceSSOExclusions has too many users")
        }
        for id in ids where try await stores.users.account(UserID(rawValue: id)) == nil {
            throw MethodProblem.invalidArguments.saying("enforceSSOExclusions has identifiers of users alone")
        }
        return ids
    }

    public func deleteTenant(_ body: MethodBody, by actor: Actor) async throws {
        let id = try body.requiredText("id")
        for role in directory.roles where role.tenantID == id {
            try requireOwner(toFree: role, by: actor)
            try requireOwner(toTake: role.permissions, by: actor)
        }
        try await requireOwner(toFreeTenant: id, by: actor)
        try requireNoConfiguredConnection(of: id)
        try await commit("tenant.deleted", id, of: id, from: directory.tenant(id), to: nil, by: actor) {
            permission throws(StoreError) in
            guard try await stores.tenants.delete(by: permission, at: ambient.now()) else { throw StoreError(.missing) }
        }
        // Its connections went with it.
        try await connections.reload()
    }

    /// The tenant in the body of a call.
    public func tenant(_ body: MethodBody) throws(MethodProblem) -> Tenant {
        guard let tenant = directory.tenant(try Self.name(try body.requiredText("id"))) else {
            throw .invalidRequest.saying("There is no such tenant")
        }
        return tenant
    }

    public func createRole(_ body: MethodBody, by actor: Actor) async throws -> Role {
        let role = Role(
            id: "R\(ambient.randomToken(byteCount: 16))", tenantID: try body.text("tenantId"),
            name: try Self.name(try body.requiredText("name")), description: try Self.description(body),
            permissions: try permissions(body), isDefault: try body.flag("default") ?? false, createdAt: ambient.now())
        try requireOwner(toName: role, by: actor)
        try requireOwner(toAllow: role.permissions, besides: [], by: actor)
        let mapped = mappedRoles
        try await commit("role.created", role.name, of: role.tenantID, from: nil, to: role, by: actor) {
            permission throws(StoreError) in
            try await stores.roles.create(role, by: permission)
        }
        try await withdrawRoles(mappedBefore: mapped, by: actor)
        return role
    }

    public func updateRole(_ body: MethodBody, by actor: Actor) async throws -> Role {
        let present = try self.role(body)
        var role = present
        if let name = try body.text("newName") { role.name = try Self.name(name) }
        role.description = try Self.description(body)
        role.permissions = try permissions(body)
        if let isDefault = try body.flag("default") { role.isDefault = isDefault }
        let changed = role
        // Other users get it by its name, or as a default.
        let reachesOthers = changed.name != present.name || changed.isDefault && !present.isDefault
        try requireOwner(
            toAllow: changed.permissions, besides: reachesOthers ? [] : present.permissions, by: actor)
        try requireOwner(toTake: present.permissions, leaving: changed.permissions, by: actor)
        if changed.name != present.name {
            try requireOwner(toFree: present, by: actor)
            try requireOwner(toName: changed, by: actor)
        }
        let mapped = mappedRoles
        try await commit("role.updated", role.name, of: role.tenantID, from: present, to: role, by: actor) {
            permission throws(StoreError) in
            try await stores.roles.update(changed, by: permission)
        }
        try await withdrawRoles(mappedBefore: mapped, by: actor)
        return role
    }

    public func deleteRole(_ body: MethodBody, by actor: Actor) async throws {
        let role = try self.role(body)
        try requireOwner(toFree: role, by: actor)
        try requireOwner(toTake: role.permissions, by: actor)
        try await commit("role.deleted", role.name, of: role.tenantID, from: role, to: nil, by: actor) {
            permission throws(StoreError) in
            guard try await stores.roles.deleteRole(role.id, by: permission) else { throw StoreError(.missing) }
        }
    }

    private func role(_ body: MethodBody) throws(MethodProblem) -> Role {
        let tenant = try body.text("tenantId")
        let found: Role? =
            if let id = try body.text("id") {
                directory.role(id)
            } else {
                directory.role(named: try body.requiredText("name"), exactlyIn: tenant)
            }
        guard let found else { throw .invalidRequest.saying("There is no such role") }
        return found
    }

    public func createPermission(_ body: MethodBody, by actor: Actor) async throws -> Permission {
        let new = Permission(
            name: try Self.name(try body.requiredText("name")), description: try Self.description(body))
        try await commit("permission.created", new.name, of: nil, from: nil, to: new, by: actor) {
            permission throws(StoreError) in
            try await stores.roles.create(new, by: permission)
        }
        return new
    }

    public func updatePermission(_ body: MethodBody, by actor: Actor) async throws -> Permission {
        let name = try body.requiredText("name")
        let present = directory.permissions.first { $0.name == name }
        let new = Permission(
            name: try Self.name(try body.text("newName") ?? name), description: try Self.description(body))
        try requireOwner(toAllow: [new.name], besides: [name], by: actor)
        try requireOwner(toTake: [name], leaving: [new.name], by: actor)
        try await commit("permission.updated", name, of: nil, from: present, to: new, by: actor) {
            permission throws(StoreError) in
            try await stores.roles.update(permission: name, to: new, by: permission)
        }
        return new
    }

    public func deletePermission(_ body: MethodBody, by actor: Actor) async throws {
        let name = try body.requiredText("name")
        let present = directory.permissions.first { $0.name == name }
        try requireOwner(toTake: [name], by: actor)
        try await commit("permission.deleted", name, of: nil, from: present, to: nil, by: actor) {
            permission throws(StoreError) in
            guard try await stores.roles.deletePermission(name, by: permission) else { throw StoreError(.missing) }
        }
    }

    /// The permissions of a role in the body, all of which must exist.
    private func permissions(_ body: MethodBody) throws(MethodProblem) -> [String] {
        let names = try body.texts("permissionNames")
        guard names.count <= Limits.permissionsOfRoleMax else {
            throw .invalidArguments.saying("A role has at most \(Limits.permissionsOfRoleMax) permissions")
        }
        let known = Set(directory.permissions.map(\.name))
        guard names.allSatisfy(known.contains) else { throw .invalidRequest.saying("There is no such permission") }
        return Set(names).sorted()
    }

    /// - Parameter tenant: whose it is; `nil`: the project's.
    private func commit<Value: Audited>(
        _ kind: String, _ target: String, of tenant: String?, from before: Value?, to after: Value?, by actor: Actor,
        _ change: (borrowing Allowed<Acts.ChangeTenants>) async throws(StoreError) -> Void
    ) async throws {
        let permission = try rulebook.permit(
            Acts.ChangeTenants.self, to: actor.caller, on: .project(tenant: tenant))
        do throws(StoreError) {
            try await change(permission)
        } catch {
            switch error.code {
            case .conflict: throw MethodProblem.invalidRequest.saying("There is one of this name already")
            case .missing: throw MethodProblem.invalidRequest.saying("There is none of this name")
            case .forbidden, .full, .unavailable: throw error
            }
        }
        audit.record(
            AuditEvent(
                .init(rawValue: kind), at: ambient.now(), actor: actor.name, target: target,
                changes: .between(before, after, ambient)))
        try await directory.reload()
    }

    /// A name or an identifier, in the one spelling that compares equal to itself alone.
    static func name(_ text: String) throws(MethodProblem) -> String {
        guard text.unicodeScalars.elementsEqual(text.precomposedStringWithCanonicalMapping.unicodeScalars) else {
            throw .invalidArguments.saying("A name has its characters in composed form (NFC)")
        }
        guard text.utf8.count <= Limits.nameBytesMax,
            !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { throw .invalidArguments.saying("A name has at most \(Limits.nameBytesMax) bytes") }
        return text
    }

    static func description(_ body: MethodBody) throws(MethodProblem) -> String {
        let text = try body.text("description") ?? ""
        guard text.utf8.count <= Limits.descriptionBytesMax else {
            throw .invalidArguments.saying("A description has at most \(Limits.descriptionBytesMax) bytes")
        }
        return text
    }

    static func attributes(_ body: MethodBody) throws(MethodProblem) -> [String: JSONValue] {
        let attributes = try body.object("customAttributes")
        guard JSONValue.object(attributes).serialized.count <= Limits.attributesBytesMax else {
            throw .invalidArguments.saying("customAttributes have at most \(Limits.attributesBytesMax) bytes")
        }
        return attributes
    }
}
