internal import Foundation
internal import KeyturnBase
internal import Model

/// Browser sessions by the digest of their cookie.
struct SQLSessionStore: SessionStore {
    let database: any SQLDatabase

    func create(
        _ session: BrowserSession, epoch: Int64, digest: SecretDigest, replacing old: SecretDigest?, at now: UnixTime
    ) async throws(StoreError) -> Bool {
        try await database.write(.using(session.userID)) { db in
            guard
                try Revocation.isCurrent(
                    epoch, of: session.userID, vouchedBy: session.authentication.tenantID, db)
            else { return false }
            if let old { try db.send("DELETE FROM session WHERE digest = ?", [Data(old.bytes)]) }
            if let grant = session.openedBy {
                guard try Self.isLive(grant, of: session.userID, db, at: now) else { return false }
                try db.send("DELETE FROM session WHERE grant_id = ?", [Data(grant.bytes)])
            }
            if old != nil {
                for table in Self.originTables {
                    try db.send(
                        "UPDATE \(table) SET expires_at = ? WHERE session_id = ?",
                        [session.expiresAt.rawValue, session.id.rawValue])
                }
            }
            try db.send(
                """
                INSERT INTO session (digest, id, user_id, auth_time, amr, acr, vouched_by, created_at, expires_at,
                    address, device, grant_id, country, risks)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    Data(digest.bytes), session.id.rawValue, session.userID.rawValue,
                    session.authentication.time.rawValue, session.authentication.methods.joined(separator: " "),
                    session.authentication.contextClass, session.authentication.tenantID,
                    session.createdAt.rawValue, session.expiresAt.rawValue, session.origin.address,
                    session.origin.device, session.openedBy.map { Data($0.bytes) },
                    session.origin.country, session.origin.signals.text,
                ])
            return true
        }
    }

    private static func isLive(_ grant: GrantID, of user: UserID, _ db: SQLSession, at now: UnixTime) throws -> Bool {
        try db.first(
            "SELECT 1 FROM grant_ g WHERE g.id = ?1 AND g.user_id = ?2 AND \(GrantColumns.isLive("?3"))",
            [Data(grant.bytes), user.rawValue, now.rawValue]) != nil
    }

    func session(_ digest: SecretDigest, at now: UnixTime) async throws(StoreError) -> (BrowserSession, User)? {
        try await database.read { db in
            let row = try db.first(
                """
                SELECT s.id AS sid, s.auth_time, s.amr, s.acr, s.vouched_by, s.created_at AS opened_at, s.expires_at,
                    s.address, s.device, s.grant_id, s.country AS came_from, s.risks,
                    \(UserColumns.list)
                FROM session s JOIN "user" u ON u.id = s.user_id
                WHERE s.digest = ?1 AND s.expires_at > ?2 AND u.status = 'active'
                    AND (s.grant_id IS NULL OR EXISTS (
                        SELECT 1 FROM grant_ g WHERE g.id = s.grant_id AND \(GrantColumns.isLive("?2"))))
                """,
                [Data(digest.bytes), now.rawValue])
            guard let row else { return nil }
            let user = try row.user()
            let session = row.browserSession(of: user.id)
            return (session, user)
        }
    }

    func end(_ id: SessionID, of user: UserID, at now: UnixTime) async throws(StoreError) -> Bool {
        try await database.write(.changing(user)) { db in
            guard try Self.remove(id, of: user, db) else { return false }
            try Self.removeOrigins(of: id, user, db)
            try Self.endGrants(of: id, db, at: now)
            return true
        }
    }

    func endByProvider(_ id: SessionID, of user: UserID, at now: UnixTime) async throws(StoreError) -> Bool {
        try await database.write(.changing(user)) { db in
            let wasOpen = try Self.remove(id, of: user, db)
            // They went with a session that was signed out: what it left is no provider's matter.
            let began = try Self.removeOrigins(of: id, user, db) > 0
            guard wasOpen || began else { return false }
            return try Self.endGrants(of: id, db, at: now) > 0 || wasOpen
        }
    }

    /// - Returns: whether there was such a session.
    private static func remove(_ id: SessionID, of user: UserID, _ db: SQLSession) throws -> Bool {
        try db.run("DELETE FROM session WHERE id = ? AND user_id = ?", [id.rawValue, user.rawValue]) == 1
    }

    /// What is known of the providers where sessions began.
    private static let originTables = ["federated_session", "former_origin"]

    /// - Returns: how many rows.
    @discardableResult
    private static func removeOrigins(of id: SessionID, _ user: UserID, _ db: SQLSession) throws -> Int {
        var removed = 0
        for table in originTables {
            removed += try db.run(
                "DELETE FROM \(table) WHERE session_id = ? AND user_id = ?", [id.rawValue, user.rawValue])
        }
        return removed
    }

    /// Ends what came from a session, and tells the clients.
    ///
    /// - Returns: how many grants ended, or lost their access tokens.
    @discardableResult
    private static func endGrants(of id: SessionID, _ db: SQLSession, at now: UnixTime) throws -> Int {
        try SQLLogoutNoticeStore.add("session_id = ?", [id.rawValue], db, at: now)
        let ended = try SQLGrantStore.end("session_id = ? AND is_offline = 0", [id.rawValue], .logout, db, at: now)
        // The others live on; their access tokens do not, because the notice ends them at other servers too.
        let others = try db.run(
            "UPDATE grant_ SET tokens_after = ?1 WHERE session_id = ?2 AND ended_at IS NULL",
            [now.rawValue, id.rawValue])
        return ended + others
    }

    func sessions(of user: UserID, limit: Int, at now: UnixTime) async throws(StoreError) -> [OpenSession] {
        try await database.read { db in
            try db.all(
                """
                SELECT s.id AS sid, s.auth_time, s.amr, s.acr, s.vouched_by, s.created_at AS opened_at, s.expires_at,
                    s.address, s.device, s.grant_id, s.country AS came_from, s.risks,
                    coalesce(
                        (SELECT max(g.created_at) FROM grant_ g
                            WHERE g.session_id = s.id AND g.created_at > s.created_at), s.created_at) AS used_at
                FROM session s WHERE s.user_id = ?1 AND s.expires_at > ?2 AND s.grant_id IS NULL
                ORDER BY used_at DESC, s.id LIMIT ?3
                """,
                [user.rawValue, now.rawValue, limit]
            ).map { OpenSession(session: $0.browserSession(of: user), usedAt: $0.time("used_at")) }
        }
    }

    func replaceCookie(of id: SessionID, by digest: SecretDigest, at now: UnixTime) async throws(StoreError) -> Bool {
        try await database.once(.replicated) { db in
            return try db.run(
                "UPDATE session SET digest = ? WHERE id = ? AND expires_at > ?",
                [Data(digest.bytes), id.rawValue, now.rawValue]) == 1
        }
    }

    func strengthen(_ id: SessionID, to facts: AuthenticationFacts, at now: UnixTime) async throws(StoreError) {
        _ = try await database.once(.replicated) { db in
            try db.run(
                "UPDATE session SET auth_time = ?2, amr = ?3, acr = ?4 WHERE id = ?1 AND expires_at > ?5",
                [
                    id.rawValue, facts.time.rawValue, facts.methods.joined(separator: " "), facts.contextClass,
                    now.rawValue,
                ])
        }
    }

    func endOthers(of user: UserID, keeping kept: SessionID, at now: UnixTime)
        async throws(StoreError)
    {
        try await database.write(.changing(user)) { db in
            var scope = RevocationScope(.logout, at: now)
            scope.keptSession = kept
            let opener = try db.first("SELECT grant_id FROM session WHERE id = ?", [kept.rawValue])
            scope.keptGrant = opener?.grantID("grant_id")
            try Revocation.end(scope, of: user, db)
        }
    }

    func endVouched(by tenant: String, of user: UserID, at now: UnixTime) async throws(StoreError) -> Bool {
        try await database.write(.changing(user)) { db in
            try Revocation.endVouched(by: tenant, of: user, db, at: now) > 0
        }
    }
}

extension SQLRow {
    /// A session from a row with its identifier in `sid` and its beginning in `opened_at`.
    fileprivate func browserSession(of user: UserID) -> BrowserSession {
        BrowserSession(
            id: SessionID(rawValue: self["sid"]), userID: user, authentication: authentication,
            createdAt: time("opened_at"), expiresAt: time("expires_at"),
            origin: SessionOrigin(
                address: self["address"], device: self["device"], country: self["came_from"],
                signals: RiskSignal.all(in: self["risks"])),
            openedBy: grantID("grant_id"))
    }

    fileprivate func grantID(_ column: String) -> GrantID? {
        let bytes: Data? = self[column]
        return bytes.flatMap { GrantID(bytes: Array($0)) }
    }
}
