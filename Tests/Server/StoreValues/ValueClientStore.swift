internal import KeyturnBase
internal import Model

/// Registered clients.
struct ValueClientStore: ClientStore {
    let database: ValueDatabase

    func all(limit: Int) throws(StoreError) -> [Client] {
        try database.read { world in
            Array(world.clients.values.map(\.client).sorted { $0.id < $1.id }.prefix(limit))
        }
    }

    func find(_ clientID: String) throws(StoreError) -> Client? {
        try database.read { $0.clients[clientID]?.client }
    }

    func contains(_ clientID: String) throws(StoreError) -> Bool {
        try database.read { $0.clients[clientID] != nil }
    }

    func put(_ client: Client, at now: UnixTime) throws(StoreError) {
        try database.write { $0.clients[client.id] = ClientRow(client: client, updatedAt: now) }
    }

    func add(_ client: Client, at now: UnixTime) throws(StoreError) -> Bool {
        try database.write { world in
            guard world.clients[client.id] == nil else { return false }
            world.clients[client.id] = ClientRow(client: client, updatedAt: now)
            return true
        }
    }

    func change(_ clientID: String, at now: UnixTime, _ rule: @escaping @Sendable (inout Client) -> Void)
        throws(StoreError) -> Client
    {
        try database.write { world in
            guard let row = world.clients[clientID] else { throw StoreError(.missing) }
            var client = row.client
            rule(&client)
            world.clients[clientID]?.client.metadata = client.metadata
            world.clients[clientID]?.client.secretDigests = client.secretDigests
            world.clients[clientID]?.updatedAt = now
            return client
        }
    }

    func register(_ client: Client, max: Int, at now: UnixTime) throws(StoreError) -> Bool {
        try database.write { world in
            let registered = world.clients.values.count { $0.client.registration != nil }
            guard registered < max, world.clients[client.id] == nil else { return false }
            let stored = Client(
                id: client.id, metadata: client.metadata, secretDigests: client.secretDigests,
                registration: client.registration)
            world.clients[client.id] = ClientRow(client: stored, updatedAt: now)
            return true
        }
    }

    func replace(_ client: Client, at now: UnixTime) throws(StoreError) -> Bool {
        try database.write { world in
            guard let old = world.clients[client.id]?.client, let token = client.registration?.tokenDigest,
                old.registration?.tokenDigest == token
            else { return false }
            world.clients[client.id]?.client.metadata = client.metadata
            // A secret that an operator changed since the caller looked stays changed.
            if old.secretDigests.isEmpty || client.secretDigests.isEmpty {
                world.clients[client.id]?.client.secretDigests = client.secretDigests
            }
            world.clients[client.id]?.updatedAt = now
            return true
        }
    }

    func removeUnused(before time: UnixTime, limit: Int) throws(StoreError) -> [String] {
        try database.write { world in
            let used = Set(world.grants.values.map(\.grant.clientID)).union(
                world.consents.filter { !$0.value.scopes.isEmpty }.keys.map(\.clientID))
            let unused = world.clients.values.filter { row in
                row.client.registration.map { $0.registeredAt <= time } ?? false && row.updatedAt <= time
                    && !used.contains(row.client.id)
            }
            let ids = unused.map(\.client.id).sorted().prefix(limit)
            for id in ids { world.clients[id] = nil }
            return Array(ids)
        }
    }

    func remove(_ clientID: String, at now: UnixTime) throws(StoreError) -> Bool {
        try database.write { world in
            guard world.clients.removeValue(forKey: clientID) != nil else { return false }
            world.consents = world.consents.filter { $0.key.clientID != clientID }
            world.endGrants(.administrator, at: now) { $0.grant.clientID == clientID }
            return true
        }
    }
}
