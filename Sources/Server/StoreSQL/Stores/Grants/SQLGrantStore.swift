internal import Foundation
internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// Grants with their codes and refresh counters, one row each.
struct SQLGrantStore: GrantStore {
    let database: any SQLDatabase

    static let byID = "SELECT \(GrantColumns.withState) FROM grant_ WHERE id = ?"
    private static let byCode = "SELECT \(GrantColumns.withState) FROM grant_ WHERE code_digest = ?"

    /// The single-use gate: it contains every condition. Of two simultaneous redemptions one finds the row redeemed.
    private static let redemption = """
        UPDATE grant_ SET redeemed_at = ?1, idle_expires_at = \(SQL.lesser("?1 + ?2", "absolute_expires_at")), key = ?8,
            bearer = ?9
        WHERE code_digest = ?3 AND client_id = ?4 AND (redirect_uri IS NOT DISTINCT FROM ?5 OR ?10 = 1)
            AND code_challenge IS NOT DISTINCT FROM ?6 AND (code_key IS NULL OR code_key = ?7)
            AND redeemed_at IS NULL AND ended_at IS NULL AND code_expires_at > ?1
        RETURNING \(GrantColumns.withReauthentication), reauthenticates, reauthenticates_since,
            EXISTS (SELECT 1 FROM promotion p WHERE p.grant_id = grant_.id) AS promotes
        """

    private static let isCurrent = "counter = ?4 AND supersedes IS NULL"
    private static let renewal = SQLText { renewal($0, where: isCurrent) }
    private static let gatheredRenewal = GatheredUpdate(
        of: "grant_", key: 3, types: ["bigint", "bigint", "bytea", "bigint", "text", "text", "bigint", "text", "text"]
    ) { from, place in
        renewal(Dialect.postgreSQL.fragments, from: from, where: isCurrent, returning: ", \(place)")
    }
    /// The first renewal of a session that continues another one, which ends then.
    private static let firstRenewal = SQLText { renewal($0, where: "counter = ?4 AND supersedes IS NOT NULL") }
    /// A renewal with a token that is newer than the row.
    private static let recovery = SQLText { renewal($0, where: "counter < ?4") }

    /// A refresh with the current token: it rotates, unless it is bound to a key or `?7` is 0.
    private static func renewal(
        _ sql: any SQLFragments, from: String = "", where condition: String, returning more: String = ""
    ) -> String {
        """
        UPDATE grant_ SET counter = CASE WHEN key IS NULL AND ?7 = 1 THEN ?4 + 1 ELSE ?4 END,
            rotated_at = CASE WHEN key IS NULL AND ?7 = 1 THEN ?1 ELSE rotated_at END,
            rotations = CASE WHEN key IS NULL AND ?7 = 1 THEN \(RotationColumn.afterRotation(sql)) ELSE rotations END,
            refresh_network = coalesce(?8, refresh_network), refresh_client = coalesce(?9, refresh_client),
            idle_expires_at = \(SQL.lesser("?1 + ?2", "absolute_expires_at"))
        \(from)
        WHERE id = ?3 AND client_id = ?5 AND (key IS NULL OR key = ?6) AND redeemed_at IS NOT NULL
            AND ended_at IS NULL AND idle_expires_at > ?1 AND absolute_expires_at > ?1 AND \(condition)
        RETURNING \(GrantColumns.withReauthentication)\(more)
        """
    }

    func add(_ grant: Grant, code: CodeConditions, ticket: TransactionTicket?) async throws(StoreError) -> GrantAddition
    {
        try await database.write(.using(grant.userID)) { db in
            // First, because it is the single-use gate; the request counts as answered even if its session is over.
            if let ticket, try !SQLPushedRequestStore.use(ticket, of: grant.clientID, db) { return .ticketUsed }
            let inserted = try db.run(
                """
                INSERT INTO grant_ (
                    id, client_id, user_id, session_id, scope, is_offline, resources, auth_time, amr, acr, nonce, claims,
                    created_at, code_digest, redirect_uri, code_challenge, code_key, code_expires_at, counter,
                    idle_expires_at, absolute_expires_at, details, reauthenticates, vouched_by, tenant,
                    reauthenticates_since
                ) SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23,
                    ?24, ?25, ?26
                WHERE ?4 IS NULL OR EXISTS (
                    SELECT 1 FROM session WHERE id = ?4 AND user_id = ?3 AND grant_id IS NULL)
                """,
                [
                    Data(grant.id.bytes), grant.clientID, grant.userID.rawValue, grant.sessionID?.rawValue,
                    grant.scope.text, grant.isOffline, grant.resources.joined(separator: " "),
                    grant.authentication.time.rawValue, grant.authentication.methods.joined(separator: " "),
                    grant.authentication.contextClass, grant.nonce, grant.claimsRequest, grant.createdAt.rawValue,
                    Data(code.digest.bytes), code.redirectURI, code.codeChallenge, code.keyThumbprint,
                    code.expiresAt.rawValue, grant.counter, grant.idleExpiresAt.rawValue,
                    grant.absoluteExpiresAt.rawValue, grant.authorizationDetails?.text, code.reauthenticates?.rawValue,
                    grant.authentication.tenantID, grant.tenantID, code.reauthenticatesSince?.rawValue,
                ])
            guard inserted == 1 else { return .sessionEnded }
            if let promotion = code.promotion { try Self.add(promotion, to: grant.id, db) }
            return .added
        }
    }

