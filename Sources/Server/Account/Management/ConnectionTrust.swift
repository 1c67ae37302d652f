internal import Model

/// What the operator's word about a connection was given for.
extension Connection {
    /// Without the operator's word for domains, if another provider speaks now than at `present`: the word was given for
    /// the one that was there.
    func withoutTrust(in present: Connection) -> Connection {
        guard !isProvider(of: present) else { return self }
        var connection = self
        connection.vouchedDomains = []
        return connection
    }

    /// Whether the provider that `other` named speaks here, with keys that were trusted there.
    private func isProvider(of other: Connection) -> Bool {
        switch (settings, other.settings) {
        case (.openID(let now), .openID(let before)):
            return now.issuer == before.issuer && now.preset == before.preset && now.endpoints == before.endpoints
                && now.parameters == before.parameters
        case (.saml(let now), .saml(let before)):
            guard now.entityID == before.entityID, now.metadataURL == before.metadataURL else { return false }
            // The provider's own document says which certificates it has.
            return now.metadataURL != nil || Set(before.certificates).isSuperset(of: now.certificates)
        case (.ldap(let now), .ldap(let before)):
            return now.url == before.url && now.baseDN == before.baseDN && now.filter == before.filter
                && now.certificateAuthorities == before.certificateAuthorities
        case (.openID, _), (.saml, _), (.ldap, _): return false
        }
    }
}
