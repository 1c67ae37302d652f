internal import KeyturnBase
internal import Model

/// Who gives a role beside an operator: providers, as their identities record it, and groups of a tenant's directory.
extension StoreWorld {
    /// A user's identities, in the order of linking.
    func identities(of user: UserID) -> [FederatedIdentity] {
        let own = identities.values.filter { $0.userID == user }.sorted { one, other in
            one.linkedAt == other.linkedAt ? one.key.isBefore(other.key) : one.linkedAt < other.linkedAt
        }
        return Array(own.prefix(Limits.identitiesOfUserMax))
    }

    /// The roles that other identities of the user, and the user's groups in the tenant, give.
    ///
    /// - Parameters:
    ///   - tenant: where; `nil`: everywhere.
    ///   - key: the identity that does not count.
    func rolesFromElsewhere(of user: UserID, in tenant: String?, besides key: FederatedIdentity.Key) -> Set<String> {
        var roles = rolesOfProviders(of: user, in: tenant, besides: key)
        guard let tenant else { return roles }
        for row in resources.values where row.userID == user && row.tenantID == tenant {
            roles.formUnion(rolesOfGroups(with: row.number))
        }
        return roles
    }

    /// The roles that identities of the user give.
    ///
    /// - Parameter key: one that does not count; `nil`: all count.
    func rolesOfProviders(of user: UserID, in tenant: String?, besides key: FederatedIdentity.Key?) -> Set<String> {
        let giving = identities.values.filter {
            $0.userID == user && $0.key != key && $0.providedRoles != nil && $0.providedIn == tenant
        }
        return Set(giving.flatMap { $0.providedRoles ?? [] })
    }

    /// An account as it goes into another one. A tenant's directory may have both: its resource of this one does not go
    /// along, nor do the roles that only groups of that resource give.
    func carried(_ account: Account, into kept: UserID) -> Account {
        var account = account
        let user = account.user.id
        let shared = Set(resources.values.filter { $0.userID == kept }.map(\.tenantID))
        for row in resources.values where row.userID == user && shared.contains(row.tenantID) {
            let gone = rolesOfGroups(with: row.number)
                .subtracting(rolesOfProviders(of: user, in: row.tenantID, besides: nil))
            account.memberships.tenants[row.tenantID]?.removeAll { gone.contains($0) }
        }
        return account
    }

    /// The roles that only this identity gave end with it.
    mutating func withdrawRoles(givenBy identity: FederatedIdentity) {
        guard let given = identity.providedRoles, !given.isEmpty else { return }
        let (user, tenant) = (identity.userID, identity.providedIn)
        let gone = Set(given).subtracting(rolesFromElsewhere(of: user, in: tenant, besides: identity.key))
        if let tenant {
            users[user]?.memberships.tenants[tenant]?.removeAll { gone.contains($0) }
        } else {
            users[user]?.memberships.roles.removeAll { gone.contains($0) }
        }
    }
}

extension FederatedIdentity.Key {
    fileprivate func isBefore(_ other: FederatedIdentity.Key) -> Bool {
        (connectionID, issuer, subject) < (other.connectionID, other.issuer, other.subject)
    }
}
