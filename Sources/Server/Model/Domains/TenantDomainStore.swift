public import Authority
public import KeyturnBase

/// A domain that a tenant claims.
public struct TenantDomain: Hashable, Sendable {
    /// How far the proof is.
    public enum State: String, Hashable, Sendable {
        /// Waits for its record in the DNS.
        case pending
        /// The record was there.
        case proven
        /// The operator said that the domain is the tenant's.
        case trusted
        /// Another tenant has proven it since.
        case lost
    }

    public let tenantID: String
    public let domain: EmailDomain
    public var state: State
    /// What the TXT record must hold.
    public let token: String
    public let claimedAt: UnixTime
    public var provenAt: UnixTime?

    public init(
        tenantID: String, domain: EmailDomain, state: State, token: String, claimedAt: UnixTime,
        provenAt: UnixTime? = nil
    ) {
        self.tenantID = tenantID
        self.domain = domain
        self.state = state
        self.token = token
        self.claimedAt = claimedAt
        self.provenAt = provenAt
    }
}

/// The domains of tenants. At any time at most one tenant has proven a domain, or is trusted with it. What writes
/// takes the permission for the tenant.
public protocol TenantDomainStore: Sendable {
    /// Notes a claim, which proves nothing.
    ///
    /// - Returns: the claim; the earlier one, with its token, if the tenant has claimed it before; `nil` if the tenant
    ///   has ``Limits/domainsOfTenantMax``.
    /// - Throws: `missing` if there is no such tenant.
    func claim(_ domain: TenantDomain, by permission: borrowing Allowed<Acts.ChangeTenants>)
        async throws(StoreError) -> TenantDomain?

    /// The permission's tenant has the domain from now on; whichever tenant had it loses it, in the same transaction.
    ///
    /// - Returns: the tenant that lost it; `nil`: none.
    /// - Throws: `missing` if the tenant has not claimed it.
    func settle(
        _ domain: EmailDomain, as state: TenantDomain.State, by permission: borrowing Allowed<Acts.ChangeTenants>,
        at now: UnixTime
    ) async throws(StoreError) -> String?

    /// The domains of a tenant, by name; `nil`: of all tenants, at most `limit`.
    func domains(of tenant: String?, limit: Int) async throws(StoreError) -> [TenantDomain]

    /// The tenant that has proven the domain, or is trusted with it: exactly this one, not those below it. `nil`: none.
    func holder(of domain: EmailDomain) async throws(StoreError) -> String?

    /// Removes a claim of the permission's tenant, proven or not.
    ///
    /// - Returns: whether there was one.
    func remove(_ domain: EmailDomain, by permission: borrowing Allowed<Acts.ChangeTenants>)
        async throws(StoreError) -> Bool
}
