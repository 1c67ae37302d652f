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
        _ id: String, in tenant: String, connections: [String], at now: UnixTime, _ rule: @escaping SCIMUserRule
    ) async throws(StoreError) -> Result<SCIMRecord, SCIMProblem> {
        try await changeUser(id, by: try Self.permission(tenant), connections: connections, at: now, rule)
    }

    public func deleteUser(_ id: String, in tenant: String, version: Int64?, connections: [String], at now: UnixTime)
        async throws(StoreError) -> SCIMDeletion
    {
        try await deleteUser(
            id, by: try Self.permission(tenant), version: version, connections: connections, at: now)
    }

    public func rejoin(
        _ id: String, in tenant: String, _ profile: SCIMProfile, connections: [String], at now: UnixTime
    ) async throws(StoreError) -> UserID? {
        try await rejoin(id, by: try Self.permission(tenant), profile, connections: connections, at: now)
    }

    private static func permission(_ tenant: String) throws(StoreError) -> Allowed<Acts.Provision> {
        try Rulebook(AuthorityPolicy()).permission(
            Acts.Provision.self, to: .directory(tenant: tenant), on: .project(tenant: tenant))
    }
}
