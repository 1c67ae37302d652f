internal import Foundation
internal import GRDB
internal import Identity
internal import KeyturnBase

/// Browser sessions by the digest of their cookie.
struct SQLiteSessionStore: SessionStore {
    let database: SQLiteDatabase

    func create(_ session: BrowserSession, digest: SecretDigest, replacing old: SecretDigest?, at now: UnixTime)
        async throws(StoreError)
    {
        try await database.write { db in
            if let old { try db.run("DELETE FROM session WHERE digest = ?", [Data(old.bytes)]) }
            try db.run(
                """
                INSERT INTO session (digest, id, user_id, auth_time, amr, acr, created_at, expires_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    Data(digest.bytes), session.id.rawValue, session.userID.rawValue,
                    session.authentication.time.rawValue, session.authentication.methods.joined(separator: " "),
                    session.authentication.contextClass, session.createdAt.rawValue, session.expiresAt.rawValue,
                ])
        }
    }

    func session(_ digest: SecretDigest, at now: UnixTime) async throws(StoreError) -> (BrowserSession, User)? {
        try database.read { db in
            let row = try db.first(
                """
                SELECT s.id AS sid, s.auth_time, s.amr, s.acr, s.created_at AS opened_at, s.expires_at, u.*
                FROM session s JOIN user u ON u.id = s.user_id
                WHERE s.digest = ?1 AND s.expires_at > ?2 AND u.status = 'active'
                """,
                [Data(digest.bytes), now.rawValue])
            guard let row else { return nil }
            let user = try row.user()
            let session = BrowserSession(
                id: SessionID(rawValue: row["sid"]), userID: user.id, authentication: row.authentication,
                createdAt: row.time("opened_at"), expiresAt: row.time("expires_at"))
            return (session, user)
        }
    }

    func end(_ id: SessionID, at now: UnixTime) async throws(StoreError) -> [String]? {
        try await database.write { db in
            try db.run("DELETE FROM session WHERE id = ?", [id.rawValue])
            guard db.changesCount == 1 else { return nil }
            let clients = try db.all(
                """
                SELECT DISTINCT client_id FROM grant_ WHERE session_id = ?1 AND redeemed_at IS NOT NULL
                    AND ended_at IS NULL AND idle_expires_at > ?2 AND absolute_expires_at > ?2
                ORDER BY client_id
                """,
                [id.rawValue, now.rawValue]
            ).map { $0["client_id"] as String }
            try SQLiteGrantStore.end("session_id = ? AND is_offline = 0", [id.rawValue], .logout, db, at: now)
            return clients
        }
    }
}
