internal import Foundation
internal import KeyturnBase
internal import Model

/// Grants with a sign of a copied refresh token.
extension SQLGrantStore {
    func signsOfCopies(of user: UserID, since: UnixTime, limit: Int) async throws(StoreError) -> [CopiedTokenSign] {
        try await database.read { db in
            try db.all(
                """
                SELECT id, client_id, ended_at, late_elsewhere, coalesce(ended_at, late_elsewhere_at) AS at FROM grant_
                WHERE user_id = ?1 AND (
                    (end_reason = 'refresh_replay' AND ended_at > ?2) OR (ended_at IS NULL AND late_elsewhere_at > ?2))
                ORDER BY at DESC LIMIT ?3
                """,
                [user.rawValue, since.rawValue, limit]
            ).map { row in
                guard let id = GrantID(bytes: row.bytes("id")) else { throw SQLProblem.damagedRow }
                let kind: CopiedTokenSign.Kind =
                    row.optionalTime("ended_at") != nil ? .ended : .usedElsewhere(count: row["late_elsewhere"])
                return CopiedTokenSign(
                    grantID: id, clientID: row["client_id"], kind: kind, at: UnixTime(rawValue: row["at"]))
            }
        }
    }
}
