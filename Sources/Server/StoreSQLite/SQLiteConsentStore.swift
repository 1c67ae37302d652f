internal import GRDB
internal import Identity
internal import KeyturnBase
internal import KeyturnWire

/// What users allowed, one row a scope.
struct SQLiteConsentStore: ConsentStore {
    let database: SQLiteDatabase

    func consent(of user: UserID, to clientID: String) async throws(StoreError) -> Scope {
        try database.read { db in
            let rows = try db.all(
                "SELECT scope FROM consent WHERE user_id = ? AND client_id = ?", [user.rawValue, clientID])
            return Scope(names: rows.map { $0["scope"] as String })
        }
    }

    func remember(_ scope: Scope, of user: UserID, to clientID: String, at now: UnixTime) async throws(StoreError) {
        try await database.write { db in
            for name in scope.names {
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
        try await database.write { db in
            try db.run("DELETE FROM consent WHERE user_id = ? AND client_id = ?", [user.rawValue, clientID])
            try SQLiteGrantStore.end(
                "user_id = ? AND client_id = ?", [user.rawValue, clientID], .revoked, db, at: now)
        }
    }
}
