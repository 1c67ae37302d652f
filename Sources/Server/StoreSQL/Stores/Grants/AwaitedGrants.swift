internal import Foundation
internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// Grants that a user allows on a page and a client gets by polling: of devices, and of requests for a sign-in on another
/// device. Their tables have the columns of polling in common.
enum AwaitedGrants {
    /// Adds a grant that comes alive at the next poll.
    ///
    /// - Parameter parent: the grant with which it ends; `nil`: none.
    static func insert(
        _ grant: Grant, of clientID: String, parent: GrantID? = nil, _ db: SQLSession, at now: UnixTime
    ) throws {
        try db.run(
            """
            INSERT INTO grant_ (
                id, client_id, user_id, session_id, scope, is_offline, resources, auth_time, amr, acr,
                created_at, code_digest, code_expires_at, counter, idle_expires_at, absolute_expires_at, vouched_by,
                parent
            ) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, 0, ?13, ?14, ?15, ?16)
            """,
            [
                Data(grant.id.bytes), clientID, grant.userID.rawValue, grant.sessionID?.rawValue,
                grant.scope.text, grant.isOffline, grant.resources.joined(separator: " "),
                grant.authentication.time.rawValue, grant.authentication.methods.joined(separator: " "),
                grant.authentication.contextClass, now.rawValue, grant.id.unusedCodeDigest,
                grant.idleExpiresAt.rawValue, grant.absoluteExpiresAt.rawValue,
                grant.authentication.tenantID, parent.map { Data($0.bytes) },
            ])
    }

    /// Ends those that no client has fetched.
    ///
    /// - Returns: how many ended.
    static func end(of user: UserID, _ reason: Grant.EndReason, _ db: SQLSession, at now: UnixTime) throws -> Int {
        let condition = """
            user_id = ? AND redeemed_at IS NULL AND id IN (
                SELECT d.grant_id FROM device_authorization d WHERE d.grant_id IS NOT NULL
                UNION ALL SELECT b.grant_id FROM backchannel_authentication b WHERE b.grant_id IS NOT NULL)
            """
        return try SQLGrantStore.end(condition, [user.rawValue], reason, db, at: now)
    }

    private static let slower = SQL.lesser("interval + ?2", "?3")

    /// Answers a poll. One statement while there is no decision, two when the user has allowed it.
    ///
    /// - Parameter table: a name in this program, never of a request.
    static func answer(
        _ poll: DevicePoll, in table: String, idleSeconds: Int64, _ db: SQLSession, at now: UnixTime
    ) throws -> DeviceAnswer {
        // One second of tolerance: requests take different times to arrive, and times are whole seconds.
        let row = try db.first(
            """
            UPDATE \(table) SET is_early = CASE WHEN next_poll_at > ?1 + 1 THEN 1 ELSE 0 END,
                interval = CASE WHEN decided_at IS NULL AND next_poll_at > ?1 + 1
                    THEN \(slower) ELSE interval END,
                next_poll_at = ?1 + CASE WHEN next_poll_at > ?1 + 1 THEN \(slower) ELSE interval END
            WHERE digest = ?4 AND client_id = ?5 AND (key IS NULL OR key = ?6)
            RETURNING is_early, interval, expires_at, decided_at, grant_id
            """,
            [
                now.rawValue, Limits.deviceSlowDownSeconds, Limits.deviceIntervalSecondsMax, Data(poll.id.bytes),
                poll.clientID, poll.keyThumbprint,
            ])
        guard let row else { return .unknown }
        let expiresAt = row.time("expires_at")
        guard let decidedAt = row.optionalTime("decided_at") else {
            guard now < expiresAt else { return .expired }
            return row["is_early"] ? .slowDown(intervalSeconds: row["interval"]) : .pending
        }
        guard let grantID = row["grant_id"] as Data? else { return .denied }
        return try redeem(
            grantID, poll, idleSeconds: idleSeconds, db,
            until: max(expiresAt, decidedAt + Limits.deviceRepeatSeconds), at: now)
    }

    /// This UPDATE is the single-use gate: there is one writer, and it contains every condition.
    ///
    /// - Parameter end: a device that was approved at the last moment is still accepted.
    private static func redeem(
        _ id: Data, _ poll: DevicePoll, idleSeconds: Int64, _ db: SQLSession, until end: UnixTime, at now: UnixTime
    ) throws -> DeviceAnswer {
        let won = try db.first(
            """
            UPDATE grant_ SET redeemed_at = ?1, idle_expires_at = \(SQL.lesser("?1 + ?2", "absolute_expires_at")),
                key = ?3, bearer = ?4
            WHERE id = ?5 AND redeemed_at IS NULL AND ended_at IS NULL AND ?1 < ?6
            RETURNING \(GrantColumns.withReauthentication)
            """,
            [
                now.rawValue, idleSeconds, poll.bindsGrant ? poll.keyThumbprint : nil, poll.wantsBearer, id,
                end.rawValue,
            ])
        if let won { return .granted(try won.grantWithReauthentication()) }
        guard let row = try db.first(SQLGrantStore.byID, [id]) else {
            return .ended
        }
        let grant = try row.grant()
        guard let redeemedAt = row.optionalTime("redeemed_at") else {
            return row.optionalTime("ended_at") == nil ? .expired : .ended
        }
        // Using a bound token does not increase its counter, but moves the end of its idle time.
        let isUnused =
            row.optionalTime("ended_at") == nil && grant.counter == 0
            && grant.idleExpiresAt == min(redeemedAt + idleSeconds, grant.absoluteExpiresAt)
        let isSame = grant.keyThumbprint == nil || grant.keyThumbprint == poll.keyThumbprint
        guard isUnused, isSame, now <= redeemedAt + Limits.deviceRepeatSeconds else { return .spent(grant.id) }
        return .repeated(grant)
    }
}
