internal import Foundation
internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// Requests for sign-ins on another device, one row each, by the digest of their identifier.
struct SQLBackchannelStore: BackchannelStore {
    let database: any SQLDatabase

    private static let table = "backchannel_authentication"

    func add(_ request: BackchannelAuthentication, pendingMax: Int64) async throws(StoreError) -> Bool {
        let locks = request.userID.map { [SQLLock.name("backchannel:\($0.rawValue)")] } ?? []
        return try await database.write(.locking(locks)) { db in
            let row = try db.first(
                """
                INSERT INTO backchannel_authentication (
                    digest, client_id, user_id, scope, resources, needs_several, key, binding_message, number, network,
                    created_at, expires_at, interval, next_poll_at, is_early, purpose, device, ping
                ) VALUES (?1, ?2, CASE WHEN (
                        SELECT count(*) FROM backchannel_authentication
                        WHERE user_id = ?3 AND purpose = ?15 AND decided_at IS NULL AND expires_at > ?11
                            AND CASE WHEN purpose = 'tokens' THEN client_id = ?2
                                ELSE coalesce(network, '') = coalesce(?10, '') END
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

    func allow(_ id: SecretDigest, number: Int64, _ grant: Grant, by approver: Approver, at now: UnixTime)
        async throws(StoreError) -> BackchannelDecision
    {
        let app = approver.grantID
        let locks = [.user(grant.userID, shared: true)] + (app.map { [SQLLock.grant($0)] } ?? [])
        return try await database.write(.locking(locks)) { db in
            // First, because it is the gate: of two answers only one decides, and a wrong number is an answer.
            let gate = try db.first(
                """
                UPDATE backchannel_authentication
                SET decided_at = ?1, grant_id = CASE WHEN number = ?6 THEN ?2 END
                WHERE digest = ?3 AND user_id = ?5 AND purpose = 'tokens' AND decided_at IS NULL AND expires_at > ?1
                    AND \(Self.isAlive(session: "?4", grant: "?7", of: "?5"))
                RETURNING client_id, grant_id
                """,
                [
                    now.rawValue, Data(grant.id.bytes), Data(id.bytes), approver.browserSession,
                    grant.userID.rawValue, number, approver.app,
                ])
            if let gate {
                try SQLPingNoticeStore.add(id, db, at: now)
                guard (gate["grant_id"] as Data?) != nil else { return .wrongNumber }
                try AwaitedGrants.insert(
                    grant, of: gate["client_id"], parent: grant.isOffline ? nil : app, db, at: now)
                return .made
            }
            return try Self.why(id, grant.userID, db, at: now)
        }
    }

    /// The condition that the sign-in of an approver is alive, of which one is `NULL`.
    private static func isAlive(session: String, grant: String, of user: String) -> String {
        """
        (EXISTS (SELECT 1 FROM session s WHERE s.id = \(session) AND s.user_id = \(user) AND s.expires_at > ?1)
            OR EXISTS (SELECT 1 FROM grant_ g
                WHERE g.id = \(grant) AND g.user_id = \(user) AND \(GrantColumns.isLive("?1"))))
        """
    }

    /// ``isAlive(session:grant:of:)`` of the approver of a row.
    private static let approverIsAlive = isAlive(
        session: "approved_by", grant: "approved_grant", of: "backchannel_authentication.user_id")

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

    func approve(_ id: SecretDigest, number: Int64, by approver: Approver, at now: UnixTime)
        async throws(StoreError) -> BackchannelDecision
    {
        try await database.write(.guarded) { db in
            let gate = try db.first(
                """
                UPDATE backchannel_authentication
                SET decided_at = ?1, approved_by = CASE WHEN number = ?5 THEN ?2 END,
                    approved_grant = CASE WHEN number = ?5 THEN ?7 END,
                    approved_auth_time = CASE WHEN number = ?5 THEN ?6 END
                WHERE digest = ?3 AND user_id = ?4 AND purpose = 'session' AND decided_at IS NULL AND expires_at > ?1
                    AND \(Self.isAlive(session: "?2", grant: "?7", of: "?4"))
                RETURNING approved_auth_time
                """,
                [
                    now.rawValue, approver.browserSession, Data(id.bytes), approver.userID.rawValue, number,
                    approver.authentication.time.rawValue, approver.app,
                ])
            guard let gate else { return try Self.why(id, approver.userID, db, at: now) }
            return gate.optionalTime("approved_auth_time") == nil ? .wrongNumber : .made
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
                    AND \(Self.approverIsAlive)
                RETURNING user_id, approved_auth_time, \(Self.epoch)
                """,
                [now.rawValue, Data(id.bytes)])
            return try won.map(Self.approved) ?? Self.state(id, db, at: now)
        }
    }

