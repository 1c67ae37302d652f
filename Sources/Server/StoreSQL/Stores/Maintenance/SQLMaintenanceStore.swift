internal import Foundation
internal import KeyturnBase
internal import Model

/// Removes expired rows in small batches.
struct SQLMaintenanceStore: MaintenanceStore {
    let database: any SQLDatabase

    /// A grant that is over stays for a day, so that its client can still be told why. In seconds.
    private static let keepSeconds: Int64 = 86_400
    /// A network with a sign-in is remembered for so long, in seconds.
    private static let knownSeconds: Int64 = 90 * 86_400
    private static let attemptSeconds: Int64 = 86_400
    /// Grants checked for each row that may be removed: most are alive.
    private static let stride = 20

    func removeExpired(limit: Int, at now: UnixTime) async throws(StoreError) -> Int {
        try await database.write(.guarded) { db in
            var removed = 0
            for (table, time, condition) in Self.expiring(at: now) + db.dialect.fragments.expiring(at: now) {
                let key = Self.key(table)
                removed += try db.run(
                    """
                    WITH picked AS MATERIALIZED (
                        SELECT \(key) FROM \(table) WHERE \(condition) LIMIT ?2 \(db.dialect.fragments.skipLocked(table)))
                    DELETE FROM \(table) WHERE (\(key)) IN (SELECT \(key) FROM picked)
                    """, [time.rawValue, limit])
            }
            return removed + (try Self.removeGrants(rows: limit * Self.stride, db, at: now) ?? 0)
        }
    }

    func removeEndedGrants(rows: Int, at now: UnixTime) async throws(StoreError) -> Int? {
        try await database.write(.guarded) { db in try Self.removeGrants(rows: rows, db, at: now) }
    }

    /// The tables with rows that end, the time before which they go, and the condition with that time as `?1`. The text
    /// is the same each time, so that each statement is prepared once.
    private static func expiring(at now: UnixTime) -> [(table: String, time: UnixTime, condition: String)] {
        let isOver = "expires_at <= ?1"
        return [
            ("session", now, isOver), ("revoked_token", now, isOver),
            ("one_time_code", now - Limits.proofSeconds, isOver), ("code_tries", now, "ends_at <= ?1"),
            ("link", now - Limits.linkMemorySeconds, isOver), ("pending_link", now - Limits.proofSeconds, isOver),
            ("authenticator", now, isOver),
            // A client that presented its request in time has the whole time of a transaction.
            ("pushed_request", now - Limits.transactionSeconds, isOver),
            ("spent", now, isOver), ("federation_state", now, isOver), ("federated_session", now, isOver),
            ("former_origin", now, isOver),
            ("device_authorization", now - Limits.deviceMemorySeconds, isOver),
            ("backchannel_authentication", now - Limits.deviceMemorySeconds, isOver),
            ("biometric_key", now - Limits.biometricKeyIdleSeconds, "coalesce(used_at, created_at) <= ?1"),
            ("recovery", now, isOver),
            ("new_address", now - Limits.identifierHistorySeconds, "proved_at <= ?1"),
            ("former_identifier", now - Limits.identifierHistorySeconds, "ended_at <= ?1"),
            ("past_sign_in", now - Limits.pastSignInSeconds, "used_at <= ?1"),
            ("budget", now, "ends_at <= ?1"),
            ("message", now - Limits.messageKeptSeconds, "finished_at <= ?1"),
            (
                "attempt", now - attemptSeconds,
                "last_at <= ?1 AND (known_at IS NULL OR known_at <= ?1 - \(knownSeconds - attemptSeconds))"
            ),
        ]
    }

    private static func key(_ table: String) -> String {
        switch table {
        case "session", "link", "spent", "pushed_request", "device_authorization", "backchannel_authentication",
            "federation_state":
            "digest"
        case "federated_session": "session_id"
        case "former_origin": "session_id, connection_id, issuer, subject, provider_session"
        case "attempt", "budget": "key"
        case "one_time_code": "slot, digest"
        case "code_tries": "slot, party"
        case "pending_link": "reference"
        case "recovery": "user_id"
        case "past_sign_in": "user_id, device, country, trusted"
        case "former_identifier": "user_id, role, kind, value, ended_at"
        case "new_address": "user_id, kind, value"
        default: "id"
        }
    }

    /// Walks through the grants. An index on their expiry would have to be changed with every refresh; a walk costs the
    /// refreshes nothing. Of several servers one walks, and the next one goes on where it ended.
    ///
    /// - Returns: `nil` at the end, and while another server walks.
    private static func removeGrants(rows: Int, _ db: SQLSession, at now: UnixTime) throws -> Int? {
        try db.run("INSERT INTO upkeep (task, position) VALUES ('grants', '') ON CONFLICT DO NOTHING", [])
        let task = "SELECT position FROM upkeep WHERE task = 'grants' \(db.dialect.fragments.skipLocked("upkeep"))"
        guard let position = try db.first(task, [])?["position"] as String? else { return nil }
        let stretch = try db.dialect.fragments.stretch(of: "grant_", after: position, rows: rows, db)
        if position != stretch?.last ?? "" {
            try db.run("UPDATE upkeep SET position = ? WHERE task = 'grants'", [stretch?.last ?? ""])
        }
        guard let stretch else { return nil }
        let over = """
            \(stretch.condition) AND (
                (ended_at <= ?3 AND coalesce(end_reason, '') NOT IN ('refresh_replay', 'shadowed')) OR ended_at <= ?4
                OR idle_expires_at <= ?3 OR absolute_expires_at <= ?3
                OR (redeemed_at IS NULL AND code_expires_at <= ?3)
            )
            """
        let values =
            stretch.ends + [(now - keepSeconds).rawValue, (now - Limits.copiesShownSeconds).rawValue] as Values
        // Until now they had a session, so they count as seen.
        try db.run(
            """
            UPDATE "user" SET anonymous_seen_at = ?5
            WHERE anonymous_seen_at IS NOT NULL AND id IN (SELECT user_id FROM grant_ WHERE \(over))
            """, values + [now.rawValue])
        return try db.run("DELETE FROM grant_ WHERE \(over)", values)
    }

    func revision() async throws(StoreError) -> Int64 {
        try await database.read { db in try db.first("SELECT number FROM revision", [])?["number"] ?? 0 }
    }

    func clock() async throws(StoreError) -> UnixTime? {
        guard let clock = database.dialect.fragments.clock else { return nil }
        return try await database.read { db in try db.first("SELECT \(clock) AS now", [])?.time("now") }
    }

    func queueLengths(upTo max: Int) async throws(StoreError) -> QueueLengths {
        try await database.read { db in
            func count(_ rows: String) throws -> Int {
                let row = try db.first(
                    "SELECT count(*) AS number FROM (SELECT 1 FROM \(rows) LIMIT ?) AS waiting", [max])
                return Int(row?["number"] as Int64? ?? 0)
            }
            return QueueLengths(
                messages: try count("message WHERE due_at IS NOT NULL"), logoutNotices: try count("logout_notice"),
                pingNotices: try count("ping_notice"))
        }
    }

    func ping() async throws(StoreError) {
        _ = try await database.read { db in try db.first("SELECT 1 FROM \"user\" LIMIT 1", []) != nil }
    }
}
