internal import Authority
internal import Foundation
internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// Biometric keys.
struct SQLBiometricStore: BiometricStore {
    let database: any SQLDatabase

    /// The columns that ``SQLRow/biometricKey()`` reads, of the table `k`.
    private static let columns = """
        k.id, k.user_id, k.client_id, k.scope, k.is_strong, k.public_key, k.algorithm, k.device, k.created_at, k.used_at
        """

    func add(
        _ key: StoredBiometricKey, by allowed: consuming Allowed<Acts.AddDeviceKey>, in session: GrantID,
        challenge: ReplayMark, charge: RateLimitCharge, keysMax: Int, at now: UnixTime
    ) async throws(StoreError) -> BiometricAddition {
        let grounds = allowed.grounds
        return try await database.write(.changing(key.userID)) { db in
            guard let owner = try SQLUserStore.find(key.userID, db), grounds.hold(for: owner.standing) else {
                return .signedOut
            }
            // First, because it is the single-use gate.
            guard try SQLReplayStore.spend(challenge, db) else { return .challengeSpent }
            guard try SQLRateLimitStore.spend([charge], db, at: now) == nil else { return .tooMany }
            let isTaken = try db.first("SELECT 1 FROM biometric_key WHERE id = ?", [key.id]) != nil
            guard !isTaken else { return .taken }
            let changed = try db.run(
                """
                INSERT INTO biometric_key (id, user_id, client_id, public_key, algorithm, device, created_at, scope, is_strong)
                SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?9, ?10
                FROM grant_ g JOIN "user" u ON u.id = g.user_id
                WHERE g.id = ?8 AND g.user_id = ?2 AND g.client_id = ?3 AND g.redeemed_at IS NOT NULL
                    AND g.ended_at IS NULL AND g.idle_expires_at > ?7 AND g.absolute_expires_at > ?7
                    AND u.status = 'active'
                """,
                [
                    key.id, key.userID.rawValue, key.clientID, key.publicKey.columnText, key.algorithm,
                    key.device, now.rawValue, Data(session.bytes), key.scope.text,
                    key.isStrong,
                ])
            guard changed == 1 else { return .signedOut }
            if grounds.isOfOthers { try SQLUserStore.noteOthers(key.userID, db, at: now) }
            let others = try db.all(
                """
                SELECT id FROM biometric_key WHERE user_id = ?
                ORDER BY coalesce(used_at, created_at) DESC, created_at DESC, id = ? DESC LIMIT \(SQL.noLimit) OFFSET ?
                """, [key.userID.rawValue, key.id, keysMax])
            for row in others { try Self.remove(row["id"], of: key.userID, db, at: now) }
            return .added(removed: others.map { $0["id"] })
        }
    }

    func key(_ id: String) async throws(StoreError) -> (key: StoredBiometricKey, user: User, hasAuthenticator: Bool)? {
        try await database.read { db in
            let row = try db.first(
                """
                SELECT \(Self.columns), \(UserColumns.prefixed),
                    EXISTS (SELECT 1 FROM authenticator a WHERE a.user_id = u.id AND a.confirmed = 1) AS has_authenticator
                FROM biometric_key k JOIN "user" u ON u.id = k.user_id WHERE k.id = ?
                """, [id])
            return try row.map { (try $0.biometricKey(), try $0.user(prefix: "u_"), $0["has_authenticator"]) }
        }
    }

    func open(
        _ grant: Grant, by keyID: String, challenge: ReplayMark, charge: RateLimitCharge, at now: UnixTime
    ) async throws(StoreError) -> BiometricOpening {
        try await database.write(.using(grant.userID)) { db in
            guard try SQLReplayStore.spend(challenge, db) else { return .challengeSpent }
            guard try SQLRateLimitStore.spend([charge], db, at: now) == nil else { return .tooMany }
            let changed = try db.run(
                """
                UPDATE biometric_key SET used_at = ?1 WHERE id = ?2 AND user_id = ?3 AND client_id = ?4
                """, [now.rawValue, keyID, grant.userID.rawValue, grant.clientID])
            guard changed == 1 else { return .keyGone }
            let user = try db.first("SELECT status FROM \"user\" WHERE id = ?", [grant.userID.rawValue])
            guard user?["status"] as String? == User.Status.active.rawValue else { return .userDisabled }
            try SQLGrantStore.end("biometric_key = ?", [keyID], .superseded, db, at: now)
            try SQLGrantStore.insert(grant, by: keyID, db)
            let row = try db.first(
                "SELECT \(GrantColumns.reauthentication) AS may FROM grant_ WHERE id = ?", [Data(grant.id.bytes)])
            return .opened(canReauthenticate: row?["may"] ?? false)
        }
    }

    func keys(of user: UserID) async throws(StoreError) -> [StoredBiometricKey] {
        try await database.read { db in
            try db.all(
                "SELECT \(Self.columns) FROM biometric_key k WHERE k.user_id = ? ORDER BY k.created_at DESC, k.id",
                [user.rawValue]
            ).map { try $0.biometricKey() }
        }
    }

    func remove(_ id: String, by allowed: consuming Allowed<Acts.RemoveDeviceKey>, at now: UnixTime)
        async throws(StoreError) -> Bool
    {
        let grounds = allowed.grounds
        return try await database.write(.guarded) { db in
            _ = try SQLUserStore.permitted(grounds, db)
            return try Self.remove(id, of: grounds.user, db, at: now)
        }
    }

    @discardableResult
    private static func remove(_ id: String, of user: UserID, _ db: SQLSession, at now: UnixTime) throws -> Bool {
        let changed = try db.run("DELETE FROM biometric_key WHERE id = ? AND user_id = ?", [id, user.rawValue])
        guard changed == 1 else { return false }
        try SQLGrantStore.end("biometric_key = ?", [id], .revoked, db, at: now)
        return true
    }
}

extension SQLRow {
    fileprivate func biometricKey() throws -> StoredBiometricKey {
        guard let scope = Scope(self["scope"] as String) else { throw SQLProblem.damagedRow }
        return StoredBiometricKey(
            id: self["id"], userID: UserID(rawValue: self["user_id"]), clientID: self["client_id"], scope: scope,
            isStrong: self["is_strong"],
            publicKey: .object(try members("public_key")), algorithm: self["algorithm"], device: self["device"],
            createdAt: time("created_at"),
            usedAt: optionalTime("used_at"))
    }
}
