internal import KeyturnBase
internal import Model

/// Sealed state of sign-ins at providers.
struct ValueFederationStateStore: FederationStateStore {
    let database: ValueDatabase

    func keep(_ sealed: [UInt8], under digest: SecretDigest, until expiresAt: UnixTime) throws(StoreError) {
        try database.write { world in
            guard world.federationStates[digest] == nil else { throw StoreError(.conflict) }
            world.federationStates[digest] = FederationStateRow(sealed: sealed, expiresAt: expiresAt)
        }
    }

    func peek(_ digest: SecretDigest, at now: UnixTime) throws(StoreError) -> [UInt8]? {
        try database.read { world in
            world.federationStates[digest].flatMap { $0.expiresAt > now ? $0.sealed : nil }
        }
    }

    func take(_ digest: SecretDigest, at now: UnixTime) throws(StoreError) -> [UInt8]? {
        try database.write { world in
            guard let row = world.federationStates[digest], row.expiresAt > now else { return nil }
            world.federationStates[digest] = nil
            return row.sealed
        }
    }
}
