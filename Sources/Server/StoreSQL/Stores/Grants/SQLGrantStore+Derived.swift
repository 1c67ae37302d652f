internal import Foundation
internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// Grants that derive from another one, and end with it.
extension SQLGrantStore {
    func derive(_ grant: Grant, from parent: GrantID, at now: UnixTime) async throws(StoreError) -> Bool {
        try await database.write(.locking([.grant(parent)])) { db in
            return try db.run(
                """
                INSERT INTO grant_ (
                    id, client_id, user_id, session_id, scope, is_offline, resources, auth_time, amr, acr, created_at,
                    code_digest, code_expires_at, redeemed_at, counter, idle_expires_at, absolute_expires_at, key, bearer,
                    parent, vouched_by
                ) SELECT ?1, ?2, g.user_id, g.session_id, ?3, ?4, ?5, g.auth_time, g.amr, g.acr, ?6, ?12, ?6,
                    ?6, 0, ?7, \(SQL.lesser("?8", "g.absolute_expires_at")), ?9, ?10, g.id, g.vouched_by
                FROM grant_ g JOIN "user" u ON u.id = g.user_id
                WHERE g.id = ?11 AND g.redeemed_at IS NOT NULL AND g.ended_at IS NULL AND g.idle_expires_at > ?6
                    AND g.absolute_expires_at > ?6 AND u.status = 'active'
                """,
                [
                    Data(grant.id.bytes), grant.clientID, grant.scope.text, grant.isOffline,
                    grant.resources.joined(separator: " "), now.rawValue, grant.idleExpiresAt.rawValue,
                    grant.absoluteExpiresAt.rawValue, grant.keyThumbprint, grant.wantsBearer, Data(parent.bytes),
                    grant.id.unusedCodeDigest,
                ]) == 1
        }
    }

    func bind(appKey thumbprint: String, to id: GrantID, at now: UnixTime) async throws(StoreError) -> Bool {
        try await database.write(.guarded) { db in
            try db.run(
                """
                UPDATE grant_ SET app_key = ?1 WHERE id = ?2 AND (app_key IS NULL OR app_key = ?1)
                    AND redeemed_at IS NOT NULL AND ended_at IS NULL AND idle_expires_at > ?3
                    AND absolute_expires_at > ?3
                """,
                [thumbprint, Data(id.bytes), now.rawValue]) == 1
        }
    }

    func appKey(of id: GrantID) async throws(StoreError) -> String? {
        try await database.read { db in
            try db.first("SELECT app_key FROM grant_ WHERE id = ?", [Data(id.bytes)]).flatMap { $0["app_key"] }
        }
    }

    /// Ends the grants that derive from those of a condition, which are over now, and those that derive from these.
    static func endDerived(
        _ condition: String, _ arguments: Values, _ reason: Grant.EndReason, _ db: SQLSession,
        at now: UnixTime
    ) throws {
        try db.run(
            """
            WITH RECURSIVE finished (id) AS (
                SELECT id FROM grant_ WHERE ended_at IS NOT NULL AND \(condition)
                UNION SELECT g.id FROM grant_ g JOIN finished f ON g.parent = f.id
            )
            UPDATE grant_ SET ended_at = ?, end_reason = ? WHERE ended_at IS NULL AND parent IS NOT NULL
                AND parent IN (SELECT id FROM finished)
            """,
            arguments + [now.rawValue, reason.rawValue])
    }
}
