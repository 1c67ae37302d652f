internal import Foundation
internal import KeyturnBase
internal import Model

/// Grants with a sign of a copied refresh token.
extension SQLGrantStore {
    func signsOfCopies(of user: UserID, since: UnixTime, limit: Int) async throws(StoreError) -> [CopiedTokenSign] {
        try await database.read { db in
            try db.all(
                """
                SELECT id, client_id, end_reason, late_elsewhere, shadowed_at, ended_at, CASE
                    WHEN ended_at IS NOT NULL THEN ended_at
                    WHEN shadowed_at > coalesce(late_elsewhere_at, 0) THEN shadowed_at ELSE late_elsewhere_at END AS at
                FROM grant_
                WHERE user_id = ?1 AND (
                    (end_reason IN ('refresh_replay', 'shadowed') AND ended_at > ?2)
                    OR (ended_at IS NULL AND (late_elsewhere_at > ?2 OR shadowed_at > ?2)))
                ORDER BY at DESC LIMIT ?3
                """,
                [user.rawValue, since.rawValue, limit]
            ).map { row in
                guard let id = GrantID(bytes: row.bytes("id")) else { throw SQLProblem.damagedRow }
                return CopiedTokenSign(
                    grantID: id, clientID: row["client_id"], kind: Self.kind(row, since),
                    at: UnixTime(rawValue: row["at"]))
            }
        }
    }

    /// Two holders who take turns say more than one late use.
    private static func kind(_ row: SQLRow, _ since: UnixTime) -> CopiedTokenSign.Kind {
        if row.optionalTime("ended_at") != nil {
            let isShadow = row["end_reason"] == Grant.EndReason.shadowed.rawValue
            return isShadow ? .shadowed(isEnded: true) : .ended
        }
        if let told = row.optionalTime("shadowed_at"), told > since { return .shadowed(isEnded: false) }
        return .usedElsewhere(count: row["late_elsewhere"])
    }
}
