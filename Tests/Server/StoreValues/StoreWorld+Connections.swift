internal import Model

/// The end of a connection.
extension StoreWorld {
    /// Ends what identified users at a connection, with the roles that nothing else gives.
    mutating func forget(connection: String) {
        for identity in identities.values where identity.key.connectionID == connection {
            withdrawRoles(givenBy: identity)
            identities[identity.key] = nil
            guard unlinkedIdentities[identity.key] == nil else { continue }
            unlinkedIdentities[identity.key] = identity
            endedIdentities.insert(identity.key)
        }
        federatedSessions = federatedSessions.filter { $0.value.key.connectionID != connection }
        formerOrigins = formerOrigins.mapValues { rows in rows.filter { $0.key.connectionID != connection } }
            .filter { !$0.value.isEmpty }
    }
}
