internal import Authority
internal import Foundation
internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// Anonymous users and their keys.
struct SQLAnonymousStore: AnonymousStore {
    let database: any SQLDatabase

    func signUp(
        _ user: User, key: StoredAnonymousKey?, opening grant: Grant, challenge: ReplayMark?,
        charges: [RateLimitCharge], by permission: borrowing Allowed<Acts.CreateAccount>, at now: UnixTime
    ) async throws(StoreError) -> AnonymousOpening {
        try permission.grounds.requireNewUser()
        return try await database.write(.locking(key.map { [.name("anonymous:\($0.id)")] } ?? [])) { db in
            if let key, try db.first("SELECT 1 FROM anonymous_key WHERE id = ?", [key.id]) != nil { return .taken }
            if let challenge, try !SQLReplayStore.spend(challenge, db) { return .challengeSpent }
            guard try SQLRateLimitStore.spend(charges, db, at: now) == nil else { return .tooMany }
            try SQLUserStore.add(Account(user: user, identifiers: [:], passwordHash: nil), db)
            if let key {
                try db.run(
                    """
                    INSERT INTO anonymous_key (id, user_id, client_id, public_key, algorithm, created_at)
                    VALUES (?, ?, ?, ?, ?, ?)
                    """,
                    [
                        key.id, key.userID.rawValue, key.clientID, key.publicKey.columnText, key.algorithm,
                        key.createdAt.rawValue,
                    ])
            }
            try SQLGrantStore.insert(grant, anonymousKey: key?.id, db)
            return .opened(canReauthenticate: false)
        }
    }

    func open(
        _ grant: Grant, by keyID: String, challenge: ReplayMark, charge: RateLimitCharge, at now: UnixTime
    ) async throws(StoreError) -> AnonymousOpening {
        try await database.write(.using(grant.userID)) { db in
            guard try SQLReplayStore.spend(challenge, db) else { return .challengeSpent }
            guard try SQLRateLimitStore.spend([charge], db, at: now) == nil else { return .tooMany }
            let changed = try db.run(
                "UPDATE anonymous_key SET used_at = ?1 WHERE id = ?2 AND user_id = ?3 AND client_id = ?4",
                [now.rawValue, keyID, grant.userID.rawValue, grant.clientID])
            guard changed == 1,
                let user = try db.first(
                    "SELECT status FROM \"user\" WHERE id = ? AND anonymous_at IS NOT NULL", [grant.userID.rawValue])
            else { return .keyGone }
            guard user["status"] as String == User.Status.active.rawValue else { return .userDisabled }
            try SQLGrantStore.end("anonymous_key = ?", [keyID], .superseded, db, at: now)
            try SQLGrantStore.insert(grant, anonymousKey: keyID, db)
            let row = try db.first(
                "SELECT \(GrantColumns.reauthentication) AS may FROM grant_ WHERE id = ?", [Data(grant.id.bytes)])
            return .opened(canReauthenticate: row?["may"] ?? false)
        }
    }

    func key(_ id: String) async throws(StoreError) -> (key: StoredAnonymousKey, user: User)? {
        try await database.read { db in
            let row = try db.first(
                """
                SELECT k.id, k.user_id, k.client_id, k.public_key, k.algorithm, k.created_at, k.used_at,
                    \(UserColumns.prefixed)
                FROM anonymous_key k JOIN "user" u ON u.id = k.user_id WHERE k.id = ?
                """, [id])
            return try row.map { (try $0.anonymousKey(), try $0.user(prefix: "u_")) }
        }
    }

    /// What a user can sign in with, or is used for, beside an anonymous key.
    private static let others = [
        "grant_", "identifier", "password", "authenticator", "passkey", "federated_identity", "scim_resource",
        "access_key", "biometric_key",
    ].map { "EXISTS (SELECT 1 FROM \($0) t WHERE t.user_id = u.id)" }.joined(separator: " OR ")

    func removeUnseen(since time: UnixTime, limit: Int, at now: UnixTime) async throws(StoreError) -> AnonymousRemoval {
        try await database.write(.guarded) { db in
            let rows = try db.all(
                """
                SELECT u.id, (\(Self.others)) AS stays FROM "user" u WHERE u.anonymous_seen_at <= ?
                ORDER BY u.anonymous_seen_at LIMIT ?
                """, [time.rawValue, limit])
            var removed: [UserID] = []
            for row in rows {
                let id: String = row["id"]
                if row["stays"] {
                    try db.run("UPDATE \"user\" SET anonymous_seen_at = ? WHERE id = ?", [now.rawValue, id])
                } else if try db.run(
                    "DELETE FROM \"user\" AS u WHERE u.id = ? AND u.anonymous_seen_at <= ? AND NOT (\(Self.others))",
                    [id, time.rawValue]) == 1
                {
                    removed.append(UserID(rawValue: id))
                }
            }
            return AnonymousRemoval(removed: removed, examined: rows.count)
        }
    }

    /// Ways to sign in, and keys for calls in the user's name.
    private static let methodTables = [
        "password_history", "password_state", "password", "biometric_key", "access_key",
    ]

    /// Removes ways to sign in that were set up before the user had an account: another user of the device may have done
    /// that.
    ///
    /// - Parameter used: by which the user signs in now; `nil`: none.
    static func forgetMethods(of user: UserID, besides used: UsedMethods? = nil, _ db: SQLSession, at now: UnixTime)
        throws
    {
        var kept: FederatedIdentity?
        for one in try SQLFederatedIdentityStore.all(of: user, db) {
            guard one.key != used?.identity else {
                kept = one
                continue
            }
            try RoleSources.withdraw(one, db)
            try SQLFederatedIdentityStore.remove(one.key, db)
        }
        try BroughtMemberships.end(of: user, besides: kept?.providedIn, db, at: now)
        for table in methodTables { try db.run("DELETE FROM \(table) WHERE user_id = ?", [user.rawValue]) }
        try SQLPasskeyStore.forget(of: user, besidesUsedSince: used?.since, db)
        if used?.hasAuthenticator != true {
            for table in ["recovery_code", "authenticator"] {
                try db.run("DELETE FROM \(table) WHERE user_id = ?", [user.rawValue])
            }
        }
    }

    /// The user has an account from now on: the key that they were known by signs in no more.
    static func endAnonymity(of user: UserID, _ db: SQLSession) throws {
        try db.run("DELETE FROM anonymous_key WHERE user_id = ?", [user.rawValue])
        try db.run(
            "UPDATE \"user\" SET anonymous_at = NULL, anonymous_seen_at = NULL WHERE id = ?", [user.rawValue])
    }
}

extension SQLRow {
    fileprivate func anonymousKey() throws -> StoredAnonymousKey {
        StoredAnonymousKey(
            id: self["id"], userID: UserID(rawValue: self["user_id"]), clientID: self["client_id"],
            publicKey: .object(try members("public_key")), algorithm: self["algorithm"], createdAt: time("created_at"),
            usedAt: optionalTime("used_at"))
    }
}