    func grant(ofCode digest: SecretDigest) async throws(StoreError) -> Grant? {
        try await database.read { db in
            try db.first(Self.byCode, [Data(digest.bytes)])?.grant()
        }
    }

    func redeem(_ attempt: CodeAttempt, idleSeconds: Int64, at now: UnixTime) async throws(StoreError) -> Redemption {
        let began = ContinuousClock.now
        return try await database.write(.guarded) { db in
            let digest = Data(attempt.digest.bytes)
            let won = try db.first(
                Self.redemption,
                [
                    now.rawValue, idleSeconds, digest, attempt.clientID, attempt.redirectURI, attempt.codeChallenge,
                    attempt.keyThumbprint, attempt.bindsGrant ? attempt.keyThumbprint : nil, attempt.wantsBearer,
                    attempt.omitsRedirectURI,
                ])
            if let won {
                var grant = try won.grantWithReauthentication()
                if let hint = (won["reauthenticates"] as String?).map(SessionID.init(rawValue:)),
                    try Self.reauthenticate(
                        hint, since: UnixTime(rawValue: won["reauthenticates_since"] ?? 0), by: grant,
                        key: attempt.keyThumbprint, db, at: now)
                {
                    grant.sessionID = hint
                }
                guard won["promotes"], let promotion = try Self.promotion(of: grant.id, db) else {
                    return .granted(grant)
                }
                return try Self.promote(promotion, by: grant, db, at: now)
            }
            return try Self.classify(attempt, digest, db, at: now, began: began)
        }
    }

    /// Why the gate refused the code. A replay ends the grant.
    private static func classify(
        _ attempt: CodeAttempt, _ digest: Data, _ db: SQLSession, at now: UnixTime, began: ContinuousClock.Instant
    ) throws -> Redemption {
        let found = try db.first(byCode, [digest])?.code(attempt.digest)
        let verdict = attempt.judge(found, at: now, waited: .now - began)
        if case .replayed(let grant) = verdict { try end("id = ?", [Data(grant.bytes)], .codeReplay, db, at: now) }
        return verdict
    }

    func renew(
        _ id: GrantID, counter: Int64, clientID: String, keyThumbprint: String?, rotates: Bool, by party: RefreshParty,
        shadowed: ShadowedSessions, idleSeconds: Int64, at now: UnixTime
    ) async throws(StoreError) -> Renewal {
        let key = Data(id.bytes)
        let values: Values = [
            now.rawValue, idleSeconds, key, counter, clientID, keyThumbprint, rotates, party.network, party.client,
        ]
        let call = GatheredCall(update: Self.gatheredRenewal, values: values) { try $0.grantWithReauthentication() }
        if let won = try await database.gathered(call) { return .renewed(won) }
        return try await database.once(.local) { db in
            try db.first(Self.renewal, values).map { .renewed(try $0.grantWithReauthentication()) }
        } otherwise: { db in
            guard let row = try db.first(Self.byID, [key]) else { return .unknown }
            var found = row
            if row["supersedes"] as Data? != nil {
                if let won = try db.first(Self.firstRenewal, values)?.grantWithReauthentication() {
                    try Self.endSuperseded(by: won, db, at: now)
                    return .renewed(won)
                }
                found = try db.first(Self.byID, [key]) ?? row
            }
            let presented = RefreshRules.Presented(
                counter: counter, clientID: clientID, keyThumbprint: keyThumbprint, party: party)
            if case .ahead = RefreshRules.judge(presented, try found.refresh(), at: now) {
                if let won = try db.first(Self.recovery, values)?.grantWithReauthentication() {
                    if row["supersedes"] as Data? != nil { try Self.endSuperseded(by: won, db, at: now) }
                    return .ahead(won)
                }
                // Another request raised it, and this one is a repetition.
                found = try db.first(Self.byID, [key]) ?? row
            }
            return try Self.judge(presented, found.refresh(), shadowed, db, at: now)
        }
    }

