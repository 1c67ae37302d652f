internal import Authority
internal import KeyturnBase
public import Model

/// Which tenant's claim of which domain.
public struct TenantDomainKey: Hashable, Sendable {
    public let tenantID: String
    public let domain: EmailDomain
}

/// Domains that tenants claim and prove.
struct ValueTenantDomainStore: TenantDomainStore {
    let database: ValueDatabase

    func claim(_ domain: TenantDomain, by permission: borrowing Allowed<Acts.ChangeTenants>)
        throws(StoreError) -> TenantDomain?
    {
        try permission.grounds.requireProject(of: domain.tenantID)
        return try database.write { world in
            try world.requireTenant(domain.tenantID)
            let key = TenantDomainKey(tenantID: domain.tenantID, domain: domain.domain)
            if let present = world.tenantDomains[key] { return present }
            let count = world.tenantDomains.keys.count { $0.tenantID == domain.tenantID }
            guard count < Limits.domainsOfTenantMax else { return nil }
            let claimed = TenantDomain(
                tenantID: domain.tenantID, domain: domain.domain, state: .pending, token: domain.token,
                claimedAt: domain.claimedAt)
            world.tenantDomains[key] = claimed
            return claimed
        }
    }

    func settle(
        _ domain: EmailDomain, as state: TenantDomain.State, by permission: borrowing Allowed<Acts.ChangeTenants>,
        at now: UnixTime
    ) throws(StoreError) -> String? {
        let tenant = try permission.grounds.requireTenant()
        return try database.write { world in
            let key = TenantDomainKey(tenantID: tenant, domain: domain)
            guard world.tenantDomains[key] != nil else { throw StoreError(.missing) }
            let loser = world.holder(of: domain).flatMap { $0 == tenant ? nil : $0 }
            if let loser { world.tenantDomains[TenantDomainKey(tenantID: loser, domain: domain)]?.state = .lost }
            world.tenantDomains[key]?.state = state
            world.tenantDomains[key]?.provenAt = now
            return loser
        }
    }

    func domains(of tenant: String?, limit: Int) throws(StoreError) -> [TenantDomain] {
        try database.read { world in
            let own = world.tenantDomains.values.filter { tenant == nil || $0.tenantID == tenant }
            let sorted = own.sorted { ($0.domain.name, $0.tenantID) < ($1.domain.name, $1.tenantID) }
            return Array(sorted.prefix(limit))
        }
    }

    func holder(of domain: EmailDomain) throws(StoreError) -> String? {
        try database.read { $0.holder(of: domain) }
    }

    func remove(_ domain: EmailDomain, by permission: borrowing Allowed<Acts.ChangeTenants>)
        throws(StoreError) -> Bool
    {
        let tenant = try permission.grounds.requireTenant()
        return try database.write { world in
            world.tenantDomains.removeValue(forKey: TenantDomainKey(tenantID: tenant, domain: domain)) != nil
        }
    }
}

extension StoreWorld {
    /// The tenant that has proven the domain, or is trusted with it.
    fileprivate func holder(of domain: EmailDomain) -> String? {
        tenantDomains.values.first { $0.domain == domain && [.proven, .trusted].contains($0.state) }?.tenantID
    }
}
