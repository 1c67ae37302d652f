internal import Authority
internal import KeyturnBase
internal import Model

/// Tokens of provisioning clients.
struct ValueSCIMTokenStore: SCIMTokenStore {
    let database: ValueDatabase

    func create(
        _ token: SCIMToken, digest: SecretDigest, by permission: borrowing Allowed<Acts.MakeProvisioningToken>
    ) throws(StoreError) -> Bool {
        try permission.grounds.requireProject(of: token.tenantID)
        return try database.write { world in
            try world.requireTenant(token.tenantID)
            let count = world.provisioningTokens.values.count { $0.tenantID == token.tenantID }
            guard count < Limits.scimTokensMax else { return false }
            let isTaken = world.provisioningTokens.contains { $0.key == digest || $0.value.id == token.id }
            guard !isTaken else { throw StoreError(.conflict) }
            world.provisioningTokens[digest] = token
            return true
        }
    }

    func use(_ digest: SecretDigest, at now: UnixTime) throws(StoreError) -> SCIMToken? {
        try database.write { world in
            guard let token = world.provisioningTokens[digest], token.expiresAt.map({ $0 > now }) ?? true else {
                return nil
            }
            if token.usedAt.map({ now.seconds(since: $0) >= Limits.scimUseSeconds }) ?? true {
                world.provisioningTokens[digest] = SCIMToken(
                    id: token.id, tenantID: token.tenantID, name: token.name, createdAt: token.createdAt,
                    expiresAt: token.expiresAt, usedAt: now)
            }
            return token
        }
    }

    func tokens(of tenant: String) throws(StoreError) -> [SCIMToken] {
        try database.read { world in
            let own = world.provisioningTokens.values.filter { $0.tenantID == tenant }
            return Array(own.sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }.prefix(Limits.scimTokensMax))
        }
    }

    func revoke(_ id: String, by permission: borrowing Allowed<Acts.MakeProvisioningToken>)
        throws(StoreError) -> Bool
    {
        let tenant = try permission.grounds.requireTenant()
        return try database.write { world in
            let digest = world.provisioningTokens.first { $0.value.id == id && $0.value.tenantID == tenant }?.key
            guard let digest else { return false }
            world.provisioningTokens[digest] = nil
            return true
        }
    }
}
