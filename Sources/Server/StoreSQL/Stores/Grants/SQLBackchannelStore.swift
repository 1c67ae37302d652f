internal import Foundation
internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// Requests for sign-ins on another device, one row each, by the digest of their identifier.
struct SQLBackchannelStore: BackchannelStore {
    let database: any SQLDatabase

    private static let table = "backchannel_authentication"

    func add(_ request: BackchannelAuthentication, pendingMax: Int64) async throws(StoreError) -> Bool {
        try await database.write(.guarded) { db in
            let row = try db.first(
                """
                INSERT INTO backchannel_authentication (
                    digest, client_id, user_id, scope, resources, needs_several, key, binding_message, number, network,
                    created_at, expires_at, interval, next_poll_at, is_early
                ) VALUES (?1, ?2, CASE WHEN (
                        SELECT count(*) FROM backchannel_authentication
                        WHERE user_id = ?3 AND decided_at IS NULL AND expires_at > ?11
                    ) < ?14 THEN ?3 END, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?11, 0)
                RETURNING user_id
                """,
                [
                    Data(request.id.bytes), request.clientID, request.userID?.rawValue, request.scope.text,
                    request.resources.joined(separator: " "), request.needsSeveralFactors, request.keyThumbprint,
                    request.bindingMessage, request.number, request.network, request.createdAt.rawValue,
                    request.expiresAt.rawValue, Limits.deviceIntervalSeconds, pendingMax,
                ])
            return (row?["user_id"] as String?) != nil
        }
    }

    func waiting(for user: UserID, limit: Int, at now: UnixTime) async throws(StoreError)
        -> [BackchannelAuthentication]
    {
        try await database.read { db in
            try db.all(
                """
                SELECT digest, client_id, user_id, scope, resources, needs_several, key, binding_message, number,
                    network, created_at, expires_at
                FROM backchannel_authentication WHERE user_id = ?1 AND decided_at IS NULL AND expires_at > ?2
                ORDER BY created_at, digest LIMIT ?3
                """,
                [user.rawValue, now.rawValue, limit]
            ).map { row in try row.backchannelAuthentication() }
        }
    }

    func allow(_ id: SecretDigest, number: Int64, _ grant: Grant, at now: UnixTime) async throws(StoreError)
        -> BackchannelDecision
    {
        try await database.write(.using(grant.userID)) { db in
            // First, because it is the gate: of two answers only one decides, and a wrong number is an answer.
            let gate = try db.first(
                """
                UPDATE backchannel_authentication
                SET decided_at = ?1, grant_id = CASE WHEN number = ?6 THEN ?2 END
                WHERE digest = ?3 AND user_id = ?5 AND decided_at IS NULL AND expires_at > ?1
                    AND EXISTS (SELECT 1 FROM session WHERE id = ?4 AND user_id = ?5 AND expires_at > ?1)
                RETURNING client_id, grant_id
                """,
                [
                    now.rawValue, Data(grant.id.bytes), Data(id.bytes), grant.sessionID?.rawValue,
                    grant.userID.rawValue, number,
                ])
            if let gate {
                guard (gate["grant_id"] as Data?) != nil else { return .wrongNumber }
                try AwaitedGrants.insert(grant, of: gate["client_id"], db, at: now)
                return .made
            }
            let row = try db.first(
                """
                SELECT 1 AS one FROM backchannel_authentication
                WHERE digest = ?1 AND user_id = ?2 AND decided_at IS NULL AND expires_at > ?3
                """,
                [Data(id.bytes), grant.userID.rawValue, now.rawValue])
            return row == nil ? .tooLate : .signedOut
        }
    }

    func deny(_ id: SecretDigest, of user: UserID, at now: UnixTime) async throws(StoreError) -> BackchannelDecision {
        try await database.write(.guarded) { db in
            let count = try db.run(
                """
                UPDATE backchannel_authentication SET decided_at = ?1
                WHERE digest = ?2 AND user_id = ?3 AND decided_at IS NULL AND expires_at > ?1
                """,
                [now.rawValue, Data(id.bytes), user.rawValue])
            return count == 1 ? .made : .tooLate
        }
    }

    func poll(_ poll: DevicePoll, idleSeconds: Int64, at now: UnixTime) async throws(StoreError) -> DeviceAnswer {
        try await database.write(.guarded) { db in
            try AwaitedGrants.answer(poll, in: Self.table, idleSeconds: idleSeconds, db, at: now)
        }
    }
}

extension SQLRow {
    fileprivate func backchannelAuthentication() throws -> BackchannelAuthentication {
        guard let scope = Scope(self["scope"] as String) else { throw SQLProblem.damagedRow }
        return BackchannelAuthentication(
            id: SecretDigest(storedBytes: bytes("digest")), clientID: self["client_id"],
            userID: (self["user_id"] as String?).map(UserID.init(rawValue:)), scope: scope,
            resources: words("resources"), needsSeveralFactors: self["needs_several"], keyThumbprint: self["key"],
            bindingMessage: self["binding_message"], number: self["number"], network: self["network"],
            createdAt: time("created_at"), expiresAt: time("expires_at"))
    }
}
