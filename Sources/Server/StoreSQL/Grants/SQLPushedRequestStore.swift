internal import Foundation
internal import GRDB
internal import KeyturnBase
internal import Model

/// Requests that clients handed in beforehand, one row each until they are answered.
struct SQLPushedRequestStore: PushedRequestStore {
    let database: SQLiteDatabase

    func add(_ request: PushedRequest, max: Int?, at now: UnixTime) async throws(StoreError) -> Bool {
        try await database.write { db in
            try db.run(
                """
                INSERT INTO pushed_request (digest, client_id, parameters, expires_at)
                SELECT ?1, ?2, ?3, ?4 WHERE ?6 IS NULL OR (
                    SELECT count(*) FROM (
                        SELECT 1 FROM pushed_request WHERE client_id = ?2 AND expires_at > ?5 LIMIT ?6
                    )
                ) < ?6
                """,
                [
                    Data(request.digest.bytes), request.clientID, request.parameters, request.expiresAt.rawValue,
                    now.rawValue, max,
                ])
            return db.changesCount == 1
        }
    }

    func find(_ digest: SecretDigest) async throws(StoreError) -> PushedRequest? {
        try database.read { db in
            let row = try db.first(
                "SELECT client_id, parameters, expires_at FROM pushed_request WHERE digest = ?", [Data(digest.bytes)])
            return row.map {
                PushedRequest(
                    digest: digest, clientID: $0["client_id"], parameters: $0["parameters"],
                    expiresAt: $0.time("expires_at"))
            }
        }
    }

    func isUnused(_ ticket: JourneyTicket, of clientID: String) async throws(StoreError) -> Bool {
        try database.read { db in
            switch ticket {
            case .pushedRequest(let digest):
                return try db.first(
                    "SELECT 1 FROM pushed_request WHERE digest = ? AND client_id = ?",
                    [try Self.bytes(digest), clientID]) != nil
            case .requestObject(let jti, let expiresAt):
                let mark = SpentMark(requestObject: jti, of: clientID, expiresAt: expiresAt)
                return try db.first("SELECT 1 FROM spent WHERE digest = ?", [Data(mark.digest)]) == nil
            }
        }
    }

    func use(_ ticket: JourneyTicket, of clientID: String) async throws(StoreError) -> Bool {
        try await database.write { db in try Self.use(ticket, of: clientID, db) }
    }

    /// - Returns: `false` if it was used before.
    static func use(_ ticket: JourneyTicket, of clientID: String, _ db: Database) throws -> Bool {
        switch ticket {
        case .pushedRequest(let digest):
            try db.run(
                "DELETE FROM pushed_request WHERE digest = ? AND client_id = ?", [try bytes(digest), clientID])
            return db.changesCount == 1
        case .requestObject(let jti, let expiresAt):
            return try SQLSpentStore.spend(
                SpentMark(requestObject: jti, of: clientID, expiresAt: expiresAt), db)
        }
    }

    private static func bytes(_ digest: String) throws -> Data {
        guard let bytes = Base64URL.decode(digest) else { throw DatabaseError(resultCode: .SQLITE_MISMATCH) }
        return Data(bytes)
    }
}
