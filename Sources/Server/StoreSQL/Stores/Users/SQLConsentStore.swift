internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// The scopes that users consented to, one row each.
struct SQLConsentStore: ConsentStore {
    let database: any SQLDatabase

    func consent(of user: UserID, to clientID: String) async throws(StoreError) -> Scope {
        try await database.read { db in
            let rows = try db.all(
                "SELECT scope FROM consent WHERE user_id = ? AND client_id = ?", [user.rawValue, clientID])
            return Scope(names: rows.map { $0["scope"] as String })
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
        _ scope: Scope, redirectURI: String?, of user: UserID, to clientID: String, at now: UnixTime
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
            for name in scope.names.sorted() {
                try db.run(
                    """
                    INSERT INTO consent (user_id, client_id, scope, given_at) VALUES (?, ?, ?, ?)
                    ON CONFLICT DO NOTHING
                    """,
                    [user.rawValue, clientID, name, now.rawValue])
            }
        }
    }

    func withdraw(from user: UserID, to clientID: String, at now: UnixTime) async throws(StoreError) {
        try await database.write(.changing(user)) { db in
            for table in ["consent", "consent_redirect"] {
                try db.run("DELETE FROM \(table) WHERE user_id = ? AND client_id = ?", [user.rawValue, clientID])
            }
            try SQLGrantStore.end(
                "user_id = ? AND client_id = ?", [user.rawValue, clientID], .revoked, db, at: now)
        }
    }
}
