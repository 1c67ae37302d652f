internal import Authority
public import KeyturnBase
public import Model

extension FederatedIdentityStore {
    public func link(_ identity: FederatedIdentity, epoch: Int64) async throws(StoreError) -> IdentityLinking {
        try await link(
            identity, by: try MachineAuthority.permit(Acts.LinkIdentity.self, on: identity.userID, epoch: epoch))
    }

    public func create(_ account: Account, with identity: FederatedIdentity) async throws(StoreError) -> Bool {
        try await create(
            account, with: identity, by: try MachineAuthority.permit(Acts.CreateAccount.self, on: .newUser))
    }

    public func use(
        _ use: IdentityUse, of user: UserID, at now: UnixTime, _ rule: @escaping IdentityRule
    ) async throws(StoreError) -> Account {
        try await self.use(use, by: try MachineAuthority.permitChange(of: user), at: now, rule)
    }

    public func unlink(
        _ key: FederatedIdentity.Key, of user: UserID, leaving ways: SignInWays, at now: UnixTime
    ) async throws(StoreError) -> IdentityUnlinking {
        try await unlink(
            key, by: try MachineAuthority.permit(Acts.UnlinkIdentity.self, on: user), leaving: ways, at: now)
    }
}

/// A tenant's own directory writes.
extension SCIMUserStore {
    public func createUser(_ user: NewSCIMUser, in tenant: String, at now: UnixTime) async throws(StoreError)
        -> SCIMRecord
    {
        try await createUser(user, by: try Self.permission(tenant), at: now)
    }

    public func changeUser(
        _ id: String, in tenant: String, connections: [String], provenDomains: Set<String> = [], at now: UnixTime,
        _ rule: @escaping SCIMUserRule
    ) async throws(StoreError) -> Result<SCIMRecord, SCIMProblem> {
        try await changeUser(
            id, by: try Self.permission(tenant), connections: connections, provenDomains: provenDomains, at: now, rule)
    }

    public func deleteUser(
        _ id: String, in tenant: String, version: Int64?, connections: [String], provenDomains: Set<String> = [],
        at now: UnixTime
    ) async throws(StoreError) -> SCIMDeletion {
        try await deleteUser(
            id, by: try Self.permission(tenant), version: version, connections: connections,
            provenDomains: provenDomains, at: now)
    }

    /// In a tenant that has proven no domain.
    public func match(_ names: ProvisionedNames, in tenant: String, connections: [String]) async throws(StoreError)
        -> ProvisionedMatch?
    {
        try await match(names, in: tenant, connections: connections, provenDomains: [])
    }

    public func rejoin(
        _ id: String, in tenant: String, _ profile: SCIMProfile, connections: [String], at now: UnixTime
    ) async throws(StoreError) -> UserID? {
        try await rejoin(id, by: try Self.permission(tenant), profile, connections: connections, at: now)
    }

    private static func permission(_ tenant: String) throws(StoreError) -> Allowed<Acts.Provision> {
        try MachineAuthority.provision(tenant)
    }
}

extension TenantDomainStore {
    public func claim(_ domain: TenantDomain) async throws(StoreError) -> TenantDomain? {
        try await claim(domain, by: try MachineAuthority.permitTenants(of: domain.tenantID))
    }

    public func settle(_ domain: EmailDomain, of tenant: String, as state: TenantDomain.State, at now: UnixTime)
        async throws(StoreError) -> String?
    {
        try await settle(domain, as: state, by: try MachineAuthority.permitTenants(of: tenant), at: now)
    }

    public func remove(_ domain: EmailDomain, of tenant: String) async throws(StoreError) -> Bool {
        try await remove(domain, by: try MachineAuthority.permitTenants(of: tenant))
    }
}

extension SCIMGroupStore {
    public func createGroup(
        _ id: String, in tenant: String, _ content: SCIMContent, members: [String], at now: UnixTime
    ) async throws(StoreError) -> Result<SCIMRecord, SCIMProblem> {
        try await createGroup(
            id, by: try MachineAuthority.provision(tenant), content, members: members, at: now)
    }

    public func changeGroup(_ id: String, in tenant: String, at now: UnixTime, _ rule: @escaping SCIMGroupRule)
        async throws(StoreError) -> Result<SCIMRecord, SCIMProblem>
    {
        try await changeGroup(id, by: try MachineAuthority.provision(tenant), at: now, rule)
    }

