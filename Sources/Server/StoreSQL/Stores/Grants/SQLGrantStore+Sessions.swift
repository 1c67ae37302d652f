internal import Foundation
internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// Grants of the methods: opened without a code, found together with everything about their user.
extension SQLGrantStore {
    func count(ofClient clientID: String, upTo max: Int, at now: UnixTime) async throws(StoreError) -> Int {
        try await database.read { db in
            let row = try db.first(
                """
                SELECT count(*) AS number FROM (
                    SELECT 1 FROM grant_ WHERE client_id = ?1 AND redeemed_at IS NOT NULL AND ended_at IS NULL
                        AND idle_expires_at > ?2 AND absolute_expires_at > ?2
                    LIMIT ?3
                ) AS live
                """,
                [clientID, now.rawValue, max])
            return (row?["number"] as Int?) ?? 0
        }
    }

    func open(_ grant: Grant, epoch: Int64, endingOthers: Bool, at now: UnixTime) async throws(StoreError) -> Bool {
        try await database.write(.locking([.user(grant.userID, shared: !endingOthers)])) { db in
            guard
                try Revocation.isCurrent(epoch, of: grant.userID, vouchedBy: grant.authentication.tenantID, db)
            else { return false }
            if let old = grant.supersedes {
                let row = try db.first(
                    "SELECT \(GrantColumns.list) FROM grant_ WHERE id = ?", [Data(old.bytes)])
                if let older = try row?.grant(), older.supersedes != nil {
                    try Self.endSuperseded(by: older, db, at: now)
                }
            }
            if endingOthers { try Revocation.end(RevocationScope(.logout, at: now), of: grant.userID, db) }
            try Self.insert(grant, db)
            return true
        }
    }

    /// It cannot be redeemed: it has no code.
    ///
    /// - Parameters:
    ///   - biometricKey: the key that opened it; `nil`: none.
    ///   - anonymousKey: the key of an anonymous user that opened it; `nil`: none.
    static func insert(
        _ grant: Grant, by biometricKey: String? = nil, anonymousKey: String? = nil, _ db: SQLSession
    ) throws {
        let claims = grant.sessionClaims == .none ? nil : JSONValue.object(grant.sessionClaims.stored).columnText
        try db.send(
            """
            INSERT INTO grant_ (
                id, client_id, user_id, session_id, scope, is_offline, resources, auth_time, amr, acr, created_at,
                code_digest, code_expires_at, redeemed_at, counter, idle_expires_at, absolute_expires_at,
                tenant, session_claims, supersedes, key, bearer, biometric_key, vouched_by, anonymous_key
            ) VALUES (
                ?1, ?2, ?3, ?4, ?5, 1, ?6, ?7, ?8, ?9, ?10, ?20, ?10, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18,
                ?19, ?21, ?22)
            """,
            [
                Data(grant.id.bytes), grant.clientID, grant.userID.rawValue, grant.sessionID?.rawValue,
                grant.scope.text, grant.resources.joined(separator: " "), grant.authentication.time.rawValue,
                grant.authentication.methods.joined(separator: " "), grant.authentication.contextClass,
                grant.createdAt.rawValue, grant.counter, grant.idleExpiresAt.rawValue,
                grant.absoluteExpiresAt.rawValue, grant.tenantID, claims, grant.supersedes.map { Data($0.bytes) },
                grant.keyThumbprint, grant.wantsBearer, biometricKey, grant.id.unusedCodeDigest,
                grant.authentication.tenantID, anonymousKey,
            ])
    }

    /// Ends the session that `grant` went on from, and forgets that there was one.
    static func endSuperseded(by grant: Grant, _ db: SQLSession, at now: UnixTime) throws {
        guard let old = grant.supersedes else { return }
        try end("id = ? AND user_id = ?", [Data(old.bytes), grant.userID.rawValue], .superseded, db, at: now)
        try db.run("UPDATE grant_ SET supersedes = NULL WHERE id = ?", [Data(grant.id.bytes)])
    }

