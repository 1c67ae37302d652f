internal import Foundation
internal import KeyturnBase
internal import Model

/// Data keys of devices, one row each, with the attempts at their secrets and the results.
struct SQLKeyServiceStore: KeyServiceStore {
    let database: any SQLDatabase

    /// Everything that ``SQLRow/dataKey()`` reads.
    static let columns = """
        id, realm, user_id, client_id, salt, memory_kib, passes, lanes, by_secret, by_long_secret, long_secret,
        failures, attempt, locked_at, created_at, used_at, used_from, \(ownerIsActive) AS owner_is_active
        """
    private static let ownerIsActive =
        "(user_id IS NULL OR EXISTS (SELECT 1 FROM \"user\" u WHERE u.id = data_key.user_id AND u.status = 'active'))"

    func key(_ id: String, realm: String) async throws(StoreError) -> StoredDataKey? {
        try await database.read { db in try Self.find(id, realm, db)?.dataKey() }
    }

    private static func find(_ id: String, _ realm: String, _ db: SQLSession) throws -> SQLRow? {
        try db.first("SELECT \(columns), attempted_at FROM data_key WHERE id = ? AND realm = ?", [id, realm])
    }

    func begin(_ id: String, realm: String, charges: [RateLimitCharge], at now: UnixTime)
        async throws(StoreError) -> KeyAttemptStart
    {
        try await database.write(.guarded) { db in
            if let until = try SQLRateLimitStore.spend(charges, db, at: now) { return .throttled(until: until) }
            // This UPDATE is the gate: there is one writer, and it contains every condition. An attempt with a time in
            // the future began before the clock was set back.
            let begun = try db.first(
                """
                UPDATE data_key SET failures = failures + 1, attempt = attempt + 1, attempted_at = ?1,
                    guesses = CASE WHEN \(Self.isForgotten("?6")) THEN 1 ELSE guesses + 1 END,
                    guesses_since = CASE WHEN \(Self.isForgotten("?6")) THEN ?1 ELSE guesses_since END
                WHERE id = ?2 AND realm = ?3 AND locked_at IS NULL AND failures < ?4 AND \(Self.ownerIsActive)
                    AND (guesses < ?7 OR \(Self.isForgotten("?6")))
                    AND (attempted_at IS NULL OR attempted_at > ?1 OR attempted_at <= ?1 - ?5)
                RETURNING \(Self.columns)
                """,
                [
                    now.rawValue, id, realm, Limits.keyAttemptsMax, Limits.keyAttemptSeconds,
                    Limits.keyGuessesSeconds, Limits.keyGuessesMax,
                ])
            if let begun { return .begun(KeyAttempt(key: try begun.dataKey(), number: begun["attempt"])) }
            return try Self.classify(id, realm, charges, db, at: now)
        }
    }

    /// Whether the wrong guesses are too old to count, for a statement with the time as `?1`.
    private static func isForgotten(_ seconds: String) -> String {
        "(guesses_since IS NULL OR guesses_since <= ?1 - \(seconds))"
    }

    /// Why the gate refused the attempt.
    private static func classify(
        _ id: String, _ realm: String, _ charges: [RateLimitCharge], _ db: SQLSession, at now: UnixTime
    ) throws -> KeyAttemptStart {
        guard let row = try find(id, realm, db) else { return .unknown }
        guard try !row.dataKey().isClosed else { return .closed(isNew: false) }
        if let attemptedAt = row.optionalTime("attempted_at"), attemptedAt <= now,
            now < attemptedAt + Limits.keyAttemptSeconds
        {
            return try busy(charges, db, at: now)
        }
        // All attempts are used up, and none was right: the client that began the last one is gone.
        let locked = try db.run(
            """
            UPDATE data_key SET locked_at = ?1, attempted_at = NULL WHERE id = ?2 AND locked_at IS NULL
                AND (failures >= ?3 OR (guesses >= ?4 AND NOT \(isForgotten("?5"))))
            """,
            [now.rawValue, id, Limits.keyAttemptsMax, Limits.keyGuessesMax, Limits.keyGuessesSeconds])
        // Another attempt ended in the meantime and was right: this one may try again.
        return locked == 1 ? .closed(isNew: true) : try busy(charges, db, at: now)
    }

    private static func busy(_ charges: [RateLimitCharge], _ db: SQLSession, at now: UnixTime) throws -> KeyAttemptStart
    {
        try SQLRateLimitStore.refund(charges.map(\.key), db, at: now)
        return .busy
    }

