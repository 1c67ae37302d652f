import KeyturnBase
import Model

/// Memberships that an identity at a provider, or an account that was merged in, brought, and what a directory took in by an
/// address that the user added. What was brought stays noted when the directory takes it: the directory may give it again.
extension StoreWorld {
    mutating func noteBrought(_ user: UserID, in tenant: String, at now: UnixTime) {
        guard users[user]?.memberships.tenants[tenant] != nil else { return }
        broughtMemberships[user, default: [:]][tenant] = now
    }

    /// Notes that a directory names an account by an address, and since when this one is the user's.
    mutating func noteBrought(_ resource: Int64, naming user: UserID, by profile: SCIMProfile) {
        guard profile.isEmailProven, let email = profile.email.flatMap(Identifier.init(loginID:)),
            let row = newAddresses[user]?[email], !row.wasListed
        else { return }
        resources[resource]?.broughtAt = row.provedAt
    }

    /// An account gets the memberships of another one that goes into it.
    ///
    /// - Parameter now: when the user brought them; `nil`: they stay what they were.
    mutating func moveMemberships(from old: UserID, to new: UserID, at now: UnixTime?) {
        for (tenant, roles) in users[old]?.memberships.tenants ?? [:]
        where users[new]?.memberships.tenants[tenant] == nil {
            users[new]?.memberships.tenants[tenant] = roles
            if let time = now ?? broughtMemberships[old]?[tenant] { noteBrought(new, in: tenant, at: time) }
        }
        for tenant in formerMemberships[old] ?? [] {
            if !isFormer(new, of: tenant), users[new]?.memberships.tenants[tenant] == nil {
                broughtMemberships[new, default: [:]][tenant] = now ?? broughtMemberships[old]?[tenant]
            }
            noteFormer(new, of: tenant)
        }
    }

    /// Ends those that were brought since a moment, with the directories' resources that came to the account by them.
    ///
    /// - Parameter since: `nil`: all.
    mutating func endBrought(of user: UserID, since: UnixTime? = nil, at now: UnixTime) {
        for (tenant, time) in broughtMemberships[user] ?? [:] where since.map({ time >= $0 }) ?? true {
            for row in resources.values where row.userID == user && row.tenantID == tenant && !row.madeUser {
                removeResource(row.number)
            }
            endMembership(of: user, in: tenant, at: now)
        }
        for row in resources.values where row.userID == user && !row.madeUser {
            guard let time = row.broughtAt, since.map({ time >= $0 }) ?? true else { continue }
            let roles = rolesOfGroups(with: row.number)
            removeResource(row.number)
            for role in roles { take(role, from: user, row.number, in: row.tenantID) }
        }
    }

    /// The user disconnects an identity that they had connected.
    mutating func endBrought(with identity: FederatedIdentity, at now: UnixTime) {
        let user = identity.userID
        guard identity.isByOwner, let tenant = identity.providedIn, broughtMemberships[user]?[tenant] != nil,
            !identities.values.contains(where: { $0.userID == user && $0.providedIn == tenant }),
            !resources.values.contains(where: { $0.userID == user && $0.tenantID == tenant })
        else { return }
        endMembership(of: user, in: tenant, at: now)
    }

    mutating func noteFormer(_ user: UserID, of tenant: String) {
        formerMemberships[user, default: []].insert(tenant)
        returnedMembers[user]?[tenant] = nil
    }

    /// A member is back, by an act of their own or because nothing but the tenant holds the account.
    mutating func endAbsence(of user: UserID, from tenant: String, at now: UnixTime) {
        guard isFormer(user, of: tenant), users[user]?.memberships.tenants[tenant] != nil else { return }
        forgetFormer(user, of: [tenant])
        returnedMembers[user, default: [:]][tenant] = now
    }

    /// Who came back since a moment was another person.
    mutating func restoreFormer(_ user: UserID, since: UnixTime) {
        for (tenant, time) in returnedMembers[user] ?? [:] where time >= since { noteFormer(user, of: tenant) }
    }

    mutating func forgetFormer(_ user: UserID, of tenants: Set<String>) {
        let left = (formerMemberships[user] ?? []).subtracting(tenants)
        formerMemberships[user] = left.isEmpty ? nil : left
    }

    func isFormer(_ user: UserID, of tenant: String) -> Bool { formerMemberships[user]?.contains(tenant) == true }

    private mutating func endMembership(of user: UserID, in tenant: String, at now: UnixTime) {
        users[user]?.memberships.tenants[tenant] = nil
        broughtMemberships[user]?[tenant] = nil
        noteFormer(user, of: tenant)
        endVouched(by: tenant, of: user, at: now)
    }
}
