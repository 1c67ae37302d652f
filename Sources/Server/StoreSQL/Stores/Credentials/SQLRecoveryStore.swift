internal import Authority
internal import Foundation
internal import KeyturnBase
internal import Model

/// Removals of lost second factors. A row that begins in the future was written by a wrong clock, and is ignored.
struct SQLRecoveryStore: RecoveryStore {
    let database: any SQLDatabase

    /// The columns of a recovery.
    private static let columns = "user_id, begun_at, ready_at, expires_at, cancelled_at"

    func begin(
        _ recovery: Recovery, epoch: Int64, cancelledBy digest: SecretDigest, charge: RateLimitCharge,
        notices: [WaitingMessage], event: AuditEvent, at now: UnixTime
    ) async throws(StoreError) -> RecoveryBeginning {
        try await database.write(.changing(recovery.userID)) { db in
            let user = recovery.userID
            guard try Revocation.isCurrent(epoch, of: user, db), try SQLPasskeyStore.hasStrongFactor(user, db) else {
                return .overtaken
            }
            let present = try db.first(
                "SELECT \(Self.columns) FROM recovery WHERE user_id = ?1 AND expires_at > ?2 AND begun_at <= ?3",
                [user.rawValue, now.rawValue, (now + Limits.clockSkewSeconds).rawValue])
            if let present {
                let isCancelled = present.optionalTime("cancelled_at") != nil
                return isCancelled ? .paused(until: present.time("expires_at")) : .underWay(present.recovery)
            }
            if let until = try SQLRateLimitStore.spend([charge], db, at: now) { return .tooMany(until: until) }
            try db.run(
                """
                INSERT INTO recovery (user_id, begun_at, ready_at, expires_at, epoch, cancel_digest)
                VALUES (?, ?, ?, ?, ?, ?)
                ON CONFLICT (user_id) DO UPDATE SET begun_at = excluded.begun_at, ready_at = excluded.ready_at,
                    expires_at = excluded.expires_at, epoch = excluded.epoch, cancel_digest = excluded.cancel_digest,
                    cancelled_at = NULL
                """,
                [
                    user.rawValue, recovery.begunAt.rawValue, recovery.readyAt.rawValue, recovery.expiresAt.rawValue,
                    epoch, Data(digest.bytes),
                ])
            for notice in notices { try SQLMessageStore.add(notice, db) }
            try SQLAuditStore.append([event], db)
            return .begun(recovery)
        }
    }

    func recovery(of user: UserID, at now: UnixTime) async throws(StoreError) -> Recovery? {
        try await database.read { db in
            try db.first(
                """
                SELECT \(Self.columns) FROM recovery
                WHERE user_id = ?1 AND cancelled_at IS NULL AND expires_at > ?2 AND begun_at <= ?3
                """,
                [user.rawValue, now.rawValue, (now + Limits.clockSkewSeconds).rawValue]
            )?.recovery
        }
    }

    func describe(_ digest: SecretDigest, at now: UnixTime) async throws(StoreError) -> RecoveryLink? {
        try await database.read { db in
            let row = try db.first(
                "SELECT \(Self.columns) FROM recovery WHERE cancel_digest = ? AND expires_at > ?",
                [Data(digest.bytes), now.rawValue])
            guard let row else { return nil }
            return row.optionalTime("cancelled_at") == nil ? .live(row.recovery) : .cancelled
        }
    }

    func cancel(_ digest: SecretDigest, from address: String?, at now: UnixTime) async throws(StoreError) -> Bool {
        try await database.write(.guarded) { db in
            let row = try db.first(
                """
                UPDATE recovery SET cancelled_at = ?2, begun_at = \(SQL.lesser("begun_at", "?2")), expires_at = ?3
                WHERE cancel_digest = ?1 AND cancelled_at IS NULL AND expires_at > ?2 RETURNING user_id
                """,
                [Data(digest.bytes), now.rawValue, (now + Limits.recoveryPauseSeconds).rawValue])
            guard let row else { return false }
            let user = UserID(rawValue: row["user_id"])
            try Self.record(.link, of: user, from: address, db, at: now)
            return true
        }
    }

    func finish(
        by allowed: consuming Allowed<Acts.RemoveAuthenticator>, epoch: Int64, notices: [WaitingMessage],
        event: AuditEvent, at now: UnixTime
    ) async throws(StoreError) -> Bool {
        let grounds = allowed.grounds
        let user = grounds.user
        return try await database.write(.changing(user)) { db in
            _ = try SQLUserStore.permitted(grounds, db)
            guard try Revocation.isCurrent(epoch, of: user, db) else { return false }
            // The DELETE is the single-use gate: the call that gets the row finishes.
            let changed = try db.run(
                """
                DELETE FROM recovery WHERE user_id = ?1 AND epoch = ?2 AND cancelled_at IS NULL
                    AND ready_at <= ?3 AND expires_at > ?3
                """,
                [user.rawValue, epoch, now.rawValue])
            guard changed == 1 else { return false }
            for table in ["passkey", "authenticator", "recovery_code"] {
                try db.run("DELETE FROM \(table) WHERE user_id = ?", [user.rawValue])
            }
            try Revocation.end(RevocationScope(.credentialChanged, at: now), of: user, db)
            for notice in notices { try SQLMessageStore.add(notice, db) }
            try SQLAuditStore.append([event], db)
            return true
        }
    }

    func addresses(of user: UserID, provedAfter since: UnixTime) async throws(StoreError) -> Set<Identifier> {
        try await database.read { db in
            let rows = try db.all(
                "SELECT kind, value FROM new_address WHERE user_id = ? AND proved_at > ? AND kind <> 'username'",
                [user.rawValue, since.rawValue])
            return Set(rows.compactMap(\.identifier))
        }
    }
}

extension SQLRecoveryStore {
    /// Ends the recovery of a user, if one is under way, as a part of another transaction.
    static func end(_ user: UserID, _ reason: RecoveryEnd, _ db: SQLSession, at now: UnixTime) throws {
        let row = try db.first(
            "DELETE FROM recovery WHERE user_id = ? AND cancelled_at IS NULL RETURNING expires_at", [user.rawValue])
        guard let row, row.time("expires_at") > now else { return }
        try record(reason, of: user, from: nil, db, at: now)
    }

    private static func record(
        _ reason: RecoveryEnd, of user: UserID, from address: String?, _ db: SQLSession, at now: UnixTime
    ) throws {
        try SQLAuditStore.append(
            [AuditEvent(.recoveryCancelled, at: now, userID: user, address: address, reason: reason.word)], db)
    }
}

extension SQLRow {
    /// A row of the table `recovery`.
    fileprivate var recovery: Recovery {
        Recovery(
            userID: UserID(rawValue: self["user_id"]), begunAt: time("begun_at"), readyAt: time("ready_at"),
            expiresAt: time("expires_at"))
    }
}
