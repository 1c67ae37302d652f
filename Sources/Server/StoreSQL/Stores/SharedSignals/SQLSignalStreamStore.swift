internal import Foundation
internal import KeyturnBase
internal import Model

/// Streams of receivers, a row each.
struct SQLSignalStreamStore: SignalStreamStore {
    let database: any SQLDatabase

    private static let columns = """
        id, client_id, address, "authorization", events, description, status, reason, number, taken, verification_id,
        verification_state, verified_at, created_at, failures
        """

    /// ?1 is the time, ?2 the number of the newest event.
    private static let due = """
        address IS NOT NULL AND status = 'enabled' AND due_at <= ?1 AND leased_until <= ?1
            AND (number < ?2 OR verification_id IS NOT NULL)
        """

    func create(_ stream: SignalStream, max: Int) async throws(StoreError) -> Bool {
        try await database.write(.locking([.name("signal_streams:\(stream.clientID)")])) { db in
            guard try Self.streams(of: stream.clientID, db).count < max else { return false }
            try db.run(
                """
                INSERT INTO signal_stream (\(Self.columns), due_at, leased_until)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0)
                """, [stream.id, stream.clientID] + Self.values(stream) + [stream.createdAt.rawValue])
            return true
        }
    }

    func stream(_ id: String, of clientID: String) async throws(StoreError) -> SignalStream? {
        try await database.read { db in try Self.stream(id, of: clientID, db) }
    }

    func streams(of clientID: String) async throws(StoreError) -> [SignalStream] {
        try await database.read { db in try Self.streams(of: clientID, db) }
    }

    func change(
        _ id: String, of clientID: String, _ rule: @escaping @Sendable (inout SignalStream) -> Void
    ) async throws(StoreError) -> SignalStream? {
        try await database.write(.locking([Self.lock(id)])) { db in
            guard var stream = try Self.stream(id, of: clientID, db) else { return nil }
            rule(&stream)
            stream.failures = 0
            try db.run(
                """
                UPDATE signal_stream SET address = ?, "authorization" = ?, events = ?, description = ?, status = ?,
                    reason = ?, number = ?, taken = ?, verification_id = ?, verification_state = ?, verified_at = ?,
                    due_at = 0, failures = 0, leased_until = 0
                WHERE id = ?
                """, Self.values(stream) + [id])
            return stream
        }
    }

    func delete(_ id: String, of clientID: String) async throws(StoreError) -> SignalStream? {
        try await database.write(.locking([Self.lock(id)])) { db in
            guard let stream = try Self.stream(id, of: clientID, db) else { return nil }
            try db.run("DELETE FROM signal_stream WHERE id = ?", [id])
            return stream
        }
    }

    func claim(
        behind head: Int64, until end: UnixTime, at now: UnixTime
    ) async throws(StoreError) -> SignalStreamClaim? {
        let isDue = try await database.read { db in
            try db.first("SELECT 1 FROM signal_stream WHERE \(Self.due) LIMIT 1", [now.rawValue, head]) != nil
        }
        guard isDue else { return nil }
        return try await database.write(.guarded) { db in
            try db.first(
                """
                UPDATE signal_stream SET leased_until = ?3 WHERE id = (
                    SELECT id FROM signal_stream WHERE \(Self.due)
                    ORDER BY due_at, id LIMIT 1 \(db.dialect.fragments.skipLocked("signal_stream"))
                ) AND leased_until <= ?1
                RETURNING \(Self.columns)
                """, [now.rawValue, head, end.rawValue]
            ).map { SignalStreamClaim(stream: try Self.stream($0), until: end) }
        }
    }

    func settle(
        _ claim: SignalStreamClaim, to number: Int64, isVerified: Bool, due: UnixTime, failures: Int64
    ) async throws(StoreError) -> Bool {
        try await database.write(.locking([Self.lock(claim.stream.id)])) { db in
            let isOurs =
                try db.run(
                    """
                    UPDATE signal_stream SET number = ?, due_at = ?, failures = ?, leased_until = 0
                    WHERE id = ? AND leased_until = ? AND number = ?
                    """,
                    [number, due.rawValue, failures, claim.stream.id, claim.until.rawValue, claim.stream.number]) == 1
            if isOurs, isVerified {
                try db.run(
                    "UPDATE signal_stream SET verification_id = NULL, verification_state = NULL WHERE id = ?",
                    [claim.stream.id])
            }
            return isOurs
        }
    }

    private static func lock(_ id: String) -> SQLLock { .name("signal_stream:\(id)") }

    private static func streams(of clientID: String, _ db: SQLSession) throws -> [SignalStream] {
        try db.all("SELECT \(columns) FROM signal_stream WHERE client_id = ? ORDER BY created_at, id", [clientID])
            .map(stream)
    }

    private static func stream(_ id: String, of clientID: String, _ db: SQLSession) throws -> SignalStream? {
        try db.first("SELECT \(columns) FROM signal_stream WHERE id = ? AND client_id = ?", [id, clientID]).map(stream)
    }

    /// The columns that change, from the address to the time of the verification.
    private static func values(_ stream: SignalStream) -> Values {
        [
            stream.push?.address, (stream.push?.authorization).map { Data($0) }, stream.events.columnText,
            stream.description, stream.status.rawValue, stream.reason, stream.number, stream.taken.sorted().columnText,
            stream.verification?.id, stream.verification?.state, stream.verifiedAt?.rawValue,
        ]
    }

    private static func stream(_ row: SQLRow) throws -> SignalStream {
        let address: String? = row["address"]
        let verification: String? = row["verification_id"]
        guard let status = SignalStream.Status(rawValue: row["status"]) else { throw SQLProblem.damagedRow }
        return SignalStream(
            id: row["id"], clientID: row["client_id"],
            push: address.map {
                SignalStream.Push(address: $0, authorization: (row["authorization"] as Data?).map(Array.init))
            }, events: try row.list("events"), description: row["description"], status: status,
            reason: row["reason"], number: row["number"], taken: Set(try row.list("taken")),
            verification: verification.map { SignalStream.Verification(id: $0, state: row["verification_state"]) },
            verifiedAt: (row["verified_at"] as Int64?).map(UnixTime.init(rawValue:)), failures: row["failures"],
            createdAt: row.time("created_at"))
    }
}
