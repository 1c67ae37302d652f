public import Authority
public import KeyturnBase
public import Model
public import SignIn

/// Changes connections: for the command line, and for the operator's programs by the management interface. A running
/// server uses the change at once, another one on the same database within a second.
public struct ConnectionEditor: Sendable {
    /// The connections that are changed.
    public let connections: ConnectionDirectory
    let access: AccessDirectory
    let protocols: ConnectionProtocols
    let rules: ConnectionRules
    let domains: any TenantDomainStore
    private let rulebook: Rulebook
    private let audit: (any AuditLog)?
    private let note: ChangeNote?
    private let ambient: Ambient

    /// - Parameters:
    ///   - connections: that are changed.
    ///   - access: the tenants.
    ///   - protocols: that know what their settings must be like.
    ///   - rules: for every connection.
    ///   - domains: which tenant has which.
    ///   - rulebook: which change an operator may make.
    ///   - audit: `nil`: the store records the changes.
    ///   - note: told of what changes, for a store that records it.
    ///   - ambient: the time.
    public init(
        connections: ConnectionDirectory, access: AccessDirectory, protocols: ConnectionProtocols,
        rules: ConnectionRules, domains: any TenantDomainStore, rulebook: Rulebook, audit: (any AuditLog)?,
        note: ChangeNote? = nil, ambient: Ambient
    ) {
        self.connections = connections
        self.access = access
        self.protocols = protocols
        self.rules = rules
        self.domains = domains
        self.rulebook = rulebook
        self.audit = audit
        self.note = note
        self.ambient = ambient
    }

    /// Adds a connection.
    ///
    /// - Parameters:
    ///   - members: by the keys of the configuration file, `id` and `tenant` among them.
    ///   - actor: what only the machine may say is taken from it alone: private addresses, domains without proof, and
    ///     directories.
    /// - Throws: ``ConnectionRefusal``; ``ConnectionDenial``; the rulebook's `Denial`; ``StoreError``.
    public func add(_ members: [String: JSONValue], by actor: Actor) async throws -> Connection {
        var rest = members
        let id = rest.removeValue(forKey: "id")?.stringValue ?? ""
        let tenant = rest.removeValue(forKey: "tenant")
        guard tenant == nil || tenant == .null || tenant?.stringValue != nil else {
            throw ConnectionRefusal([ConnectionMistake("tenant", "expected a text", "Correct its type.")])
        }
        if let mistake = ConnectionRules.identifier(id) { throw ConnectionRefusal([mistake]) }
        let now = ambient.now()
        let blank = ConnectionDocument.blank(id, tenant: tenant?.stringValue, for: rest, at: now)
        _ = try permission(for: blank, to: actor.caller)
        let connection = try edited(blank, rest, by: actor)
        return try await save(connection, over: nil, by: actor)
    }

    /// Changes the named members of a connection.
    ///
    /// - Throws: as ``add(_:by:)``.
    public func change(_ id: String, _ members: [String: JSONValue], by actor: Actor) async throws -> Connection {
        try await connections.reload()
        let present = try find(id)
        var rest = members
        rest["id"] = nil
        _ = try permission(for: present, to: actor.caller)
        var connection = try edited(present, rest, by: actor)
        if !actor.caller.isMachine, !connection.asksOnly(addressesOf: present) {
            // The operator allowed the addresses that were there.
            connection.allowsPrivateAddresses = false
        }
        let secret = connection.secretName
        if connection.secretGoesElsewhere(than: present), members[secret] == nil {
            throw ConnectionRefusal([
                ConnectionMistake(
                    secret, "the secret belongs to the provider that was there",
                    "Give the new provider's, or none.")
            ])
        }
        // In words of the same command the operator means the new provider.
        return try await save(
            connection, over: present, keepsTrust: members["vouched_domains"] != nil, by: actor)
    }

    /// Removes a connection, with its users' identities: the next one of this identifier may be another provider's.
    ///
    /// - Throws: ``ConnectionRefusal``; the rulebook's `Denial`; ``StoreError``.
    public func remove(_ id: String, by actor: Actor) async throws {
        let subject = Subject.connection(id, tenant: connections.connection(id)?.tenantID)
        let permission = try rulebook.permit(Acts.ChangeConnection.self, to: actor.caller, on: subject)
        guard !connections.isConfigured(id) else { throw ConnectionRefusal([Self.configured]) }
        let note = note ?? ChangeNote(ambient)
        note.set(from: connections.connection(id), to: nil)
        guard try await connections.remove(by: permission, at: ambient.now()) else {
            throw ConnectionRefusal([Self.unknown])
        }
        audit?.record(
            AuditEvent(.connectionRemoved, at: ambient.now(), actor: actor.name, target: id, changes: note.changes))
    }

    /// A connection by its identifier.
    ///
    /// - Throws: ``ConnectionRefusal``.
    public func find(_ id: String) throws(ConnectionRefusal) -> Connection {
        if let connection = connections.connection(id) { return connection }
        throw ConnectionRefusal([connections.unreadable.contains(id) ? Self.unreadable : Self.unknown])
    }

