internal import Foundation
internal import KeyturnBase
internal import Model

/// Carries out a ``RevocationScope`` within a transaction: one place, so that nothing is forgotten.
enum Revocation {
    /// Ends what the scope says. The user's row is written first, so that a simultaneous sign-in waits, and finds
    /// another epoch.
    ///
    /// - Returns: how many grants ended.
    @discardableResult
    static func end(_ scope: RevocationScope, of user: UserID, _ db: SQLSession) throws -> Int {
        let endedAt = scope.parts.contains(.grants) ? scope.now.rawValue : nil
        try db.run(
            "UPDATE \"user\" SET epoch = epoch + 1, sessions_ended_at = coalesce(?, sessions_ended_at) WHERE id = ?",
            [endedAt, user.rawValue])
        var ended = 0
        for part in scope.parts { ended += try end(part, scope, of: user, db) }
        return ended
    }

    /// - Returns: how many grants ended.
    private static func end(_ part: RevocationScope.Part, _ scope: RevocationScope, of user: UserID, _ db: SQLSession)
        throws -> Int
    {
        switch part {
        case .recovery:
            try SQLRecoveryStore.end(user, .revoked(scope.reason), db, at: scope.now)
        case .oneTimeCodes:
            try db.run("DELETE FROM one_time_code WHERE user_id = ?", [user.rawValue])
        case .unconfirmedAuthenticators:
            try db.run("DELETE FROM authenticator WHERE user_id = ? AND confirmed = 0", [user.rawValue])
        case .links:
            try SQLLinkStore.removeAll(of: user, keeping: scope.keptReference, db)
        case .approvals:
            try SQLBackchannelStore.withdrawApprovals(of: user, db, at: scope.now)
            return try AwaitedGrants.end(of: user, scope.reason, db, at: scope.now)
        case .biometricKeys:
            try db.run(
                """
                DELETE FROM biometric_key WHERE user_id = ?1
                    AND id NOT IN (SELECT biometric_key FROM grant_ WHERE id = ?2 AND biometric_key IS NOT NULL)
                """, [user.rawValue, Data(scope.keptGrant?.bytes ?? [])])
        case .browserSessions:
            try db.run(
                "DELETE FROM session WHERE user_id = ? AND id IS DISTINCT FROM ?",
                [user.rawValue, scope.keptSession?.rawValue])
        case .grants:
            // No grant has an empty identifier, so an empty one excludes none.
            let values: Values = [
                user.rawValue, Data(scope.keptGrant?.bytes ?? []), scope.keptApp?.clientID,
                scope.keptApp?.sessionID.rawValue, scope.keptApp?.since.rawValue ?? 0,
            ]
            return try SQLGrantStore.end(grantsOfUser, values, scope.reason, db, at: scope.now)
        }
        return 0
    }

    /// Notes that sessions of the user ended, here and elsewhere: a token of another service that is older is refused.
    static func noteEnd(of user: UserID, _ db: SQLSession, at time: UnixTime) throws {
        try db.run(
            """
            UPDATE "user" SET sessions_ended_at = CASE WHEN sessions_ended_at > ?1 THEN sessions_ended_at ELSE ?1 END
            WHERE id = ?2
            """, [time.rawValue, user.rawValue])
    }

    private static let grantsOfUser = """
        user_id = ? AND id <> ?
        AND NOT (client_id IS NOT DISTINCT FROM ? AND session_id IS NOT DISTINCT FROM ? AND auth_time >= ?
            AND ' ' || amr || ' ' NOT LIKE '% device %')
        """

    /// Whether nothing was revoked since `epoch` was read, and the user may sign in.
    static func isCurrent(_ epoch: Int64, of user: UserID, _ db: SQLSession) throws -> Bool {
        try db.first(
            "SELECT 1 FROM \"user\" WHERE id = ? AND epoch = ? AND status = 'active'", [user.rawValue, epoch]) != nil
    }

    /// As ``isCurrent(_:of:_:)``; and the directory of the tenant that vouched has not deactivated the user.
    static func isCurrent(
        _ epoch: Int64, of user: UserID, vouchedBy tenant: String?, _ db: SQLSession
    ) throws -> Bool {
        guard try isCurrent(epoch, of: user, db) else { return false }
        guard let tenant else { return true }
        return try db.first(
            "SELECT 1 FROM scim_resource WHERE user_id = ? AND tenant_id = ? AND active = 0", [user.rawValue, tenant])
            == nil
    }

    /// Ends what a tenant vouched for, and sessions for which it was selected; the user's others go on, and so does a
    /// sign-in that is under way elsewhere.
    ///
    /// - Parameter keepsSelected: sessions for which it was selected go on, too: they lose it with the membership.
    /// - Returns: how many sessions and grants that were.
    @discardableResult
    static func endVouched(
        by tenant: String, of user: UserID, keepsSelected: Bool = false, _ db: SQLSession, at now: UnixTime
    ) throws -> Int {
        let sessions = try db.run(
            "DELETE FROM session WHERE user_id = ? AND vouched_by = ?", [user.rawValue, tenant])
        let grants = "user_id = ? AND (vouched_by = ? OR tenant = ?)"
        let values: Values = [user.rawValue, tenant, keepsSelected ? nil : tenant]
        return sessions + (try SQLGrantStore.end(grants, values, .userDisabled, db, at: now))
    }
}
