public import Model

/// Which domains a tenant has proven.
public protocol ProvenDomains: Sendable {
    /// Whether the tenant has proven the domain, or the operator gave it to this connection.
    func isProven(_ domain: EmailDomain, of tenant: String, for connection: Connection) async throws(StoreError) -> Bool
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
}
