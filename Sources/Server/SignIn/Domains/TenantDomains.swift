public import Model

/// The domains that tenants have: proven by the DNS, or by the operator's word in the configuration or by command.
public struct TenantDomains: ProvenDomains, DomainHolders {
    private let connections: ConnectionDirectory
    private let configured: ConfiguredDomains
    private let store: any TenantDomainStore

    public init(connections: ConnectionDirectory, store: any TenantDomainStore) {
        self.connections = connections
        configured = ConfiguredDomains(connections: connections)
        self.store = store
    }

    public func isProven(_ domain: EmailDomain, of tenant: String, for connection: Connection)
        async throws(StoreError) -> Bool
    {
        // A proof in the DNS stands above the operator's earlier word for another tenant.
        if let holder = try await store.holder(of: domain) { return holder == tenant }
        return try await configured.isProven(domain, of: tenant, for: connection)
    }

    package func hasHolder(_ domain: EmailDomain) async throws(StoreError) -> Bool {
        if try await store.holder(of: domain) != nil { return true }
        return connections.all.contains { connection in
            connection.tenantID != nil && connection.domains.contains(domain.name)
                && (connections.isConfigured(connection.id) || connection.vouchedDomains.contains(domain.name))
        }
    }

    public func names(of tenant: String) async throws(StoreError) -> Set<String> {
        let own = try await store.domains(of: tenant, limit: Limits.domainsOfTenantMax)
            .filter { [.proven, .trusted].contains($0.state) }.map(\.domain.name)
        var names = Set(own)
        for name in configured.names(of: tenant).subtracting(own) {
            guard let domain = EmailDomain(name), try await store.holder(of: domain) == nil else { continue }
            names.insert(name)
        }
        return names
    }
}
