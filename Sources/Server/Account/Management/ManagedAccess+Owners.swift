internal import Authority
internal import KeyturnWire
internal import Model
internal import SignIn

/// What roles lead to beyond themselves: by their names, and by the right to act as other users.
extension ManagedAccess {
    /// Groups at a tenant's provider are mapped to roles by name. Without the tenant's role of that name they would give
    /// the project's, and only an owner says that.
    func requireOwner(toFree role: Role, by actor: Actor) throws(Denial) {
        guard let tenant = role.tenantID, directory.role(named: role.name, exactlyIn: nil) != nil,
            connections.connections(of: tenant).contains(where: { $0.roles.values.contains(role.name) })
        else { return }
        try rulebook.require(.changeConnectionTrust, to: actor.caller, on: .project(tenant: tenant))
    }

    func requireOwner(toName role: Role, by actor: Actor) throws(Denial) {
        guard role.tenantID == nil else { return }
        let gives = connections.all.contains { connection in
            connection.tenantID != nil && connection.roles.values.contains(role.name)
                && directory.role(named: role.name, exactlyIn: connection.tenantID) == nil
        }
        if gives { try rulebook.require(.changeConnectionTrust, to: actor.caller, on: .project(tenant: nil)) }
    }

    /// Who acts as other users is an owner's to say, whichever role says it.
    func requireOwner(toAllow permissions: [String], besides present: [String], by actor: Actor) throws(Denial) {
        guard !ActingPermissions.names.intersection(permissions).isSubset(of: present) else { return }
        try rulebook.require(.takeConsoleRole, to: actor.caller, on: .project(tenant: nil))
    }

    /// Nor may others choose its users while it is harmless: the file, or an owner, gives the right to the role of this name.
    func requireOwner(toTake permissions: [String], leaving kept: [String] = [], by actor: Actor) throws(Denial) {
        guard !ActingPermissions.names.intersection(permissions).isSubset(of: kept) else { return }
        try rulebook.require(.takeConsoleRole, to: actor.caller, on: .project(tenant: nil))
    }

    /// A service that acts for the tenant's users would act for those of the next tenant of its name.
    func requireOwner(toFreeTenant id: String, by actor: Actor) async throws {
        let clients = try await stores.clients.all(limit: Limits.clientsMax)
        guard clients.contains(where: { $0.mayImpersonate.contains(.tenant(id)) }) else { return }
        try rulebook.require(.takeConsoleRole, to: actor.caller, on: .project(tenant: nil))
    }

    /// A connection of the file would be the next tenant's of this name, with its provider's users and its domains.
    func requireNoConfiguredConnection(of tenant: String) throws(MethodProblem) {
        guard let one = connections.connections(of: tenant).first(where: { connections.isConfigured($0.id) }) else {
            return
        }
        throw .invalidRequest.saying(
            "The tenant's connection \(one.id) stands in the configuration file: take it out there first")
    }

    /// The roles to which the groups of each connection lead, by the connection's identifier.
    var mappedRoles: [String: Set<String>] {
        Dictionary(connections.all.map { ($0.id, Set($0.mappedRoles(directory).values)) }) { first, _ in first }
    }

    /// A name that groups are mapped to may mean another role now. What the former one gave ends at once, not at the next
    /// sign-in of each user.
    func withdrawRoles(mappedBefore before: [String: Set<String>], by actor: Actor) async throws {
        for connection in connections.all {
            let kept = Set(connection.mappedRoles(directory).values)
            guard let former = before[connection.id], !kept.isSuperset(of: former) else { continue }
            let permission = try rulebook.permit(
                Acts.ChangeConnection.self, to: actor.caller, on: .of(connection))
            try await connections.withdrawRoles(besides: kept, by: permission)
        }
    }
}