    func succeed(
        _ attempt: KeyAttempt, _ change: KeyChange, from network: String?, refunding buckets: [String], at now: UnixTime
    )
        async throws(StoreError) -> Bool
    {
        try await database.write(.guarded) { db in
            try db.hold(buckets.map { .rateLimit($0) })
            // Only the last attempt may clear the count: an earlier one must not clear guesses that began after it. A
            // lock stays, and so do the wraps that another secret got in the meantime.
            let mine = """
                id = ?1 AND attempt = ?2 AND attempted_at IS NOT NULL AND locked_at IS NULL AND \(Self.ownerIsActive)
                """
            let id = attempt.key.id
            let changed: Int
            switch change {
            case .removed:
                changed = try db.run("DELETE FROM data_key WHERE \(mine)", [id, attempt.number])
            case .used(nil):
                changed = try db.run(
                    """
                    UPDATE data_key SET failures = 0, guesses = \(SQL.decremented("guesses")), attempted_at = NULL,
                        used_at = ?3, used_from = ?4
                    WHERE \(mine)
                    """,
                    [id, attempt.number, now.rawValue, network])
            case .used(.some(let wraps)):
                changed = try db.run(
                    """
                    UPDATE data_key SET failures = 0, guesses = \(SQL.decremented("guesses")), attempted_at = NULL,
                        used_at = ?3, salt = ?4, memory_kib = ?5, passes = ?6, lanes = ?7, by_secret = ?8,
                        by_long_secret = ?9, used_from = ?10
                    WHERE \(mine)
                    """,
                    [
                        id, attempt.number, now.rawValue, Data(wraps.salt), Int64(wraps.parameters.memoryKiB),
                        Int64(wraps.parameters.passes), Int64(wraps.parameters.lanes), Data(wraps.bySecret),
                        Data(wraps.byLongSecret), network,
                    ])
            }
            let isDone = changed == 1
            if !isDone {
                // Another attempt came after it, because clocks differ: a right secret is still not counted as wrong.
                try db.run(
                    """
                    UPDATE data_key SET failures = \(SQL.decremented("failures")),
                        guesses = \(SQL.decremented("guesses"))
                    WHERE id = ?1 AND locked_at IS NULL
                    """, [id])
            }
            try SQLRateLimitStore.refund(buckets, db, at: now)
            return isDone
        }
    }

    func fail(_ attempt: KeyAttempt, at now: UnixTime) async throws(StoreError) -> KeyFailure {
        try await database.write(.guarded) { db in
            let row = try db.first(
                """
                UPDATE data_key SET attempted_at = NULL, 
                    locked_at = CASE WHEN failures >= ?3 OR guesses >= ?5 THEN ?4 END
                WHERE id = ?1 AND attempt = ?2 AND attempted_at IS NOT NULL AND locked_at IS NULL
                RETURNING failures, guesses
                """,
                [attempt.key.id, attempt.number, Limits.keyAttemptsMax, now.rawValue, Limits.keyGuessesMax])
            if let row {
                let left = min(
                    Limits.keyAttemptsMax - (row["failures"] as Int64), Limits.keyGuessesMax - (row["guesses"] as Int64)
                )
                return left > 0 ? .left(left) : .locked(isNew: true)
            }
            // It was counted when it began; a later attempt decides the rest.
            guard let row = try db.first("SELECT failures, locked_at FROM data_key WHERE id = ?", [attempt.key.id])
            else { return .gone }
            let left = max(0, Limits.keyAttemptsMax - (row["failures"] as Int64))
            return row.optionalTime("locked_at") == nil ? .left(left) : .locked(isNew: false)
        }
    }

    func withdraw(_ attempt: KeyAttempt, refunding buckets: [String], at now: UnixTime) async throws(StoreError) {
        try await database.write(.guarded) { db in
            try db.hold(buckets.map { .rateLimit($0) })
            let changed = try db.run(
                """
                UPDATE data_key SET failures = failures - 1, guesses = \(SQL.decremented("guesses")),
                    attempted_at = NULL
                WHERE id = ?1 AND attempt = ?2 AND attempted_at IS NOT NULL AND failures > 0 AND locked_at IS NULL
                """,
                [attempt.key.id, attempt.number])
            if changed == 1 { try SQLRateLimitStore.refund(buckets, db, at: now) }
        }
    }

    func use(
        _ id: String, realm: String, _ change: KeyChange, from network: String?, at now: UnixTime
    ) async throws(StoreError) -> Bool {
        try await database.write(.guarded) { db in
            let open = "id = ?1 AND realm = ?2 AND locked_at IS NULL AND \(Self.ownerIsActive)"
            switch change {
            case .removed:
                return try db.run("DELETE FROM data_key WHERE \(open)", [id, realm]) == 1
            case .used:
                // The wraps of the secret stay: the secret's wrap cannot be renewed with the long secret alone.
                return try db.run(
                    "UPDATE data_key SET used_at = ?3, used_from = ?4 WHERE \(open)",
                    [id, realm, now.rawValue, network]) == 1
            }
        }
    }
}

extension SQLRow {
    /// A row that was read with ``SQLKeyServiceStore/columns``. A damaged one is an error, never a guess.
    func dataKey() throws -> StoredDataKey {
        let parameters = Argon2Parameters(
            storedMemoryKiB: self["memory_kib"], passes: self["passes"], lanes: self["lanes"])
        guard let parameters, bytes("salt").count == 16 else { throw SQLProblem.damagedRow }
        return StoredDataKey(
            id: self["id"], realm: self["realm"], userID: (self["user_id"] as String?).map(UserID.init(rawValue:)),
            clientID: self["client_id"],
            wraps: DataKeyWraps(
                salt: bytes("salt"), parameters: parameters, bySecret: bytes("by_secret"),
                byLongSecret: bytes("by_long_secret"), longSecret: bytes("long_secret")),
            failures: self["failures"], lockedAt: optionalTime("locked_at"), ownerIsActive: self["owner_is_active"],
            createdAt: time("created_at"), usedAt: optionalTime("used_at"), usedFrom: self["used_from"])
    }
}