    /// Decides whether it is an honest retry or a stolen token.
    private static func judge(
        _ presented: RefreshRules.Presented, _ found: RefreshRules.Found, _ shadowed: ShadowedSessions,
        _ db: SQLSession, at now: UnixTime
    ) throws -> Renewal {
        let grant = found.grant
        let key = Data(grant.id.bytes)
        switch RefreshRules.judge(presented, found, at: now) {
        case .answer(.repeated(_, let repetition)):
            return try judgeShadow(presented, found, repetition, shadowed, db, at: now)
        case .answer(let renewal):
            return renewal
        case .forgiveLate(let isElsewhere):
            try forgiveLate(key, counter: grant.counter, isElsewhere: isElsewhere, db, at: now)
            return try judgeShadow(
                presented, found, isElsewhere ? .lateElsewhere : .late, shadowed, db, at: now)
        case .ahead:
            throw StoreError(.unavailable)
        case .replay:
            try end("id = ?", [key], .refreshReplay, db, at: now)
            return .replayed(grant)
        }
    }

    /// Records a late repetition.
    private static func forgiveLate(
        _ key: Data, counter: Int64, isElsewhere: Bool, _ db: SQLSession, at now: UnixTime
    ) throws {
        try db.run(
            """
            UPDATE grant_ SET late_retry_at = ?1, late_counter = counter, late_repetitions = late_repetitions + 1,
                late_elsewhere = late_elsewhere + ?4,
                late_elsewhere_at = CASE WHEN ?4 = 1 THEN ?1 ELSE late_elsewhere_at END
            WHERE id = ?2 AND counter = ?3 AND ended_at IS NULL
            """,
            [now.rawValue, key, counter, isElsewhere])
    }

    func live(_ id: GrantID, forTokenOf issuedAt: UnixTime?, at now: UnixTime) async throws(StoreError) -> LiveGrant? {
        try await database.read { db in
            let values: Values = [Data(id.bytes), now.rawValue, issuedAt?.rawValue]
            guard let row = try db.first(Self.liveSQL, values) else { return nil }
            let grant = try row.grant()
            let next = GrantColumns.count
            guard let claims = try? JSONValue(parsing: (row[next] as String).utf8, limits: .stored).objectValue else {
                throw SQLProblem.damagedRow
            }
            let user = User(
                id: grant.userID, claims: claims, createdAt: UnixTime(rawValue: row[next + 1]),
                updatedAt: UnixTime(rawValue: row[next + 2]))
            return LiveGrant(grant: grant, user: user)
        }
    }

    private static let liveSQL = """
        SELECT \(GrantColumns.list(of: "g")), u.claims, u.created_at, u.updated_at
        FROM grant_ g JOIN "user" u ON u.id = g.user_id
        WHERE g.id = ?1 AND g.redeemed_at IS NOT NULL AND g.ended_at IS NULL AND g.idle_expires_at > ?2
            AND g.absolute_expires_at > ?2 AND u.status = 'active' AND \(counts)
        """

    /// Whether a token that was issued at `?3` came after each sign-out that the grant outlived.
    private static let counts = "(?3 IS NULL OR g.tokens_after IS NULL OR g.tokens_after < ?3)"

    func isLive(_ id: GrantID, forTokenOf issuedAt: UnixTime?, at now: UnixTime) async throws(StoreError) -> Bool {
        try await database.read { db in
            try db.first(
                """
                SELECT 1 FROM grant_ g JOIN "user" u ON u.id = g.user_id
                WHERE g.id = ?1 AND g.redeemed_at IS NOT NULL AND g.ended_at IS NULL AND g.idle_expires_at > ?2
                    AND g.absolute_expires_at > ?2 AND u.status = 'active' AND \(Self.counts)
                """,
                [Data(id.bytes), now.rawValue, issuedAt?.rawValue]) != nil
        }
    }

    func end(_ id: GrantID, clientID: String, reason: Grant.EndReason, at now: UnixTime)
        async throws(StoreError) -> Bool
    {
        try await database.write(.guarded) { db in
            try Self.end("id = ? AND client_id = ?", [Data(id.bytes), clientID], reason, db, at: now) > 0
        }
    }

    func end(_ id: GrantID, of user: UserID, reason: Grant.EndReason, at now: UnixTime)
        async throws(StoreError) -> Bool
    {
        try await database.write(.guarded) { db in
            try Self.end("id = ? AND user_id = ?", [Data(id.bytes), user.rawValue], reason, db, at: now) > 0
        }
    }

    /// Ends the live grants of a condition, with those that derive from them, and tells their clients.
    ///
    /// - Returns: how many.
    @discardableResult
    static func end(
        _ condition: String, _ arguments: Values, _ reason: Grant.EndReason, _ db: SQLSession,
        at now: UnixTime
    ) throws -> Int {
        try SQLLogoutNoticeStore.add(condition, arguments, db, at: now)
        let ended = try db.run(
            "UPDATE grant_ SET ended_at = ?, end_reason = ? WHERE ended_at IS NULL AND \(condition)",
            [now.rawValue, reason.rawValue] + arguments)
        if ended > 0 { try endDerived(condition, arguments, reason, db, at: now) }
        return ended
    }
}
