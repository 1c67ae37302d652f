internal import Model
internal import SignIn

/// What is wrong with a connection, in words for the operator.
extension ConnectionEditor {
    /// Everything that is wrong with a connection.
    func mistakes(in connection: Connection) async throws(StoreError) -> [ConnectionMistake] {
        var found = rules.mistakes(in: connection) + protocols.mistakes(in: connection)
        if isSecondDirectory(connection) { found.append(Self.secondDirectory) }
        guard let tenant = connection.tenantID else { return found }
        if access.tenant(tenant) == nil {
            found.append(
                ConnectionMistake(
                    "tenant", "there is no tenant of this name", "`keyturn tenant list` shows them all."))
        }
        for (index, domain) in connection.domains.enumerated() {
            let other = connections.all.first {
                $0.tenantID != nil && $0.tenantID != tenant && $0.domains.contains(domain)
            }
            // Who has proven the domain has it, whatever another tenant's connection still says.
            var isTaken = other != nil
            if let name = EmailDomain(domain), let holder = try await domains.holder(of: name) {
                isTaken = holder != tenant
            }
            guard isTaken else { continue }
            found.append(
                ConnectionMistake(
                    "domains[\(index)]", "another tenant has this domain", "Remove it there first, if it is not theirs."
                ))
        }
        return found
    }

    /// The project has one source of passwords beside its own.
    private func isSecondDirectory(_ connection: Connection) -> Bool {
        guard case .ldap = connection.settings, connection.isEnabled, connection.tenantID == nil else { return false }
        return connections.all.contains { other in
            guard case .ldap = other.settings else { return false }
            return other.isEnabled && other.tenantID == nil && other.id != connection.id
        }
    }

    private static let secondDirectory = ConnectionMistake(
        "id", "the project has a directory already", "Give one of them a tenant with domains, or disable it.")
    static let configured = ConnectionMistake(
        "id", "the connection stands in the configuration file", "Change it there, and restart the server.")
    static let unknown = ConnectionMistake(
        "id", "there is no connection of this name", "`keyturn connection list` shows them all.")
    static let overtaken = ConnectionMistake(
        "id", "the connection was changed meanwhile", "Look at it again, and repeat the change.")
    static let unreadable = ConnectionMistake(
        "id", "the connection cannot be read: a secret is missing that sealed it",
        "Add the secret again (secrets), or remove the connection.")
}
