internal import Federation
internal import Model
internal import SAML

/// What `keyturn config check` says about connections: what to enter at each provider.
enum ConnectionSummary {
    /// Empty if there are none.
    static func text(_ configuration: ServerConfiguration) -> String {
        guard !configuration.connections.isEmpty else { return "" }
        let issuer = configuration.issuer.text(listeningOn: configuration.listen)
        let lines = configuration.connections.map { connection in
            if case .ldap(let settings) = connection.settings {
                return "\(connection.id) (\(connection.name)): passwords are checked at \(settings.url)"
            }
            if case .saml = connection.settings {
                return """
                    \(connection.id) (\(connection.name)): enter at the provider
                      Metadata, which is the entityID: \(SAMLProtocol.entityID(of: connection.id, below: issuer))
                      Assertion Consumer Service: \(SAMLProtocol.consumer(of: connection.id, below: issuer))
                    """
            }
            return
                (["\(connection.id) (\(connection.name)): enter at the provider"]
                + ConnectionCheck.entries(connection, issuer: issuer).map { "  \($0)" }).joined(separator: "\n")
        }
        return "\nconnections:\n" + lines.joined(separator: "\n")
    }
}
