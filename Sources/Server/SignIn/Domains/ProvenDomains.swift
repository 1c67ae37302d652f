public import Model

/// Which domains a tenant has proven.
public protocol ProvenDomains: Sendable {
    /// Whether the tenant has proven the domain, or the operator gave it to this connection.
    func isProven(_ domain: EmailDomain, of tenant: String, for connection: Connection) async throws(StoreError) -> Bool

    /// Every domain that a tenant has, whichever connection asks.
    func names(of tenant: String) async throws(StoreError) -> Set<String>
}

/// The operator's word: domains of connections in the configuration file, or vouched for at the command line.
public struct ConfiguredDomains: ProvenDomains {
    private let connections: ConnectionDirectory

    public init(connections: ConnectionDirectory) {
        self.connections = connections
    }

    public func isProven(_ domain: EmailDomain, of tenant: String, for connection: Connection)
        async throws(StoreError) -> Bool
    {
        connection.tenantID == tenant && connection.domains.contains(domain.name)
            && (connections.isConfigured(connection.id) || connection.vouchedDomains.contains(domain.name))
    }

    public func names(of tenant: String) -> Set<String> {
        Set(
            connections.connections(of: tenant).flatMap { connection in
                connections.isConfigured(connection.id)
                    ? connection.domains : connection.domains.filter(connection.vouchedDomains.contains)
            })
    }
}
