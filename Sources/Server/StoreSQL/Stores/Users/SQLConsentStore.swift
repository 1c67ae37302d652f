internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// The scopes, claims and resources that users consented to, one row each.
struct SQLConsentStore: ConsentStore {
    let database: any SQLDatabase

    func consent(of user: UserID, to clientID: String) async throws(StoreError) -> Consent {
        try await database.read { db in
            let rows = try db.all(
                """
                SELECT scope AS name, 'scope' AS kind FROM consent WHERE user_id = ?1 AND client_id = ?2
                UNION ALL SELECT claim, 'claim' FROM consent_claim WHERE user_id = ?1 AND client_id = ?2
                UNION ALL SELECT resource, 'resource' FROM consent_resource WHERE user_id = ?1 AND client_id = ?2
                """,
                [user.rawValue, clientID])
            let names = { (kind: String) in rows.filter { $0["kind"] == kind }.map { $0["name"] as String } }
            return Consent(
                scope: Scope(names: names("scope")), claims: Set(names("claim")), resources: Set(names("resource")))
        }
    }

    func clients(of user: UserID) async throws(StoreError) -> [String] {
        try await database.read { db in
            try db.all(
                """
                SELECT client_id FROM consent WHERE user_id = ?1
                UNION SELECT client_id FROM consent_claim WHERE user_id = ?1
                UNION SELECT client_id FROM consent_resource WHERE user_id = ?1 ORDER BY client_id LIMIT ?2
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
            let lists = [
                ("consent", "scope", consent.scope.names.sorted()),
                ("consent_claim", "claim", consent.claims.sorted()),
                ("consent_resource", "resource", consent.resources.sorted()),
            ]
            for (table, column, names) in lists {
                for name in names {
                    try db.run(
                        """
                        INSERT INTO \(table) (user_id, client_id, \(column), given_at) VALUES (?, ?, ?, ?)
                        ON CONFLICT DO NOTHING
                        """,
                        [user.rawValue, clientID, name, now.rawValue])
                }
            }
        }
    }

    func withdraw(from user: UserID, to clientID: String, at now: UnixTime) async throws(StoreError) {
        try await database.write(.changing(user)) { db in
            for table in ["consent", "consent_claim", "consent_resource", "consent_redirect"] {
                try db.run("DELETE FROM \(table) WHERE user_id = ? AND client_id = ?", [user.rawValue, clientID])
            }
            try SQLGrantStore.end(
                "user_id = ? AND client_id = ?", [user.rawValue, clientID], .revoked, db, at: now)
        }
    }
}
