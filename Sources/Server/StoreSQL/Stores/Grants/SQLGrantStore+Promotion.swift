internal import Foundation
internal import KeyturnBase
internal import Model

/// Anonymous users get an account, in the transaction that redeems the code of their sign-in.
extension SQLGrantStore {
    /// Keeps a promotion beside its code.
    static func add(_ promotion: AnonymousPromotion, to grant: GrantID, _ db: SQLSession) throws {
        var key: String?
        var session: Data?
        switch promotion.evidence {
        case .key(let id): key = id
        case .session(let id): session = Data(id.bytes)
        }
        try db.run(
            """
            INSERT INTO promotion (grant_id, user_id, key_id, session_grant, mark, mark_expires_at, choice)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            [
                Data(grant.bytes), promotion.userID.rawValue, key, session, Data(promotion.mark.digest),
                promotion.mark.expiresAt.rawValue, promotion.choice.rawValue,
            ])
    }

    /// The promotion beside a code; `nil`: none.
    static func promotion(of grant: GrantID, _ db: SQLSession) throws -> AnonymousPromotion? {
        guard
            let row = try db.first(
                "SELECT user_id, key_id, session_grant, mark, mark_expires_at, choice FROM promotion WHERE grant_id = ?",
                [Data(grant.bytes)])
        else { return nil }
        let session = (row["session_grant"] as Data?).flatMap { GrantID(bytes: Array($0)) }
        guard let choice = AnonymousPromotion.Choice(rawValue: row["choice"]),
            let evidence = (row["key_id"] as String?).map(AnonymousPromotion.Evidence.key)
                ?? session.map(AnonymousPromotion.Evidence.session)
        else { throw SQLProblem.damagedRow }
        return AnonymousPromotion(
            userID: UserID(rawValue: row["user_id"]), evidence: evidence,
            mark: ReplayMark(digest: row.bytes("mark"), expiresAt: row.time("mark_expires_at")), choice: choice)
    }

    /// Promotes, or ends the grant.
    static func promote(
        _ promotion: AnonymousPromotion, by grant: Grant, _ db: SQLSession, at now: UnixTime
    ) throws -> Redemption {
        try db.hold([.user(promotion.userID, shared: false), .user(grant.userID, shared: false)])
        guard try isDone(promotion, by: grant, db, at: now) else {
            try end("id = ?", [Data(grant.id.bytes)], .revoked, db, at: now)
            return .promotionRefused
        }
        let row = try db.first(
            "SELECT \(GrantColumns.withReauthentication) FROM grant_ WHERE id = ?", [Data(grant.id.bytes)])
        guard let kept = try row?.grantWithReauthentication() else { throw SQLProblem.noRow }
        return .promoted(kept, promotion)
    }

    private static func isDone(
        _ promotion: AnonymousPromotion, by grant: Grant, _ db: SQLSession, at now: UnixTime
    ) throws -> Bool {
        // First, because it is the single-use gate.
        guard try SQLReplayStore.spend(promotion.mark, db),
            let anonymous = try SQLUserStore.find(promotion.userID, db), anonymous.user.isAnonymous,
            anonymous.user.status == .active, try holds(promotion, client: grant.clientID, db, at: now),
            let account = try SQLUserStore.find(grant.userID, db), account.user.status == .active
        else { return false }
        try shed(
            anonymous.user.id, usedBy: account.user.id == anonymous.user.id ? grant : nil, except: grant.id, db, at: now
        )
        // Without what its identities gave.
        guard let anonymous = try SQLUserStore.find(promotion.userID, db) else { return false }
        if account.user.id == anonymous.user.id {
            try SQLAnonymousStore.endAnonymity(of: anonymous.user.id, db)
            return true
        }
        switch promotion.choice {
        case .adopt: return try adopt(account, into: anonymous, code: grant.id, db, at: now)
        case .bring: try bring(anonymous, into: account, db, at: now)
        case .leave: try remove(anonymous.user.id, db, at: now)
        }
        return true
    }

    /// Removes what an earlier user of the device may still hold: sessions, with what they handed out, and ways to sign in that
    /// were set up before an address was verified. A session may be bound to a key of that user's own.
    ///
    /// - Parameter grant: of the user's sign-in by one of these ways, which is kept; `nil`: by none.
    private static func shed(
        _ user: UserID, usedBy grant: Grant?, except code: GrantID, _ db: SQLSession, at now: UnixTime
    ) throws {
        try end("user_id = ? AND id <> ?", [user.rawValue, Data(code.bytes)], .revoked, db, at: now)
        let used = try grant.map { try UsedMethods(of: $0, db) }
        try SQLAnonymousStore.forgetMethods(of: user, besides: used, db, at: now)
        try db.run(
            "DELETE FROM session WHERE user_id = ? AND id IS DISTINCT FROM ?",
            [user.rawValue, grant?.sessionID?.rawValue])
    }

    /// Whether the application still has what it showed.
    private static func holds(
        _ promotion: AnonymousPromotion, client: String, _ db: SQLSession, at now: UnixTime
    ) throws -> Bool {
        switch promotion.evidence {
        case .key(let id):
            try db.first(
                "SELECT 1 FROM anonymous_key WHERE id = ? AND user_id = ? AND client_id = ?",
                [id, promotion.userID.rawValue, client]) != nil
        case .session(let id):
            try db.first(
                """
                SELECT 1 FROM grant_ WHERE id = ?1 AND user_id = ?2 AND client_id = ?3 AND redeemed_at IS NOT NULL
                    AND ended_at IS NULL AND idle_expires_at > ?4 AND absolute_expires_at > ?4
                """,
                [Data(id.bytes), promotion.userID.rawValue, client, now.rawValue]) != nil
        }
    }

    /// Columns that tell a user's rows of a table apart; none: a row has a name of its own.
    private static let movedTables: [(name: String, distinct: [String])] = [
        ("password", []), ("password_state", []), ("password_history", []), ("authenticator", []),
        ("recovery_code", ["digest"]), ("passkey", []), ("session", []), ("grant_", []),
        ("consent", ["client_id", "scope"]), ("consent_claim", ["client_id", "claim"]),
        ("consent_resource", ["client_id", "resource"]),
        ("federated_identity", []), ("federated_session", []), ("former_origin", []),
        ("unlinked_identity", ["connection_id", "issuer", "subject"]),
        ("access_key", []), ("data_key", []), ("biometric_key", []),
    ]

    /// Everything of an account that was made in this sign-in becomes the anonymous user's, who keeps their identifier.
    ///
    /// - Returns: `false` if the account was told to a client before, or others had a hand in it: its identifier is known.
    private static func adopt(
        _ account: Account, into anonymous: Account, code: GrantID, _ db: SQLSession, at now: UnixTime
    ) throws -> Bool {
        let (old, new) = (account.user.id.rawValue, anonymous.user.id.rawValue)
        let isKnown = try db.first(
            """
            SELECT 1 FROM grant_ WHERE user_id = ?1 AND id <> ?2 AND redeemed_at IS NOT NULL
            UNION ALL SELECT 1 FROM scim_resource WHERE user_id = ?1
            UNION ALL SELECT 1 FROM console_operator WHERE user_id = ?1
            UNION ALL SELECT 1 FROM "user" WHERE id = ?1 AND others_at IS NOT NULL
            """, [old, Data(code.bytes)])
        guard isKnown == nil else { return false }
        for table in movedTables {
            let distinct = table.distinct.map { " AND own.\($0) = \(table.name).\($0)" }.joined()
            let guarding =
                table.distinct.isEmpty
                ? "" : " AND NOT EXISTS (SELECT 1 FROM \(table.name) own WHERE own.user_id = ?1\(distinct))"
            try db.run("UPDATE \(table.name) SET user_id = ?1 WHERE user_id = ?2\(guarding)", [new, old])
        }
        var kept = anonymous
        // What the user has just said of themselves counts; what the operator keeps stays.
        kept.user.claims.merge(account.user.claims) { _, new in new }
        kept.user.attributes.merge(account.user.attributes) { own, _ in own }
        kept.user.acceptances.merge(account.user.acceptances) { $0.at < $1.at ? $1 : $0 }
        kept.identifiers.merge(account.identifiers) { own, other in own == .verified ? own : other }
        kept.memberships = kept.memberships.union(account.memberships)
        try BroughtMemberships.move(from: account.user.id, to: kept.user.id, db, at: nil)
        try db.run("DELETE FROM \"user\" WHERE id = ?", [old])
        // Its key and its anonymity end first: what the account has was set up in this sign-in.
        try SQLAnonymousStore.endAnonymity(of: kept.user.id, db)
        try SQLUserStore.replace(kept, db, at: now)
        if account.user.othersAt != nil {
            let areOperators = account.user.operatorsAt != nil
            try SQLUserStore.noteOthers(kept.user.id, areOperators: areOperators, db, at: now)
        }
        if let endedAt = account.user.endedAt { try Revocation.noteEnd(of: kept.user.id, db, at: endedAt) }
        return true
    }

    /// An account gets what an anonymous user had, who is removed.
    private static func bring(_ anonymous: Account, into account: Account, _ db: SQLSession, at now: UnixTime) throws {
        let (old, new) = (anonymous.user.id.rawValue, account.user.id.rawValue)
        try db.run("UPDATE data_key SET user_id = ?1 WHERE user_id = ?2", [new, old])
        var kept = account
        kept.user.claims.merge(anonymous.user.claims) { own, _ in own }
        kept.user.attributes.merge(anonymous.user.attributes) { own, _ in own }
        kept.memberships = kept.memberships.union(anonymous.memberships)
        try remove(anonymous.user.id, db, at: now)
        try SQLUserStore.replace(kept, db, at: now)
    }

    private static func remove(_ id: UserID, _ db: SQLSession, at now: UnixTime) throws {
        try SQLLogoutNoticeStore.add("user_id = ?", [id.rawValue], db, at: now)
        try db.run("DELETE FROM \"user\" WHERE id = ?", [id.rawValue])
    }
}
