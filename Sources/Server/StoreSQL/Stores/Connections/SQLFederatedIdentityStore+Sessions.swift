internal import Authority
internal import Foundation
internal import KeyturnBase
internal import Model

/// Unlinking, and the sessions that began at a provider.
extension SQLFederatedIdentityStore {
    func unlink(
        _ key: FederatedIdentity.Key, by allowed: consuming Allowed<Acts.UnlinkIdentity>, leaving ways: SignInWays,
        at now: UnixTime
    ) async throws(StoreError) -> IdentityUnlinking {
        let grounds = allowed.grounds
        let user = grounds.user
        return try await database.write(.changing(user)) { db in
            guard let account = try SQLUserStore.find(user, db) else { return .missing }
            guard grounds.hold(for: account.standing) else { throw StoreError(.forbidden) }
            let before = try Self.find(key, db)
            let removed = try LastWay.keep(ways, of: user, db) {
                try db.run(
                    """
                    DELETE FROM federated_identity
                    WHERE connection_id = ? AND issuer = ? AND subject = ? AND user_id = ?
                    """, [key.connectionID, key.issuer, key.subject, user.rawValue])
            }
            guard removed == 1 else {
                return before?.userID == user ? .lastWay : .missing
            }
            if let before {
                try RoleSources.withdraw(before, db)
                try BroughtMemberships.end(with: before, db, at: now)
            }
            try db.run(
                """
                INSERT INTO unlinked_identity (connection_id, issuer, subject, user_id, unlinked_at, by_owner)
                VALUES (?, ?, ?, ?, ?, ?)
                ON CONFLICT (user_id, connection_id, issuer, subject) DO UPDATE SET
                    unlinked_at = excluded.unlinked_at, by_owner = excluded.by_owner,
                    by_connection = 0
                """,
                [
                    key.connectionID, key.issuer, key.subject, user.rawValue, now.rawValue, before?.isByOwner ?? false,
                ])
            return .unlinked
        }
    }

    func note(
        session: SessionID, of key: FederatedIdentity.Key, providerSession: String?, providerName: String?,
        expiresAt: UnixTime
    ) async throws(StoreError) {
        try await database.write(.guarded) { db in
            try Self.keepOrigin(of: session, besides: key, providerSession, db)
            try db.run(
                """
                INSERT INTO federated_session (
                    session_id, user_id, connection_id, issuer, subject, provider_session, provider_name,
                    expires_at)
                SELECT s.id, s.user_id, ?, ?, ?, ?, ?, ? FROM session s WHERE s.id = ?
                ON CONFLICT (session_id) DO UPDATE SET
                    user_id = excluded.user_id, connection_id = excluded.connection_id, issuer = excluded.issuer,
                    subject = excluded.subject, provider_session = excluded.provider_session,
                    provider_name = excluded.provider_name, expires_at = excluded.expires_at
                """,
                [
                    key.connectionID, key.issuer, key.subject, providerSession, providerName, expiresAt.rawValue,
                    session.rawValue,
                ])
        }
    }

    /// Keeps what is recorded of a session before another sign-in at a provider is.
    private static func keepOrigin(
        of session: SessionID, besides key: FederatedIdentity.Key, _ providerSession: String?, _ db: SQLSession
    ) throws {
        try db.run(
            """
            INSERT INTO former_origin (
                session_id, user_id, connection_id, issuer, subject, provider_session, provider_name, expires_at)
            SELECT session_id, user_id, connection_id, issuer, subject, coalesce(provider_session, ''),
                provider_name, expires_at
            FROM federated_session
            WHERE session_id = ? AND NOT (
                connection_id = ? AND issuer = ? AND subject = ? AND provider_session IS NOT DISTINCT FROM ?)
            ON CONFLICT (session_id, connection_id, issuer, subject, provider_session) DO UPDATE SET
                user_id = excluded.user_id, provider_name = excluded.provider_name, expires_at = excluded.expires_at
            """, [session.rawValue, key.connectionID, key.issuer, key.subject, providerSession])
    }