    /// What was approved and not collected is denied.
    static func withdrawApprovals(of user: UserID, _ db: SQLSession, at now: UnixTime) throws {
        try db.run(
            """
            UPDATE backchannel_authentication SET approved_by = NULL, approved_grant = NULL, approved_auth_time = NULL
            WHERE user_id = ? AND expires_at > ? AND purpose = 'session' AND decided_at IS NOT NULL
                AND collected_at IS NULL
            """, [user.rawValue, now.rawValue])
    }

    func isApproverAlive(_ id: SecretDigest, at now: UnixTime) async throws(StoreError) -> Bool {
        try await database.read { db in
            try db.first(
                """
                SELECT 1 AS one FROM backchannel_authentication
                WHERE digest = ?2 AND purpose = 'session' AND \(Self.approverIsAlive)
                """, [now.rawValue, Data(id.bytes)]) != nil
        }
    }

    private static func state(_ id: SecretDigest, _ db: SQLSession, at now: UnixTime) throws -> ApprovalAnswer {
        let row = try db.first(
            """
            SELECT user_id, decided_at, approved_auth_time, collected_at, expires_at, \(epoch),
                \(approverIsAlive) AS is_alive
            FROM backchannel_authentication WHERE digest = ?2 AND purpose = 'session'
            """, [now.rawValue, Data(id.bytes)])
        guard let row, row.optionalTime("collected_at") == nil else { return .unknown }
        guard now < row.time("expires_at") else { return .expired }
        guard row.optionalTime("decided_at") != nil else { return .pending }
        guard row["is_alive"] else { return .denied }
        return approved(row)
    }

    private static let epoch = """
        (SELECT u.epoch FROM "user" u WHERE u.id = backchannel_authentication.user_id) AS epoch
        """

    private static func approved(_ row: SQLRow) -> ApprovalAnswer {
        .approved(
            UserID(rawValue: row["user_id"]), epoch: row["epoch"], authenticatedAt: row.time("approved_auth_time"))
    }

    func deny(_ id: SecretDigest, of user: UserID, withOthers: Bool, at now: UnixTime) async throws(StoreError)
        -> BackchannelDecision
    {
        try await database.write(.guarded) { db in
            let denied = try db.all(
                """
                UPDATE backchannel_authentication SET decided_at = ?1
                WHERE user_id = ?3 AND decided_at IS NULL AND expires_at > ?1
                    AND (digest = ?2 OR ?4 = 1 AND EXISTS (SELECT 1 FROM backchannel_authentication named
                        WHERE named.digest = ?2 AND named.user_id = ?3
                            AND named.purpose = backchannel_authentication.purpose
                            AND (named.purpose = 'session' OR named.client_id = backchannel_authentication.client_id)))
                RETURNING digest
                """,
                [now.rawValue, Data(id.bytes), user.rawValue, withOthers]
            ).map { SecretDigest(storedBytes: $0.bytes("digest")) }
            for other in denied { try SQLPingNoticeStore.add(other, db, at: now) }
            return denied.contains(id) ? .made : .tooLate
        }
    }

    func poll(_ poll: DevicePoll, idleSeconds: Int64, at now: UnixTime) async throws(StoreError) -> DeviceAnswer {
        try await database.write(.guarded) { db in
            try AwaitedGrants.answer(poll, in: Self.table, idleSeconds: idleSeconds, db, at: now)
        }
    }
}

extension Approver {
    /// For statements: the session, if it is what counts.
    fileprivate var browserSession: String? { grantID == nil ? sessionID?.rawValue : nil }
    /// For statements: the app's grant.
    fileprivate var app: Data? { grantID.map { Data($0.bytes) } }
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
