internal import KeyturnBase
internal import Model

/// The end of a connection, and of an account.
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

    static func remove(_ key: FederatedIdentity.Key, _ db: SQLSession) throws {
        try db.run(
            "DELETE FROM federated_identity WHERE connection_id = ? AND issuer = ? AND subject = ?",
            [key.connectionID, key.issuer, key.subject])
    }

    /// An account gets the identities of another one that goes into it, linked and disconnected ones. To a provider that the
    /// account did not have they are what its owner linked: it neither made this account nor keeps its profile.
    static func move(from old: UserID, to new: UserID, _ db: SQLSession, at now: UnixTime) throws {
        let isOwners = """
            CASE WHEN connection_id IN (SELECT own.connection_id FROM federated_identity own WHERE own.user_id = ?1
                UNION SELECT own.connection_id FROM unlinked_identity own WHERE own.user_id = ?1)
                THEN by_owner ELSE 1 END
            """
        // Those first: what is linked decides about them.
        try db.run(
            "UPDATE unlinked_identity SET user_id = ?1, by_owner = \(isOwners) WHERE user_id = ?2",
            [new.rawValue, old.rawValue])
        // New to this account, as a dispute must see them.
        try db.run(
            "UPDATE federated_identity SET user_id = ?1, linked_at = ?3, by_owner = \(isOwners) WHERE user_id = ?2",
            [new.rawValue, old.rawValue, now.rawValue])
    }
}