    public func deleteGroup(_ id: String, in tenant: String, version: Int64?, at now: UnixTime)
        async throws(StoreError) -> SCIMDeletion
    {
        try await deleteGroup(id, by: try MachineAuthority.provision(tenant), version: version, at: now)
    }

    public func map(_ id: String, in tenant: String, to role: String?, at now: UnixTime) async throws(StoreError) {
        try await map(id, to: role, by: try MachineAuthority.permitTenants(of: tenant), at: now)
    }
}

extension SCIMTokenStore {
    public func create(_ token: SCIMToken, digest: SecretDigest) async throws(StoreError) -> Bool {
        try await create(token, digest: digest, by: try Self.permission(token.tenantID))
    }

    public func revoke(_ id: String, of tenant: String) async throws(StoreError) -> Bool {
        try await revoke(id, by: try Self.permission(tenant))
    }

    private static func permission(_ tenant: String) throws(StoreError) -> Allowed<Acts.MakeProvisioningToken> {
        try MachineAuthority.permit(Acts.MakeProvisioningToken.self, on: .project(tenant: tenant))
    }
}

extension AccessKeyStore {
    public func create(_ key: AccessKey, digest: SecretDigest) async throws(StoreError) {
        try await create(key, digest: digest, by: try Self.permission())
    }

    public func change(_ id: String, at now: UnixTime, _ rule: @escaping @Sendable (inout AccessKey) -> Void)
        async throws(StoreError) -> AccessKey
    {
        try await change(id, by: try Self.permission(), at: now, rule)
    }

    public func rotate(_ id: String, to digest: SecretDigest, at now: UnixTime) async throws(StoreError) -> AccessKey {
        try await rotate(id, to: digest, by: try Self.permission(), at: now)
    }

    public func delete(_ id: String) async throws(StoreError) -> Bool {
        try await delete(id, by: try Self.permission())
    }

    private static func permission() throws(StoreError) -> Allowed<Acts.ChangeAccessKeys> {
        try MachineAuthority.permit(Acts.ChangeAccessKeys.self, on: .project(tenant: nil))
    }
}
extension TenantStore {
    public func create(_ tenant: Tenant) async throws(StoreError) {
        try await create(tenant, by: try MachineAuthority.permitTenants(of: tenant.id))
    }

    public func update(_ tenant: Tenant) async throws(StoreError) {
        try await update(tenant, by: try MachineAuthority.permitTenants(of: tenant.id))
    }

    public func delete(_ id: String, at now: UnixTime) async throws(StoreError) -> Bool {
        try await delete(by: try MachineAuthority.permitTenants(of: id), at: now)
    }
}

extension RoleStore {
    public func create(_ role: Role) async throws(StoreError) {
        try await create(role, by: try MachineAuthority.permitTenants(of: role.tenantID))
    }

    public func update(_ role: Role) async throws(StoreError) {
        try await update(role, by: try MachineAuthority.permitTenants(of: role.tenantID))
    }

    public func deleteRole(_ id: String) async throws(StoreError) -> Bool {
        let role = try await roles(limit: Limits.rolesMax).first { $0.id == id }
        return try await deleteRole(id, by: try MachineAuthority.permitTenants(of: role?.tenantID))
    }

    public func create(_ permission: Permission) async throws(StoreError) {
        try await create(permission, by: try MachineAuthority.permitTenants(of: nil))
    }

    public func update(permission name: String, to new: Permission) async throws(StoreError) {
        try await update(permission: name, to: new, by: try MachineAuthority.permitTenants(of: nil))
    }

    public func deletePermission(_ name: String) async throws(StoreError) -> Bool {
        try await deletePermission(name, by: try MachineAuthority.permitTenants(of: nil))
    }
}

extension MachineAuthority {
    fileprivate static func provision(_ tenant: String) throws(StoreError) -> Allowed<Acts.Provision> {
        try Rulebook(AuthorityPolicy()).permission(
            Acts.Provision.self, to: .directory(tenant: tenant), on: .project(tenant: tenant))
    }

    fileprivate static func permitTenants(of tenant: String?) throws(StoreError) -> Allowed<Acts.ChangeTenants> {
        try permit(Acts.ChangeTenants.self, on: .project(tenant: tenant))
    }
}
