internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// The scopes and claims that users consented to, one row each.
struct SQLConsentStore: ConsentStore {
    let database: any SQLDatabase

    func consent(of user: UserID, to clientID: String) async throws(StoreError) -> Consent {
        try await database.read { db in
            let rows = try db.all(
                """
                SELECT scope AS name, 0 AS is_claim FROM consent WHERE user_id = ?1 AND client_id = ?2
                UNION ALL SELECT claim, 1 FROM consent_claim WHERE user_id = ?1 AND client_id = ?2
                """,
                [user.rawValue, clientID])
            let names = { (isClaim: Bool) in rows.filter { $0["is_claim"] == isClaim }.map { $0["name"] as String } }
            return Consent(scope: Scope(names: names(false)), claims: Set(names(true)))
        }
    }

    func clients(of user: UserID) async throws(StoreError) -> [String] {
        try await database.read { db in
            try db.all(
                """
                SELECT client_id FROM consent WHERE user_id = ?1
                UNION SELECT client_id FROM consent_claim WHERE user_id = ?1 ORDER BY client_id LIMIT ?2
                """, [user.rawValue, Limits.sessionsListedMax]
            ).map { $0["client_id"] }
        }
    }

    func includes(redirectURI: String, of user: UserID, to clientID: String) async throws(StoreError) -> Bool {
        try await database.read { db in
            try db.first(
                "SELECT 1 FROM consent_redirect WHERE user_id = ? AND client_id = ? AND redirect_uri = ?",
                [user.rawValue, clientID, redirectURI]) != nil
        }
    }

    func remember(
        _ consent: Consent, redirectURI: String?, of user: UserID, to clientID: String, at now: UnixTime
    ) async throws(StoreError) {
        try await database.write(.guarded) { db in
            if let redirectURI {
                try db.run(
                    """
                    INSERT INTO consent_redirect (user_id, client_id, redirect_uri, given_at) VALUES (?, ?, ?, ?)
                    ON CONFLICT DO NOTHING
                    """,
                    [user.rawValue, clientID, redirectURI, now.rawValue])
            }
            for name in consent.scope.names.sorted() {
                try db.run(
                    """
                    INSERT INTO consent (user_id, client_id, scope, given_at) VALUES (?, ?, ?, ?)
                    ON CONFLICT DO NOTHING
                    """,
                    [user.rawValue, clientID, name, now.rawValue])
            }
            for name in consent.claims.sorted() {
                try db.run(
                    """
                    INSERT INTO consent_claim (user_id, client_id, claim, given_at) VALUES (?, ?, ?, ?)
                    ON CONFLICT DO NOTHING
                    """,
                    [user.rawValue, clientID, name, now.rawValue])
            }
        }
    }

    func withdraw(from user: UserID, to clientID: String, at now: UnixTime) async throws(StoreError) {
        try await database.write(.changing(user)) { db in
            for table in ["consent", "consent_claim", "consent_redirect"] {
                try db.run("DELETE FROM \(table) WHERE user_id = ? AND client_id = ?", [user.rawValue, clientID])
            }
            try SQLGrantStore.end(
                "user_id = ? AND client_id = ?", [user.rawValue, clientID], .revoked, db, at: now)
        }
    }
}
