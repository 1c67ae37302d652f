internal import Model

/// The end of a connection.
extension StoreWorld {
    /// Removes what identified users at a connection, with the roles that nothing else gives.
    mutating func forget(connection: String) {
        for identity in identities.values where identity.key.connectionID == connection {
            withdrawRoles(givenBy: identity)
            identities[identity.key] = nil
        }
        unlinkedIdentities = unlinkedIdentities.filter { $0.key.connectionID != connection }
        federatedSessions = federatedSessions.filter { $0.value.key.connectionID != connection }
        formerOrigins = formerOrigins.mapValues { rows in rows.filter { $0.key.connectionID != connection } }
            .filter { !$0.value.isEmpty }
    }
}
