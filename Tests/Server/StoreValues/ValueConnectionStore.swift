internal import Authority
internal import KeyturnBase
internal import Model

/// Connections to identity providers, sealed.
struct ValueConnectionStore: ConnectionStore {
    let database: ValueDatabase

    func all(limit: Int) throws(StoreError) -> [StoredConnection] {
        try database.read { world in Array(world.connections.values.sorted { $0.id < $1.id }.prefix(limit)) }
    }

    func create(_ connection: StoredConnection, by permission: borrowing Allowed<Acts.ChangeConnection>, max: Int)
        throws(StoreError) -> Bool
    {
        try permission.grounds.requireConnection(connection)
        return try database.write { world in
            guard world.connections.count < max else { return false }
            if let tenant = connection.tenantID { try world.requireTenant(tenant) }
            guard world.connections[connection.id] == nil else { throw StoreError(.conflict) }
            world.connections[connection.id] = connection
            return true
        }
    }

    func replace(
        _ old: StoredConnection, with sealed: [UInt8], by permission: borrowing Allowed<Acts.ChangeConnection>
    ) throws(StoreError) -> Bool {
        try permission.grounds.requireConnection(old)
        return try database.write { world in
            guard world.connections[old.id] == old else { return false }
            world.connections[old.id] = StoredConnection(id: old.id, tenantID: old.tenantID, sealed: sealed)
            return true
        }
    }

    func withdrawRoles(
        besides kept: Set<String>, by permission: borrowing Allowed<Acts.ChangeConnection>,
        after last: FederatedIdentity.Key?, limit: Int
    ) throws(StoreError) -> FederatedIdentity.Key? {
        let id = try permission.grounds.requireConnection()
        return try database.write { world in
            let giving = world.identities.values.filter {
                $0.key.connectionID == id && $0.providedRoles?.isEmpty == false
                    && ($0.key.issuer, $0.key.subject) > (last?.issuer ?? "", last?.subject ?? "")
            }
            let picked = giving.sorted {
                ($0.key.issuer, $0.key.subject) < ($1.key.issuer, $1.key.subject)
            }.prefix(limit)
            for identity in picked {
                var gone = identity
                gone.providedRoles?.removeAll(where: kept.contains)
                world.withdrawRoles(givenBy: gone)
                world.identities[identity.key]?.providedRoles?.removeAll { !kept.contains($0) }
            }
            return picked.count < limit ? nil : picked.last?.key
        }
    }

    func delete(by permission: borrowing Allowed<Acts.ChangeConnection>, at now: UnixTime) throws(StoreError) -> Bool {
        let id = try permission.grounds.requireConnection()
        return try database.write { world in
            world.forget(connection: id)
            return world.connections.removeValue(forKey: id) != nil
        }
    }
}
