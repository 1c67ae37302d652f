internal import Foundation
internal import KeyturnBase
internal import Model

/// Pushed authorization requests, one row each until they are answered.
struct SQLPushedRequestStore: PushedRequestStore {
    let database: any SQLDatabase

    func add(_ request: PushedRequest, max: Int?, at now: UnixTime) async throws(StoreError) -> Bool {
        try await database.write(max == nil ? .guarded : .locking([.name("par:\(request.clientID)")])) { db in
            return try db.run(
                """
                INSERT INTO pushed_request (digest, client_id, parameters, expires_at)
                SELECT ?1, ?2, ?3, ?4 WHERE ?6 IS NULL OR (
                    SELECT count(*) FROM (
                        SELECT 1 FROM pushed_request WHERE client_id = ?2 AND expires_at > ?5 LIMIT ?6
                    ) AS waiting
                ) < ?6
                """,
                [
                    Data(request.digest.bytes), request.clientID, request.parameters, request.expiresAt.rawValue,
                    now.rawValue, max,
                ]) == 1
        }
    }

    func find(_ digest: SecretDigest) async throws(StoreError) -> PushedRequest? {
        try await database.read { db in
            let row = try db.first(
                "SELECT client_id, parameters, expires_at FROM pushed_request WHERE digest = ?", [Data(digest.bytes)])
            return row.map {
                PushedRequest(
                    digest: digest, clientID: $0["client_id"], parameters: $0["parameters"],
                    expiresAt: $0.time("expires_at"))
            }
        }
    }

    func isUnused(_ ticket: TransactionTicket, of clientID: String) async throws(StoreError) -> Bool {
        try await database.read { db in
            switch ticket {
            case .pushedRequest(let digest):
                return try db.first(
                    "SELECT 1 FROM pushed_request WHERE digest = ? AND client_id = ?",
                    [try Self.bytes(digest), clientID]) != nil
            case .requestObject(let jti, let expiresAt):
                let mark = ReplayMark(requestObject: jti, of: clientID, expiresAt: expiresAt)
                return try db.first("SELECT 1 FROM spent WHERE digest = ?", [Data(mark.digest)]) == nil
            }
        }
    }

    func use(_ ticket: TransactionTicket, of clientID: String) async throws(StoreError) -> Bool {
        try await database.write(.guarded) { db in try Self.use(ticket, of: clientID, db) }
    }

    /// - Returns: `false` if it was used before.
    static func use(_ ticket: TransactionTicket, of clientID: String, _ db: SQLSession) throws -> Bool {
        switch ticket {
        case .pushedRequest(let digest):
            return try db.run(
                "DELETE FROM pushed_request WHERE digest = ? AND client_id = ?", [try bytes(digest), clientID]) == 1
        case .requestObject(let jti, let expiresAt):
            return try SQLReplayStore.spend(
                ReplayMark(requestObject: jti, of: clientID, expiresAt: expiresAt), db)
        }
    }

    private static func bytes(_ digest: String) throws -> Data {
        guard let bytes = Base64URL.decode(digest) else { throw SQLProblem.unfitValue }
        return Data(bytes)
    }
}
