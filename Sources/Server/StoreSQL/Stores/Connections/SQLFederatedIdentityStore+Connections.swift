internal import KeyturnBase
internal import Model

/// The end of a connection, and of an account.
extension SQLFederatedIdentityStore {
    /// Ends what identified users at a connection, with the roles that nothing else gives: the next connection of its name
    /// may be another provider's. Users and their sessions stay; that they were known there stays known, since an address may
    /// be another person's by now.
    static func forget(connection: String, _ db: SQLSession, at now: UnixTime) throws {
        var last: FederatedIdentity.Key?
        repeat {
            let giving = try givingRoles(at: connection, after: last, limit: 500, db)
            for identity in giving { try withdrawRoles(of: identity, besides: [], db) }
            last = giving.last?.key
        } while last != nil
        try db.run(
            """
            INSERT INTO unlinked_identity (connection_id, issuer, subject, user_id, unlinked_at, by_owner, by_connection)
            SELECT connection_id, issuer, subject, user_id, ?, by_owner, 1 FROM federated_identity WHERE connection_id = ?
            ON CONFLICT DO NOTHING
            """, [now.rawValue, connection])
        try db.run("DELETE FROM federated_identity WHERE connection_id = ?", [connection])
        for table in ["federated_session", "former_origin"] {
            try db.run("DELETE FROM \(table) WHERE connection_id = ?", [connection])
        }
    }

    /// Those that were linked since a moment end, and count as disconnected by their user.
    static func end(of user: UserID, since: UnixTime, _ db: SQLSession, at now: UnixTime) throws {
        let values: Values = [user.rawValue, since.rawValue]
        try db.run(
            """
            INSERT INTO unlinked_identity (unlinked_at, connection_id, issuer, subject, user_id, by_owner)
            SELECT ?, connection_id, issuer, subject, user_id, by_owner FROM federated_identity
            WHERE user_id = ? AND linked_at >= ? ON CONFLICT DO NOTHING
            """, [now.rawValue] + values)
        try db.run("DELETE FROM federated_identity WHERE user_id = ? AND linked_at >= ?", values)
    }

    static func remove(_ key: FederatedIdentity.Key, _ db: SQLSession) throws {
        try db.run(
            "DELETE FROM federated_identity WHERE connection_id = ? AND issuer = ? AND subject = ?",
            [key.connectionID, key.issuer, key.subject])
    }

    /// An account gets the identities of another one that goes into it, linked and disconnected ones. To a provider that the
    /// account did not have they are what its owner linked: it neither made this account nor keeps its profile.
    static func move(from old: UserID, to new: UserID, _ db: SQLSession, at now: UnixTime) throws {
        let known: [String] = try db.all(
            """
            SELECT connection_id FROM federated_identity WHERE user_id = ?1
            UNION SELECT connection_id FROM unlinked_identity WHERE user_id = ?1
            """, [new.rawValue]
        ).map { $0["connection_id"] }
        let marks = known.map { _ in "?" }.joined(separator: ", ")
        let isOwners = known.isEmpty ? "1" : "CASE WHEN connection_id IN (\(marks)) THEN by_owner ELSE 1 END"
        let values = known + [new.rawValue] as Values
        // Those of the account that goes end with it.
        try db.run(
            """
            INSERT INTO unlinked_identity (by_owner, user_id, connection_id, issuer, subject, unlinked_at, by_connection)
            SELECT \(isOwners), ?, connection_id, issuer, subject, unlinked_at, by_connection
            FROM unlinked_identity WHERE user_id = ?
            ON CONFLICT (user_id, connection_id, issuer, subject) DO UPDATE SET
                by_connection = unlinked_identity.by_connection * excluded.by_connection
            """, values + [old.rawValue])
        // New to this account, as a dispute must see them.
        try db.run(
            "UPDATE federated_identity SET by_owner = \(isOwners), user_id = ?, linked_at = ? WHERE user_id = ?",
            values + [now.rawValue, old.rawValue])
    }
}
