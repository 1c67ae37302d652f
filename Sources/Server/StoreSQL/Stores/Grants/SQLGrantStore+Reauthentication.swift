internal import Foundation
internal import KeyturnBase
internal import KeyturnWire
internal import Model

extension SQLGrantStore {
    func stepUp(
        _ id: GrantID, of user: UserID, to facts: AuthenticationFacts, claims: SessionClaims, epoch: Int64,
        endingOthers: Bool, at now: UnixTime
    ) async throws(StoreError) -> Bool {
        let stored = claims == .none ? nil : JSONValue.object(claims.stored).columnText
        return try await database.write(.locking([.user(user, shared: !endingOthers)])) { db in
            guard try Revocation.isCurrent(epoch, of: user, vouchedBy: facts.tenantID, db) else { return false }
            let isWritten =
                try db.run(
                    """
                    UPDATE grant_ SET auth_time = ?1, amr = ?2, acr = ?3, session_claims = ?4, vouched_by = ?8
                    WHERE id = ?5 AND user_id = ?6 AND redeemed_at IS NOT NULL AND ended_at IS NULL
                        AND idle_expires_at > ?7 AND absolute_expires_at > ?7
                    """,
                    [
                        facts.time.rawValue, facts.methods.joined(separator: " "), facts.contextClass, stored,
                        Data(id.bytes), user.rawValue, now.rawValue, facts.tenantID,
                    ]) == 1
            guard isWritten, endingOthers else { return isWritten }
            var scope = RevocationScope(.logout, at: now)
            scope.keptGrant = id
            try Revocation.end(scope, of: user, db)
            return true
        }
    }

    /// Writes a newer sign-in of the same user into their session with the same client. The conditions in the
    /// statement: client, user, a live session, a sign-in that is not older than `since`, and not newer, and the key that the session is bound to. What
    /// another device let in stays what it is (``AuthenticationMethod/otherDevice``).
    ///
    /// - Returns: whether there is such a session.
    static func reauthenticate(
        _ session: SessionID, since: UnixTime, by grant: Grant, key: String?, _ db: SQLSession, at now: UnixTime
    ) throws -> Bool {
        return try db.run(
            """
            UPDATE grant_ SET auth_time = ?1, amr = ?2, acr = ?3, vouched_by = ?11
            WHERE client_id = ?4 AND user_id = ?5 AND id != ?6 AND redeemed_at IS NOT NULL AND ended_at IS NULL
                AND idle_expires_at > ?7 AND absolute_expires_at > ?7 AND auth_time <= ?1 AND auth_time >= ?12
                AND (key IS NULL OR key = ?8)
                AND ' ' || amr || ' ' NOT LIKE '% device %'
                AND (session_id = ?9 OR (session_id IS NULL AND id = ?10))
            """,
            [
                grant.authentication.time.rawValue, grant.authentication.methods.joined(separator: " "),
                grant.authentication.contextClass, grant.clientID, grant.userID.rawValue, Data(grant.id.bytes),
                now.rawValue, key, session.rawValue, session.grantID.map { Data($0.bytes) },
                grant.authentication.tenantID, since.rawValue,
            ]) > 0
    }
}
