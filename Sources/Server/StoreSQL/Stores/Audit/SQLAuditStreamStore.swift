internal import KeyturnBase
internal import Model

/// Streams of audit events, a row each.
struct SQLAuditStreamStore: AuditStreamStore {
    let database: any SQLDatabase

    func claim(
        _ name: String, beginningAfter number: Int64, until end: UnixTime, at now: UnixTime
    ) async throws(StoreError) -> AuditStreamClaim? {
        let last: Int64? = try await database.write(.guarded) { db in
            try db.first(
                """
                INSERT INTO audit_stream (name, number, leased_until) VALUES (?1, ?2, ?3)
                ON CONFLICT (name) DO UPDATE SET leased_until = excluded.leased_until
                    WHERE audit_stream.leased_until <= ?4
                RETURNING number
                """,
                [name, number, end.rawValue, now.rawValue])?["number"]
        }
        return last.map { AuditStreamClaim(name: name, number: $0, until: end) }
    }

    func advance(
        _ claim: AuditStreamClaim, to number: Int64, until end: UnixTime
    ) async throws(StoreError) -> AuditStreamClaim? {
        let isOurs = try await database.write(.guarded) { db in
            try db.run(
                """
                UPDATE audit_stream SET number = ?, leased_until = ?
                WHERE name = ? AND number = ? AND leased_until = ?
                """,
                [number, end.rawValue, claim.name, claim.number, claim.until.rawValue]) == 1
        }
        return isOurs ? AuditStreamClaim(name: claim.name, number: number, until: end) : nil
    }

    func release(_ claim: AuditStreamClaim) async throws(StoreError) {
        _ = try await database.write(.guarded) { db in
            try db.run(
                "UPDATE audit_stream SET leased_until = 0 WHERE name = ? AND number = ? AND leased_until = ?",
                [claim.name, claim.number, claim.until.rawValue])
        }
    }

    func positions() async throws(StoreError) -> [String: Int64] {
        try await database.read { db in
            Dictionary(
                try db.all("SELECT name, number FROM audit_stream", []).map { ($0["name"], $0["number"]) }
            ) { first, _ in first }
        }
    }
}
