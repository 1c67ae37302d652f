internal import Foundation
internal import KeyturnBase
internal import Model

/// The end of everything that somebody is signed in with, or is about to be: one place, so that nothing is forgotten.
struct Revocation {
    let reason: Grant.EndReason
    let now: UnixTime
    /// A grant that goes on.
    var keptGrant: GrantID?
    /// A browser session that goes on.
    var keptSession: SessionID?
    /// What an app has of one session, and goes on.
    var keptApp: SignedInSession?
    /// Of whoever waits for a proof and goes on waiting.
    var keptReference: SecretDigest?

    init(_ reason: Grant.EndReason, at now: UnixTime) {
        self.reason = reason
        self.now = now
    }

    /// Ends sessions and grants, and everything that could still become one, and queues the logout notices.
    ///
    /// - Returns: how many grants ended.
    @discardableResult
    func end(_ user: UserID, _ db: SQLSession) throws -> Int {
        try removePending(of: user, db)
        // Who put a key on a device while they were in would come back with it.
        try db.run(
            """
            DELETE FROM biometric_key WHERE user_id = ?1
                AND id NOT IN (SELECT biometric_key FROM grant_ WHERE id = ?2 AND biometric_key IS NOT NULL)
            """, [user.rawValue, Data(keptGrant?.bytes ?? [])])
        try db.run("DELETE FROM session WHERE user_id = ? AND id IS DISTINCT FROM ?", [user.rawValue, keptSession?.rawValue])
        // No grant has an empty identifier, so nothing is spared unless something is kept.
        let condition = "user_id = ? AND id <> ? AND NOT (client_id IS NOT DISTINCT FROM ? AND session_id IS NOT DISTINCT FROM ?)"
        let arguments: Values = [
            user.rawValue, Data(keptGrant?.bytes ?? []), keptApp?.clientID, keptApp?.sessionID.rawValue,
        ]
        try SQLLogoutNoticeStore.add(condition, arguments, db, at: now)
        return try SQLGrantStore.end(condition, arguments, reason, db, at: now)
    }

    /// Ends what could still become a session: codes and links on their way (ASVS V6.4.3), authenticators without a first
    /// code, a recovery that was begun, and with the epoch whatever is being checked at this moment. Sessions stay.
    func removePending(of user: UserID, _ db: SQLSession) throws {
        try db.run("UPDATE \"user\" SET epoch = epoch + 1 WHERE id = ?", [user.rawValue])
        try SQLRecoveryStore.end(user, .revoked(reason), db, at: now)
        try db.run("DELETE FROM one_time_code WHERE user_id = ?", [user.rawValue])
        try db.run("DELETE FROM authenticator WHERE user_id = ? AND confirmed = 0", [user.rawValue])
        try SQLLinkStore.removeAll(of: user, keeping: keptReference, db)
    }

    /// Whether nothing was ended since `epoch` was read, and the user may sign in.
    static func isCurrent(_ epoch: Int64, of user: UserID, _ db: SQLSession) throws -> Bool {
        try db.first(
            "SELECT 1 FROM \"user\" WHERE id = ? AND epoch = ? AND status = 'active'", [user.rawValue, epoch]) != nil
    }
}