    func sessions(
        inProviderSession session: String, at connection: String, issuer: String, at now: UnixTime
    ) async throws(StoreError) -> [FederatedSession] {
        try await database.read { db in
            try db.all(
                """
                SELECT DISTINCT session_id, user_id FROM \(Self.everyOrigin)
                WHERE connection_id = ? AND issuer = ? AND provider_session = ? AND expires_at > ?
                ORDER BY session_id LIMIT 1000
                """, [connection, issuer, session, now.rawValue]
            ).map {
                FederatedSession(id: SessionID(rawValue: $0["session_id"]), userID: UserID(rawValue: $0["user_id"]))
            }
        }
    }

    func sessions(of key: FederatedIdentity.Key, providerSession: String?, at now: UnixTime)
        async throws(StoreError) -> [FederatedSession]
    {
        try await database.read { db in
            try db.all(
                """
                SELECT DISTINCT session_id, user_id FROM \(Self.everyOrigin)
                WHERE connection_id = ?1 AND issuer = ?2 AND subject = ?3 AND expires_at > ?4
                    AND (?5 IS NULL OR provider_session = ?5)
                ORDER BY session_id LIMIT 1000
                """, [key.connectionID, key.issuer, key.subject, now.rawValue, providerSession]
            ).map {
                FederatedSession(id: SessionID(rawValue: $0["session_id"]), userID: UserID(rawValue: $0["user_id"]))
            }
        }
    }

    func origin(of session: SessionID, at now: UnixTime) async throws(StoreError) -> FederatedOrigin? {
        try await database.read { db in
            try db.first(
                """
                SELECT \(Self.ofOrigin)
                FROM federated_session f JOIN session s ON s.id = f.session_id AND s.user_id = f.user_id
                WHERE f.session_id = ? AND f.expires_at > ?
                """, [session.rawValue, now.rawValue]
            ).map(FederatedOrigin.init)
        }
    }

    func origins(
        named name: String, at connection: String, issuer: String, at now: UnixTime
    ) async throws(StoreError) -> [FederatedOrigin] {
        try await database.read { db in
            try db.all(
                """
                SELECT \(Self.ofOrigin) FROM \(Self.everyOrigin)
                WHERE f.connection_id = ? AND f.issuer = ? AND f.provider_name = ? AND f.expires_at > ?
                    AND \(Self.isLeft)
                ORDER BY f.session_id LIMIT 1000
                """, [connection, issuer, name, now.rawValue]
            ).map(FederatedOrigin.init)
        }
    }

    private static let ofOrigin = """
        f.session_id, f.user_id, f.connection_id, f.issuer, f.subject, f.provider_session, f.provider_name
        """

    /// The last sign-in at a provider to each session, and those before it.
    private static let everyOrigin = """
        (SELECT session_id, user_id, connection_id, issuer, subject, provider_session, provider_name, expires_at
            FROM federated_session
        UNION ALL
        SELECT session_id, user_id, connection_id, issuer, subject, provider_session, provider_name, expires_at
            FROM former_origin) AS f
        """

    /// The session is open, or an app goes on that it let in: the rows of the others stay until their time, and would
    /// fill the limit.
    private static let isLeft = """
        (EXISTS (SELECT 1 FROM session s WHERE s.id = f.session_id AND s.user_id = f.user_id)
            OR EXISTS (
                SELECT 1 FROM grant_ g
                WHERE g.session_id = f.session_id AND g.user_id = f.user_id AND g.ended_at IS NULL))
        """
}

extension FederatedOrigin {
    init(_ row: SQLRow) {
        let told: String? = row["provider_session"]
        let session = told?.isEmpty == true ? nil : told
        self.init(
            session: FederatedSession(
                id: SessionID(rawValue: row["session_id"]), userID: UserID(rawValue: row["user_id"])),
            key: FederatedIdentity.Key(
                connectionID: row["connection_id"], issuer: row["issuer"], subject: row["subject"]),
            providerSession: session, providerName: row["provider_name"])
    }
}
