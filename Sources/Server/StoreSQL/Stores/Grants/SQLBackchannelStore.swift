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
                    created_at, expires_at, interval, next_poll_at, is_early, purpose, device, ping
                ) VALUES (?1, ?2, CASE WHEN (
                        SELECT count(*) FROM backchannel_authentication
                        WHERE user_id = ?3 AND purpose = ?15 AND decided_at IS NULL AND expires_at > ?11
                    ) < ?14 THEN ?3 END, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?11, 0, ?15, ?16, ?17)
                RETURNING user_id
                """,
                [
                    Data(request.id.bytes), request.clientID, request.userID?.rawValue, request.scope.text,
                    request.resources.joined(separator: " "), request.needsSeveralFactors, request.keyThumbprint,
                    request.bindingMessage, request.number, request.network, request.createdAt.rawValue,
                    request.expiresAt.rawValue, Limits.deviceIntervalSeconds, pendingMax,
                    request.purpose.rawValue, request.device, request.sealedPing.map { Data($0) },
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
                    network, created_at, expires_at, purpose, device, ping
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
                WHERE digest = ?3 AND user_id = ?5 AND purpose = 'tokens' AND decided_at IS NULL AND expires_at > ?1
                    AND EXISTS (SELECT 1 FROM session WHERE id = ?4 AND user_id = ?5 AND expires_at > ?1)
                RETURNING client_id, grant_id
                """,
                [
                    now.rawValue, Data(grant.id.bytes), Data(id.bytes), grant.sessionID?.rawValue,
                    grant.userID.rawValue, number,
                ])
            if let gate {
                try SQLPingNoticeStore.add(id, db, at: now)
                guard (gate["grant_id"] as Data?) != nil else { return .wrongNumber }
                try AwaitedGrants.insert(grant, of: gate["client_id"], db, at: now)
                return .made
            }
            return try Self.why(id, grant.userID, db, at: now)
        }
    }

    /// Why nothing was decided.
    private static func why(_ id: SecretDigest, _ user: UserID, _ db: SQLSession, at now: UnixTime) throws
        -> BackchannelDecision
    {
        let row = try db.first(
            """
            SELECT 1 AS one FROM backchannel_authentication
            WHERE digest = ?1 AND user_id = ?2 AND decided_at IS NULL AND expires_at > ?3
            """,
            [Data(id.bytes), user.rawValue, now.rawValue])
        return row == nil ? .tooLate : .signedOut
    }

    func approve(_ id: SecretDigest, number: Int64, by session: BrowserSession, at now: UnixTime)
        async throws(StoreError) -> BackchannelDecision
    {
        try await database.write(.guarded) { db in
            let gate = try db.first(
                """
                UPDATE backchannel_authentication
                SET decided_at = ?1, approved_by = CASE WHEN number = ?5 THEN ?2 END, approved_auth_time = ?6
                WHERE digest = ?3 AND user_id = ?4 AND purpose = 'session' AND decided_at IS NULL AND expires_at > ?1
                    AND EXISTS (SELECT 1 FROM session WHERE id = ?2 AND user_id = ?4 AND expires_at > ?1)
                RETURNING approved_by
                """,
                [
                    now.rawValue, session.id.rawValue, Data(id.bytes), session.userID.rawValue, number,
                    session.authentication.time.rawValue,
                ])
            guard let gate else { return try Self.why(id, session.userID, db, at: now) }
            return (gate["approved_by"] as String?) == nil ? .wrongNumber : .made
        }
    }

    func approval(_ id: SecretDigest, at now: UnixTime) async throws(StoreError) -> ApprovalAnswer {
        try await database.read { db in try Self.state(id, db, at: now) }
    }

    func collectApproval(_ id: SecretDigest, at now: UnixTime) async throws(StoreError) -> ApprovalAnswer {
        try await database.write(.guarded) { db in
            let won = try db.first(
                """
                UPDATE backchannel_authentication SET collected_at = ?1
                WHERE digest = ?2 AND purpose = 'session' AND collected_at IS NULL AND expires_at > ?1
                    AND EXISTS (SELECT 1 FROM session
                        WHERE id = approved_by AND user_id = backchannel_authentication.user_id AND expires_at > ?1)
                RETURNING user_id, approved_auth_time
                """,
                [now.rawValue, Data(id.bytes)])
            if let won {
                return .approved(UserID(rawValue: won["user_id"]), authenticatedAt: won.time("approved_auth_time"))
            }
            let state = try Self.state(id, db, at: now)
            // It was approved in a session that is over.
            if case .approved = state { return .denied }
            return state
        }
    }

    private static func state(_ id: SecretDigest, _ db: SQLSession, at now: UnixTime) throws -> ApprovalAnswer {
        let row = try db.first(
            """
            SELECT user_id, decided_at, approved_by, approved_auth_time, collected_at, expires_at
            FROM backchannel_authentication WHERE digest = ? AND purpose = 'session'
            """, [Data(id.bytes)])
        guard let row, row.optionalTime("collected_at") == nil else { return .unknown }
        guard now < row.time("expires_at") else { return .expired }
        guard row.optionalTime("decided_at") != nil else { return .pending }
        guard (row["approved_by"] as String?) != nil else { return .denied }
        return .approved(UserID(rawValue: row["user_id"]), authenticatedAt: row.time("approved_auth_time"))
    }

    func deny(_ id: SecretDigest, of user: UserID, at now: UnixTime) async throws(StoreError) -> BackchannelDecision {
        try await database.write(.guarded) { db in
            let count = try db.run(
                """
                UPDATE backchannel_authentication SET decided_at = ?1
                WHERE digest = ?2 AND user_id = ?3 AND decided_at IS NULL AND expires_at > ?1
                """,
                [now.rawValue, Data(id.bytes), user.rawValue])
            guard count == 1 else { return .tooLate }
            try SQLPingNoticeStore.add(id, db, at: now)
            return .made
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
        guard let scope = Scope(self["scope"] as String),
            let purpose = BackchannelAuthentication.Purpose(rawValue: self["purpose"])
        else { throw SQLProblem.damagedRow }
        return BackchannelAuthentication(
            id: SecretDigest(storedBytes: bytes("digest")), clientID: self["client_id"],
            userID: (self["user_id"] as String?).map(UserID.init(rawValue:)), scope: scope,
            resources: words("resources"), needsSeveralFactors: self["needs_several"], keyThumbprint: self["key"],
            bindingMessage: self["binding_message"], number: self["number"], network: self["network"],
            device: self["device"], purpose: purpose, sealedPing: (self["ping"] as Data?).map { Array($0) },
            createdAt: time("created_at"), expiresAt: time("expires_at"))
    }
}
