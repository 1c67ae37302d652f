internal import KeyturnBase
internal import Model

/// What is a tenant's own: by it is told what its directory gave an account.
struct TenantMeans {
    let connections: [String]
    let provenDomains: Set<String>
}

/// The membership of provisioned users in their tenant, with the roles of their groups.
extension StoreWorld {
    /// The user joins the tenant: its default roles and those of the user's groups.
    mutating func join(_ user: UserID, _ number: Int64, in tenant: String) throws(StoreError) {
        try requireTenant(tenant)
        guard let held = users[user]?.memberships.tenants, held[tenant] == nil else { return }
        guard held.count < Limits.tenantsOfUserMax else { throw StoreError(.conflict) }
        let defaults = roles.values.filter { $0.isDefault && ($0.tenantID == nil || $0.tenantID == tenant) }
        let given = Set(defaults.map(\.id)).union(rolesOfGroups(with: number))
        users[user]?.memberships.tenants[tenant] = Array(given.sorted().prefix(Limits.rolesOfUserMax))
        if let time = broughtMemberships[user]?[tenant] ?? resources[number]?.broughtAt {
            noteBrought(user, in: tenant, at: time)
        }
    }

    /// Gives a user who is in the tenant the roles of the groups.
    mutating func giveRoles(to user: UserID, _ number: Int64, in tenant: String) {
        for role in rolesOfGroups(with: number).sorted().prefix(Limits.rolesOfUserMax) {
            give(role, to: user, in: tenant)
        }
    }

    /// The user leaves the tenant, and everything that is open there ends.
    ///
    /// - Parameter isSole: whether the directory reaches the account (``reaches(_:_:_:)``). Then everything ends; the
    ///   sessions of others are not the directory's to end, and lose the tenant with the membership.
    mutating func leave(_ user: UserID, _ tenant: String, isSole: Bool, at now: UnixTime) {
        if users[user]?.memberships.tenants.removeValue(forKey: tenant) != nil { noteFormer(user, of: tenant) }
        if isSole {
            end(RevocationScope(.userDisabled, at: now), of: user)
        } else {
            endVouched(by: tenant, of: user, at: now)
        }
    }

    /// Gives a role to a user who is in the tenant.
    mutating func give(_ role: String, to user: UserID, in tenant: String) {
        guard let held = users[user]?.memberships.tenants[tenant], !held.contains(role),
            held.count < Limits.rolesOfUserMax
        else { return }
        users[user]?.memberships.tenants[tenant] = held + [role]
    }

    /// Takes a role from a user, unless another group or a provider gives it.
    mutating func take(_ role: String, from user: UserID, _ number: Int64, in tenant: String) {
        guard !rolesOfGroups(with: number).contains(role),
            !rolesOfProviders(of: user, in: tenant, besides: nil).contains(role)
        else { return }
        users[user]?.memberships.tenants[tenant]?.removeAll { $0 == role }
    }

    /// Whether provisioning made the account, no other tenant has the user, and the user has neither a role in the
    /// console nor one that acts as others: what a tenant's directory says must not reach further. A former member of
    /// the tenant is not told apart here.
    func isSoleHolder(_ row: ResourceRow, _ user: UserID) -> Bool {
        row.madeUser && account(user)?.reachesOthers == false
            && users[user]?.memberships.tenants.keys.contains { $0 != row.tenantID } == false
            && !resources.values.contains { $0.userID == user && $0.number != row.number }
    }

    /// Whether what the directory says reaches the account itself, with all its sessions: it made the account, no other
    /// tenant has the user, and the user is a member or the account is held here alone.
    func reaches(_ row: ResourceRow, _ user: UserID, _ means: TenantMeans) -> Bool {
        guard isSoleHolder(row, user) else { return false }
        let isMember = users[user]?.memberships.tenants[row.tenantID] != nil && !isFormer(user, of: row.tenantID)
        return isMember || isHeldHereAlone(row, user, means)
    }

    /// Whether provisioning made the account and nothing else holds it.
    func isHeldHereAlone(_ row: ResourceRow, _ user: UserID, _ means: TenantMeans) -> Bool {
        guard isSoleHolder(row, user), let account = account(user), account.passwordHash == nil,
            !account.hasStrongFactor, account.user.disputedAt == nil, account.memberships.roles.isEmpty,
            account.provedAddresses.allSatisfy({ $0 == given(row, user, means) })
        else { return false }
        let own = means.connections.prefix(Limits.connectionsMax)
        return !identities.values.contains { $0.userID == user && !own.contains($0.key.connectionID) }
    }
}
