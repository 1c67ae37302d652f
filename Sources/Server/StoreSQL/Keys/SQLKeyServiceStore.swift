internal import Foundation
internal import GRDB
internal import KeyturnBase
internal import Model

/// Data keys of devices, one row each: how often their secrets were tried, and what was written when one was right.
struct SQLKeyServiceStore: KeyServiceStore {
    let database: SQLiteDatabase

    /// Everything that ``Row/dataKey()`` reads.
    static let columns = """
        id, realm, user_id, client_id, salt, memory_kib, passes, lanes, by_secret, by_long_secret, long_secret,
        failures, attempt, locked_at, created_at, used_at, used_from, \(ownerIsActive) AS owner_is_active
        """
    private static let ownerIsActive =
        "(user_id IS NULL OR EXISTS (SELECT 1 FROM user u WHERE u.id = data_key.user_id AND u.status = 'active'))"

    func key(_ id: String, realm: String) async throws(StoreError) -> StoredDataKey? {
        try database.read { db in try Self.find(id, realm, db)?.dataKey() }
    }

    private static func find(_ id: String, _ realm: String, _ db: Database) throws -> Row? {
        try db.first("SELECT \(columns), attempted_at FROM data_key WHERE id = ? AND realm = ?", [id, realm])
    }

    func begin(_ id: String, realm: String, charges: [BudgetCharge], at now: UnixTime)
        async throws(StoreError) -> KeyAttemptStart
    {
        try await database.write { db in
            if let until = try SQLBudgetStore.spend(charges, db, at: now) { return .throttled(until: until) }
            // This UPDATE is the gate: there is one writer, and every condition stands in it. An attempt that was begun in
            // the future was begun before the clock was set back.
            let begun = try db.first(
                """
                UPDATE data_key SET failures = failures + 1, attempt = attempt + 1, attempted_at = ?1,
                    guesses = iif(\(Self.isForgotten), 1, guesses + 1),
                    guesses_since = iif(\(Self.isForgotten), ?1, guesses_since)
                WHERE id = ?2 AND realm = ?3 AND locked_at IS NULL AND failures < ?4 AND \(Self.ownerIsActive)
                    AND (guesses < ?7 OR \(Self.isForgotten))
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

    /// Whether what was guessed is too long ago to count.
    private static let isForgotten = "(guesses_since IS NULL OR guesses_since <= ?1 - ?6)"

    /// Why the gate stayed shut.
    private static func classify(
        _ id: String, _ realm: String, _ charges: [BudgetCharge], _ db: Database, at now: UnixTime
    ) throws -> KeyAttemptStart {
        guard let row = try find(id, realm, db) else { return .unknown }
        guard try !row.dataKey().isClosed else { return .closed(isNew: false) }
        if let attemptedAt = row.optionalTime("attempted_at"), attemptedAt <= now,
            now < attemptedAt + Limits.keyAttemptSeconds
        {
            try SQLBudgetStore.refund(charges.map(\.key), db, at: now)
            return .busy
        }
        // As many as may be wrong, and none of them was right: whoever began the last one is gone.
        try db.run("UPDATE data_key SET locked_at = ?1, attempted_at = NULL WHERE id = ?2", [now.rawValue, id])
        return .closed(isNew: true)
    }

    func succeed(
        _ attempt: KeyAttempt, _ change: KeyChange, from network: String?, refunding purses: [String], at now: UnixTime
    )
        async throws(StoreError) -> Bool
    {
        try await database.write { db in
            // Only the last attempt may count back: what began after it is not its to forget. A lock stays, and so do the
            // wraps that another secret was given in the meantime.
            let mine = """
                id = ?1 AND attempt = ?2 AND attempted_at IS NOT NULL AND locked_at IS NULL AND \(Self.ownerIsActive)
                """
            let id = attempt.key.id
            switch change {
            case .removed:
                try db.run("DELETE FROM data_key WHERE \(mine)", [id, attempt.number])
            case .used(nil):
                try db.run(
                    """
                    UPDATE data_key SET failures = 0, guesses = max(guesses - 1, 0), attempted_at = NULL, used_at = ?3,
                        used_from = ?4
                    WHERE \(mine)
                    """,
                    [id, attempt.number, now.rawValue, network])
            case .used(.some(let wraps)):
                try db.run(
                    """
                    UPDATE data_key SET failures = 0, guesses = max(guesses - 1, 0), attempted_at = NULL, used_at = ?3,
                        salt = ?4, memory_kib = ?5, passes = ?6, lanes = ?7, by_secret = ?8, by_long_secret = ?9,
                        used_from = ?10
                    WHERE \(mine)
                    """,
                    [
                        id, attempt.number, now.rawValue, Data(wraps.salt), Int64(wraps.parameters.memoryKiB),
                        Int64(wraps.parameters.passes), Int64(wraps.parameters.lanes), Data(wraps.bySecret),
                        Data(wraps.byLongSecret), network,
                    ])
            }
            let isDone = db.changesCount == 1
            if !isDone {
                // Somebody else's attempt came after it, because clocks differ: what was right is still not wrong.
                try db.run(
                    """
                    UPDATE data_key SET failures = max(failures - 1, 0), guesses = max(guesses - 1, 0)
                    WHERE id = ?1 AND locked_at IS NULL
                    """, [id])
            }
            try SQLBudgetStore.refund(purses, db, at: now)
            return isDone
        }
    }

    func fail(_ attempt: KeyAttempt, at now: UnixTime) async throws(StoreError) -> KeyFailure {
        try await database.write { db in
            let row = try db.first(
                """
                UPDATE data_key SET attempted_at = NULL, locked_at = iif(failures >= ?3 OR guesses >= ?5, ?4, NULL)
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
            // It was counted when it began; whoever came after it decides the rest.
            guard let row = try db.first("SELECT failures, locked_at FROM data_key WHERE id = ?", [attempt.key.id])
            else { return .gone }
            let left = max(0, Limits.keyAttemptsMax - (row["failures"] as Int64))
            return row.optionalTime("locked_at") == nil ? .left(left) : .locked(isNew: false)
        }
    }

    func withdraw(_ attempt: KeyAttempt, refunding purses: [String], at now: UnixTime) async throws(StoreError) {
        try await database.write { db in
            try db.run(
                """
                UPDATE data_key SET failures = failures - 1, guesses = max(guesses - 1, 0), attempted_at = NULL
                WHERE id = ?1 AND attempt = ?2 AND attempted_at IS NOT NULL AND failures > 0 AND locked_at IS NULL
                """,
                [attempt.key.id, attempt.number])
            if db.changesCount == 1 { try SQLBudgetStore.refund(purses, db, at: now) }
        }
    }

    func use(
        _ id: String, realm: String, _ change: KeyChange, from network: String?, at now: UnixTime
    ) async throws(StoreError) -> Bool {
        try await database.write { db in
            let open = "id = ?1 AND realm = ?2 AND locked_at IS NULL AND \(Self.ownerIsActive)"
            switch change {
            case .removed:
                try db.run("DELETE FROM data_key WHERE \(open)", [id, realm])
            case .used:
                // The wraps stay: whoever shows the long secret knows nothing of the secret's.
                try db.run(
                    "UPDATE data_key SET used_at = ?3, used_from = ?4 WHERE \(open)",
                    [id, realm, now.rawValue, network])
            }
            return db.changesCount == 1
        }
    }
}

extension Row {
    /// A row that was read with ``SQLKeyServiceStore/columns``. A damaged one is an error, never a guess.
    func dataKey() throws -> StoredDataKey {
        let parameters = Argon2Parameters(
            storedMemoryKiB: self["memory_kib"], passes: self["passes"], lanes: self["lanes"])
        guard let parameters, bytes("salt").count == 16 else { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
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