    func presented(_ id: GrantID, at now: UnixTime) async throws(StoreError) -> PresentedGrant? {
        try await database.read { db in
            guard let row = try db.first(Self.presentedSQL, [Data(id.bytes), now.rawValue]) else { return nil }
            let grant = try row.grant()
            return PresentedGrant(
                grant: grant, account: try row.account(user: row.user(prefix: "u_")),
                row: try row.refreshState(of: grant))
        }
    }

    private static let presentedSQL = SQLText { sql in
        """
        SELECT \(GrantColumns.list(of: "g")), g.rotations, g.late_retry_at, g.late_counter, g.late_repetitions,
            \(UserColumns.prefixed), u.roles AS roles, \(AccountColumns.list(sql))
        FROM grant_ g JOIN "user" u ON u.id = g.user_id LEFT JOIN password p ON p.user_id = u.id
        WHERE g.id = ?1 AND g.redeemed_at IS NOT NULL AND g.ended_at IS NULL AND g.idle_expires_at > ?2
            AND g.absolute_expires_at > ?2 AND u.status = 'active'
        """
    }

    func select(tenant: String?, of id: GrantID, at now: UnixTime) async throws(StoreError) -> Bool {
        try await database.once(.replicated) { db in
            return try db.run(
                """
                UPDATE grant_ SET tenant = ? WHERE id = ? AND ended_at IS NULL AND redeemed_at IS NOT NULL
                    AND idle_expires_at > ? AND absolute_expires_at > ?
                """,
                [tenant, Data(id.bytes), now.rawValue, now.rawValue]) == 1
        }
    }

    func set(_ claims: SessionClaims, of id: GrantID, at now: UnixTime) async throws(StoreError) -> Bool {
        try await database.once(.replicated) { db in
            return try db.run(
                """
                UPDATE grant_ SET session_claims = ? WHERE id = ? AND ended_at IS NULL AND redeemed_at IS NOT NULL
                    AND idle_expires_at > ? AND absolute_expires_at > ?
                """,
                [JSONValue.object(claims.stored).columnText, Data(id.bytes), now.rawValue, now.rawValue]) == 1
        }
    }

    func endEverything(of user: UserID, reason: Grant.EndReason, at now: UnixTime) async throws(StoreError) -> Int {
        try await database.write(.changing(user)) { db in
            try Revocation.end(RevocationScope(reason, at: now), of: user, db)
        }
    }

    func endAll(of user: UserID, reason: Grant.EndReason, at now: UnixTime) async throws(StoreError) -> Int {
        try await database.write(.changing(user)) { db in
            try Self.end("user_id = ?", [user.rawValue], reason, db, at: now)
        }
    }

    func endAll(of user: UserID, clientID: String, reason: Grant.EndReason, at now: UnixTime)
        async throws(StoreError) -> Int
    {
        try await database.write(.changing(user)) { db in
            try Self.end("user_id = ? AND client_id = ?", [user.rawValue, clientID], reason, db, at: now)
        }
    }

    func grants(of user: UserID, limit: Int, at now: UnixTime) async throws(StoreError) -> [Grant] {
        try await database.read { db in
            try db.all(
                """
                SELECT \(GrantColumns.list) FROM grant_ WHERE id IN (
                    SELECT id FROM (
                        SELECT id, created_at,
                            row_number() OVER (PARTITION BY client_id ORDER BY created_at DESC, id) AS place
                        FROM grant_ WHERE user_id = ?1 AND redeemed_at IS NOT NULL AND ended_at IS NULL
                            AND idle_expires_at > ?2 AND absolute_expires_at > ?2
                    ) AS live ORDER BY place, created_at DESC LIMIT ?3)
                ORDER BY created_at DESC
                """,
                [user.rawValue, now.rawValue, limit]
            ).map { try $0.grant() }
        }
    }
}
