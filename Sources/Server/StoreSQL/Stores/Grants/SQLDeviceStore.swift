internal import Foundation
internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// Devices that wait for approval, one row each, by the digest of their code.
struct SQLDeviceStore: DeviceStore {
    let database: any SQLDatabase

    /// The columns that ``SQLRow/device()`` reads.
    private static let columns = """
        digest, client_id, scope, resources, needs_several, key, network, created_at, expires_at, decided_at, grant_id
        """

    func add(_ device: DeviceAuthorization, userCode: SecretDigest) async throws(StoreError) -> Bool {
        try await database.write(.guarded) { db in
            return try db.run(
                """
                INSERT INTO device_authorization (
                    digest, user_code, client_id, scope, resources, needs_several, key, network, created_at, expires_at,
                    interval, next_poll_at, is_early
                ) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?9, 0) ON CONFLICT (user_code) DO NOTHING
                """,
                [
                    Data(device.id.bytes), Data(userCode.bytes), device.clientID, device.scope.text,
                    device.resources.joined(separator: " "), device.needsSeveralFactors, device.keyThumbprint,
                    device.network, device.createdAt.rawValue, device.expiresAt.rawValue, Limits.deviceIntervalSeconds,
                ]) == 1
        }
    }

    func authorization(userCode: [SecretDigest]) async throws(StoreError) -> DeviceAuthorization? {
        try await database.read { db in
            for digest in userCode {
                let sql = "SELECT \(Self.columns) FROM device_authorization WHERE user_code = ?"
                if let row = try db.first(sql, [Data(digest.bytes)]) { return try row.device() }
            }
            return nil
        }
    }

    func authorization(_ id: SecretDigest) async throws(StoreError) -> DeviceAuthorization? {
        try await database.read { db in
            try db.first("SELECT \(Self.columns) FROM device_authorization WHERE digest = ?", [Data(id.bytes)])?
                .device()
        }
    }

    func allow(_ id: SecretDigest, _ grant: Grant, at now: UnixTime) async throws(StoreError) -> DeviceDecision {
        try await database.write(.using(grant.userID)) { db in
            // First, because it is the gate: of two answers only one decides.
            let gate = try db.first(
                """
                UPDATE device_authorization SET decided_at = ?1, grant_id = ?2
                WHERE digest = ?3 AND decided_at IS NULL AND expires_at > ?1
                    AND EXISTS (SELECT 1 FROM session
                        WHERE id = ?4 AND user_id = ?5 AND expires_at > ?1 AND grant_id IS NULL)
                RETURNING client_id
                """,
                [now.rawValue, Data(grant.id.bytes), Data(id.bytes), grant.sessionID?.rawValue, grant.userID.rawValue])
            guard let gate else { return try Self.why(Data(id.bytes), db, at: now) }
            try db.run(
                """
                INSERT INTO grant_ (
                    id, client_id, user_id, session_id, scope, is_offline, resources, auth_time, amr, acr,
                    created_at, code_digest, code_expires_at, counter, idle_expires_at, absolute_expires_at, vouched_by
                ) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, 0, ?13, ?14, ?15)
                """,
                [
                    Data(grant.id.bytes), gate["client_id"] as String, grant.userID.rawValue, grant.sessionID?.rawValue,
                    grant.scope.text, grant.isOffline, grant.resources.joined(separator: " "),
                    grant.authentication.time.rawValue, grant.authentication.methods.joined(separator: " "),
                    grant.authentication.contextClass, now.rawValue, grant.id.unusedCodeDigest,
                    grant.idleExpiresAt.rawValue, grant.absoluteExpiresAt.rawValue,
                    grant.authentication.tenantID,
                ])
            return .made
        }
    }

    func deny(_ id: SecretDigest, at now: UnixTime) async throws(StoreError) -> DeviceDecision {
        try await database.write(.guarded) { db in
            return try db.run(
                """
                UPDATE device_authorization SET decided_at = ?1
                WHERE digest = ?2 AND decided_at IS NULL AND expires_at > ?1
                """,
                [now.rawValue, Data(id.bytes)]) == 1 ? .made : try Self.why(Data(id.bytes), db, at: now)
        }
    }

    /// Why nothing was decided.
    private static func why(_ digest: Data, _ db: SQLSession, at now: UnixTime) throws -> DeviceDecision {
        let row = try db.first(
            "SELECT decided_at, expires_at FROM device_authorization WHERE digest = ?", [digest])
        guard let row else { return .expired }
        guard row.optionalTime("decided_at") == nil else { return .tooLate }
        return now < row.time("expires_at") ? .signedOut : .expired
    }

    private static let slower = SQL.lesser("interval + ?2", "?3")

    func poll(_ poll: DevicePoll, idleSeconds: Int64, at now: UnixTime) async throws(StoreError) -> DeviceAnswer {
        try await database.write(.guarded) { db in
            // One second of tolerance: requests take different times to arrive, and times are whole seconds.
            let row = try db.first(
                """
                UPDATE device_authorization SET is_early = CASE WHEN next_poll_at > ?1 + 1 THEN 1 ELSE 0 END,
                    interval = CASE WHEN decided_at IS NULL AND next_poll_at > ?1 + 1
                        THEN \(Self.slower) ELSE interval END,
                    next_poll_at = ?1 + CASE WHEN next_poll_at > ?1 + 1 THEN \(Self.slower) ELSE interval END
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
            return try Self.redeem(
                grantID, poll, idleSeconds: idleSeconds, db,
                until: max(expiresAt, decidedAt + Limits.deviceRepeatSeconds), at: now)
        }
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

extension SQLRow {
    fileprivate func device() throws -> DeviceAuthorization {
        guard let scope = Scope(self["scope"] as String) else { throw SQLProblem.damagedRow }
        let decision: DeviceAuthorization.Decision =
            optionalTime("decided_at") == nil ? .pending : (self["grant_id"] as Data?) == nil ? .denied : .allowed
        return DeviceAuthorization(
            id: SecretDigest(storedBytes: bytes("digest")), clientID: self["client_id"], scope: scope,
            resources: words("resources"), needsSeveralFactors: self["needs_several"], keyThumbprint: self["key"],
            network: self["network"], createdAt: time("created_at"), expiresAt: time("expires_at"),
            decision: decision)
    }
}
