internal import Authority
public import KeyturnBase
public import Model

/// What tests set up of clients and connections, as a command on the machine does it.
extension ClientStore {
    public func put(_ client: Client, at now: UnixTime) async throws(StoreError) {
        try await put(client, by: try MachineAuthority.permit(Acts.ChangeClient.self, on: .client(client.id)), at: now)
    }

    public func add(_ client: Client, at now: UnixTime) async throws(StoreError) -> Bool {
        try await add(client, by: try MachineAuthority.permit(Acts.ChangeClient.self, on: .client(client.id)), at: now)
    }

    public func change(_ clientID: String, at now: UnixTime, _ rule: @escaping @Sendable (inout Client) -> Void)
        async throws(StoreError) -> Client
    {
        try await change(
            by: try MachineAuthority.permit(Acts.ChangeClient.self, on: .client(clientID)), at: now, rule)
    }

    public func removeUnused(before time: UnixTime, limit: Int) async throws(StoreError) -> [String] {
        try await removeUnused(
            by: try MachineAuthority.permit(Acts.RemoveClient.self, on: .project(tenant: nil)), before: time,
            limit: limit)
    }

    public func remove(_ clientID: String, at now: UnixTime) async throws(StoreError) -> Bool {
        try await remove(by: try MachineAuthority.permit(Acts.RemoveClient.self, on: .client(clientID)), at: now)
    }
}

/// A client's own registration.
extension ClientStore {
    public func register(_ client: Client, max: Int, at now: UnixTime) async throws(StoreError) -> Bool {
        try await register(client, by: try Self.registration(client.id), max: max, at: now)
    }

    public func replace(_ client: Client, at now: UnixTime) async throws(StoreError) -> Bool {
        try await replace(client, by: try Self.registration(client.id), at: now)
    }

    private static func registration(_ clientID: String) throws(StoreError) -> Allowed<Acts.RegisterClient> {
        try Rulebook(AuthorityPolicy()).permission(
            Acts.RegisterClient.self, to: .anonymous, on: .client(clientID), showing: .registration)
    }
}

extension ConnectionStore {
    public func create(_ connection: StoredConnection, max: Int) async throws(StoreError) -> Bool {
        try await create(connection, by: try Self.permission(connection.id, connection.tenantID), max: max)
    }

    public func replace(_ old: StoredConnection, by sealed: [UInt8]) async throws(StoreError) -> Bool {
        try await replace(old, with: sealed, by: try Self.permission(old.id, old.tenantID))
    }

    public func withdrawRoles(
        of id: String, besides kept: Set<String> = [], after last: FederatedIdentity.Key? = nil, limit: Int
    ) async throws(StoreError) -> FederatedIdentity.Key? {
        try await withdrawRoles(besides: kept, by: try Self.permission(id, nil), after: last, limit: limit)
    }

    public func delete(_ id: String, at now: UnixTime) async throws(StoreError) -> Bool {
        try await delete(by: try Self.permission(id, nil), at: now)
    }

    private static func permission(_ id: String, _ tenant: String?) throws(StoreError) -> Allowed<Acts.ChangeConnection>
    {
        try MachineAuthority.permit(Acts.ChangeConnection.self, on: .connection(id, tenant: tenant))
    }
}

extension ConnectionDirectory {
    /// - Parameter isNew: `false`: it replaces what the directory has, whatever that is.
    public func save(_ connection: Connection, isNew: Bool) async throws(StoreError) -> ConnectionSaving {
        let subject = Subject.connection(connection.id, tenant: connection.tenantID)
        return try await save(
            connection, over: isNew ? nil : self.connection(connection.id),
            by: try MachineAuthority.permit(Acts.ChangeConnection.self, on: subject))
    }

    public func remove(_ id: String, at now: UnixTime) async throws(StoreError) -> Bool {
        try await remove(
            by: try MachineAuthority.permit(Acts.ChangeConnection.self, on: .connection(id, tenant: nil)), at: now)
    }
}