    /// Checks a connection and saves it. The operator's word for domains does not pass to another provider.
    ///
    /// - Parameters:
    ///   - present: what it replaces; `nil`: it is new.
    ///   - keepsTrust: whether the operator gives the word again with this change.
    ///   - actor: for the audit log.
    /// - Throws: as ``add(_:by:)``.
    public func save(
        _ connection: Connection, over present: Connection?, keepsTrust: Bool = false, by actor: Actor
    ) async throws -> Connection {
        try permit(connection, over: present, to: actor.caller)
        var connection = connection
        // Before this server asks there.
        if case .saml(let settings) = connection.settings, let address = settings.metadataURL,
            let mistake = rules.endpoint("metadata_url", address, of: connection)
        {
            throw ConnectionRefusal([mistake])
        }
        if let speaker = protocols.of(connection) {
            do throws(ConnectionProblem) {
                connection = try await speaker.completed(connection)
            } catch {
                throw ConnectionRefusal([
                    ConnectionMistake(
                        "metadata_url", "what the provider publishes cannot be read (\(error.code))",
                        "Correct the address, or give the settings themselves.")
                ])
            }
        }
        if let present, !keepsTrust { connection = connection.withoutTrust(in: present) }
        connection.updatedAt = ambient.now()
        let found = try await mistakes(in: connection)
        guard found.isEmpty else { throw ConnectionRefusal(found) }
        return try await write(connection, over: present, by: actor)
    }

    /// Saves a connection as it is, for settings that are still incomplete: it must not be enabled.
    public func keep(_ connection: Connection, isNew: Bool, by actor: Actor) async throws -> Connection {
        let present = isNew ? nil : connections.connection(connection.id)
        try permit(connection, over: present, to: actor.caller)
        return try await write(connection, over: present, by: actor)
    }

    /// Who may make this change: an operator, or, where users could be given to another provider, an owner.
    private func permit(_ connection: Connection, over present: Connection?, to caller: Caller) throws {
        _ = try permission(for: connection, to: caller)
        do throws(Denial) {
            try rulebook.require(.changeConnectionTrust, to: caller, on: .of(connection))
        } catch {
            let actsByDefault = ActingPermissions.roles(in: connection.tenantID, access).contains(where: \.isDefault)
            let members = connection.trust(over: present, actsByDefault: actsByDefault) {
                isOwners(access.role(named: $0, in: $1))
            }
            guard members.isEmpty else { throw ConnectionDenial(denial: error, members: members) }
        }
    }

    /// Whether an owner alone maps groups to the role: the project's, or one that lets its users act as others.
    private func isOwners(_ role: Role?) -> Bool {
        guard let role, role.tenantID != nil else { return true }
        return !ActingPermissions.names.isDisjoint(with: role.permissions)
    }

    private func permission(for connection: Connection, to caller: Caller) throws(Denial) -> Allowed<
        Acts.ChangeConnection
    > {
        try rulebook.permit(Acts.ChangeConnection.self, to: caller, on: .of(connection))
    }

    private func write(_ connection: Connection, over present: Connection?, by actor: Actor) async throws -> Connection
    {
        let note = note ?? ChangeNote(ambient)
        note.set(from: present, to: connection)
        let permission = try permission(for: connection, to: actor.caller)
        switch try await connections.save(connection, over: present, by: permission) {
        case .saved: break
        case .configured: throw ConnectionRefusal([Self.configured])
        case .present:
            throw ConnectionRefusal([
                ConnectionMistake(
                    "id", "there is a connection of this name already", "Change it, or choose another name.")
            ])
        case .missing: throw ConnectionRefusal([Self.unknown])
        case .changed: throw ConnectionRefusal([Self.overtaken])
        case .tooMany:
            throw ConnectionRefusal([
                ConnectionMistake(
                    "id", "there are \(Limits.connectionsMax) connections", "Remove one that is not used.")
            ])
        }
        audit?.record(
            AuditEvent(
                .connectionChanged, at: ambient.now(), reason: connection.tenantID, actor: actor.name,
                target: connection.id,
                changes: note.changes))
        if let present { try await withdrawRoles(of: connection, before: present, by: permission) }
        return connection
    }

    /// A role that the groups no longer lead to ends now, not at the next sign-in of each user.
    private func withdrawRoles(
        of connection: Connection, before present: Connection,
        by permission: borrowing Allowed<Acts.ChangeConnection>
    ) async throws(StoreError) {
        let kept = Set(connection.mappedRoles(access).values)
        guard !kept.isSuperset(of: present.mappedRoles(access).values) else { return }
        try await connections.withdrawRoles(besides: kept, by: permission)
    }

    /// What the operator enters at the provider, a line each.
    public func entries(for connection: Connection) -> [String] {
        protocols.of(connection)?.entries(for: connection) ?? []
    }

    private func edited(_ connection: Connection, _ members: [String: JSONValue], by actor: Actor)
        throws(ConnectionRefusal) -> Connection
    {
        let isMachine = actor.caller.isMachine
        // A document that says what is there already, as pages show it, says nothing.
        let present = ConnectionDocument.json(connection)
        let reserved = ["allow_private_addresses", "vouched_domains"].filter {
            !isMachine && members[$0] != nil && members[$0] != present[$0]
        }
        guard reserved.isEmpty else {
            throw ConnectionRefusal(
                reserved.map { ConnectionMistake($0, "only the operator says this", "Use keyturn connection change.") })
        }
        if case .ldap = connection.settings, !isMachine {
            // Directories are asked in private networks, where strangers would send this server.
            throw ConnectionRefusal([
                ConnectionMistake("type", "only the operator connects directories", "Use keyturn connection.")
            ])
        }
        var connection = connection
        let unread = ConnectionDocument.apply(members, to: &connection)
        guard unread.isEmpty else { throw ConnectionRefusal(unread) }
        if connection.name.isEmpty { connection.name = connection.id }
        connection.vouchedDomains = connection.vouchedDomains.filter(connection.domains.contains)
        return connection
    }
}

extension Caller {
    /// Whether a command on the database, or the configuration file, says it.
    fileprivate var isMachine: Bool { kind == .machine }
}
