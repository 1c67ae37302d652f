internal import KeyturnBase
internal import Model

/// The end of a connection.
extension SQLFederatedIdentityStore {
    /// Removes what identified users at a connection, with the roles that nothing else gives: the next connection of its
    /// name may be another provider's. Users and their sessions stay.
    static func forget(connection: String, _ db: SQLSession) throws {
        var last: FederatedIdentity.Key?
        repeat {
            let giving = try givingRoles(at: connection, after: last, limit: 500, db)
            for identity in giving { try withdrawRoles(of: identity, besides: [], db) }
            last = giving.last?.key
        } while last != nil
        try db.run("DELETE FROM federated_identity WHERE connection_id = ?", [connection])
        for table in ["unlinked_identity", "federated_session", "former_origin"] {
            try db.run("DELETE FROM \(table) WHERE connection_id = ?", [connection])
        }
    }
}
