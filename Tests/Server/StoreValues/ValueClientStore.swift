internal import Authority
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

    func put(_ client: Client, by permission: borrowing Allowed<Acts.ChangeClient>, at now: UnixTime)
        throws(StoreError)
    {
        guard permission.grounds.clientID == client.id, permission.grounds.allow(.registerManagementClient) else {
            throw StoreError(.forbidden)
        }
        try database.write { world in
            if let present = world.clients[client.id]?.client, client.replaces(present) {
                world.clients[client.id] = nil
                world.endGifts(of: client.id, at: now)
            }
            let present = world.clients[client.id]?.client
            var stored = client.created(at: present.map(\.createdAt) ?? now)
            if let present {
                stored.wasOthers = present.wasOthers || client.isFromConfiguration && !present.isFromConfiguration
            }
            world.clients[client.id] = ClientRow(client: stored, updatedAt: now)
        }
    }

    func add(_ client: Client, by permission: borrowing Allowed<Acts.ChangeClient>, at now: UnixTime)
        throws(StoreError) -> Bool
    {
        try permission.grounds.requireCover(of: nil, client)
        return try database.write { world in
            guard world.clients[client.id] == nil else { return false }
            world.clients[client.id] = ClientRow(client: client.created(at: now), updatedAt: now)
            return true
        }
    }

    func change(
        by permission: borrowing Allowed<Acts.ChangeClient>, at now: UnixTime,
        _ rule: @escaping @Sendable (inout Client) -> Void
    ) throws(StoreError) -> Client {
        let grounds = permission.grounds
        let clientID = try grounds.requireClient()
        return try database.write { world in
            guard let row = world.clients[clientID] else { throw StoreError(.missing) }
            var client = row.client
            rule(&client)
            try grounds.requireCover(of: row.client, client)
            world.clients[clientID]?.client.metadata = client.metadata
            world.clients[clientID]?.client.secretDigests = client.secretDigests
            world.clients[clientID]?.updatedAt = now
            return client
        }
    }

    func register(
        _ client: Client, by permission: borrowing Allowed<Acts.RegisterClient>, max: Int, at now: UnixTime
    ) throws(StoreError) -> Bool {
        try permission.grounds.requireRegistered(client)
        return try database.write { world in
            let registered = world.clients.values.count { $0.client.registration != nil }
            guard registered < max, world.clients[client.id] == nil else { return false }
            let stored = Client(
                id: client.id, metadata: client.metadata, secretDigests: client.secretDigests,
                registration: client.registration)
            world.clients[client.id] = ClientRow(client: stored.created(at: now), updatedAt: now)
            return true
        }
    }

    func replace(_ client: Client, by permission: borrowing Allowed<Acts.RegisterClient>, at now: UnixTime)
        throws(StoreError) -> Bool
    {
        try permission.grounds.requireRegistered(client)
        return try database.write { world in
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

    func removeUnused(by permission: borrowing Allowed<Acts.RemoveClient>, before time: UnixTime, limit: Int)
        throws(StoreError) -> [String]
    {
        try permission.grounds.requireNoUser()
        return try database.write { world in
            let used = Set(world.grants.values.map(\.grant.clientID)).union(
                world.consents.filter { !$0.value.scopes.isEmpty }.keys.map(\.clientID))
            let unused = world.clients.values.filter { row in
                row.client.registration.map { $0.registeredAt <= time } ?? false && row.updatedAt <= time
                    && !used.contains(row.client.id)
            }
            let ids = unused.map(\.client.id).sorted().prefix(limit)
            for id in ids { world.clients[id] = nil }
            world.biometricKeys = world.biometricKeys.filter { !ids.contains($0.value.clientID) }
            return Array(ids)
        }
    }

    func remove(by permission: borrowing Allowed<Acts.RemoveClient>, at now: UnixTime) throws(StoreError) -> Bool {
        let grounds = permission.grounds
        let clientID = try grounds.requireClient()
        return try database.write { world in
            guard let row = world.clients.removeValue(forKey: clientID) else { return false }
            try grounds.requireRemoval(of: row.client)
            world.endGifts(of: clientID, at: now)
            return true
        }
    }
}

extension StoreWorld {
    /// Ends what users gave a client: their consent, their devices' keys, their grants.
    fileprivate mutating func endGifts(of clientID: String, at now: UnixTime) {
        consents = consents.filter { $0.key.clientID != clientID }
        biometricKeys = biometricKeys.filter { $0.value.clientID != clientID }
        endGrants(.administrator, at: now) { $0.grant.clientID == clientID }
    }
}
