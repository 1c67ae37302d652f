internal import Model

/// The end of a connection.
extension StoreWorld {
    /// The user has disconnected it, or disputed the sign-in in which it was linked.
    mutating func noteDisconnected(_ identity: FederatedIdentity) {
        unlinkedIdentities[identity.endedKey] = identity
        endedIdentities.remove(identity.endedKey)
    }

    /// Ends what identified users at a connection, with the roles that nothing else gives.
    mutating func forget(connection: String) {
        for identity in identities.values where identity.key.connectionID == connection {
            withdrawRoles(givenBy: identity)
            identities[identity.key] = nil
            guard unlinkedIdentities[identity.endedKey] == nil else { continue }
            unlinkedIdentities[identity.endedKey] = identity
            endedIdentities.insert(identity.endedKey)
        }
        federatedSessions = federatedSessions.filter { $0.value.key.connectionID != connection }
        formerOrigins = formerOrigins.mapValues { rows in rows.filter { $0.key.connectionID != connection } }
            .filter { !$0.value.isEmpty }
    }
}
