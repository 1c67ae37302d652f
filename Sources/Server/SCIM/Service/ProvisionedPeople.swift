public import Authority
public import KeyturnBase
public import Model

/// The users of a tenant's directory, and who they are. A directory may begin before the tenant has proven its domain: its
/// users are accounts without a login ID then, and the people get other accounts when they sign in. From the moment that
/// the domain is proven, both are one.
public struct ProvisionedPeople: Sendable {
    private let resources: any SCIMResourceStore
    private let users: any SCIMUserStore
    private let tenantID: String
    private let caller: Caller
    private let provenDomains: Set<String>
    private let connections: [String]

    /// - Parameters:
    ///   - resources: what the directory sent.
    ///   - users: the accounts.
    ///   - tenantID: of the directory.
    ///   - caller: the directory, or the machine.
    ///   - provenDomains: of the tenant.
    ///   - connections: identifiers of the tenant's own connections.
    public init(
        resources: any SCIMResourceStore, users: any SCIMUserStore, tenantID: String, caller: Caller,
        provenDomains: Set<String>, connections: [String]
    ) {
        self.resources = resources
        self.users = users
        self.tenantID = tenantID
        self.caller = caller
        self.provenDomains = provenDomains
        self.connections = connections
    }

    /// Looks again at one user (``SCIMUserStore/rejoin(_:by:_:connections:at:)``).
    ///
    /// - Returns: the account that the user has from now on; `nil`: nothing changed.
    public func rejoin(_ id: String, at now: UnixTime) async throws(StoreError) -> UserID? {
        guard let record = try await resources.resource(id, .user, in: tenantID) else { return nil }
        return try await rejoin(record, at: now)
    }

    /// Looks again at every user: a domain was proven.
    ///
    /// - Returns: how many users have another account or a login ID now.
    public func rejoinAll(at now: UnixTime) async throws(StoreError) -> Int {
        var count = 0
        var query = SCIMQuery(tenantID: tenantID, kind: .user)
        query.limit = Limits.scimPageMax
        while true {
            let page = try await resources.search(query)
            for record in page where try await rejoin(record, at: now) != nil { count += 1 }
            guard page.count == query.limit, let last = page.last else { return count }
            query.after = last.number
        }
    }

    /// The permission to provision a tenant's users. No setting loosens these rules.
    static func permission(_ caller: Caller, for tenant: String) throws(StoreError) -> Allowed<Acts.Provision> {
        try Rulebook(AuthorityPolicy()).permission(Acts.Provision.self, to: caller, on: .project(tenant: tenant))
    }

    private func rejoin(_ record: SCIMRecord, at now: UnixTime) async throws(StoreError) -> UserID? {
        let profile = SCIMProfile(record.attributes) { provenDomains.contains($0.name) }
        do throws(StoreError) {
            let allowed = try Self.permission(caller, for: tenantID)
            return try await users.rejoin(record.id, by: allowed, profile, connections: connections, at: now)
        } catch {
            // Another user took the address meanwhile, or the person is in too many tenants: it stays as it was.
            guard error.code == .conflict else { throw error }
            return nil
        }
    }
}
