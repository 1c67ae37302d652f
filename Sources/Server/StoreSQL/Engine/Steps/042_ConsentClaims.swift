/// The claims that users consented to by name, beside scopes.
extension Migrations {
    static let consentClaims = Migration(
        number: 42, oldest: 38,
        sql: """
            CREATE TABLE consent_claim (
                user_id TEXT NOT NULL REFERENCES "user" (id) ON DELETE CASCADE,
                client_id TEXT NOT NULL,
                claim TEXT NOT NULL,
                given_at INTEGER NOT NULL,
                PRIMARY KEY (user_id, client_id, claim)
            ) STRICT, WITHOUT ROWID;
            """)
}

extension PostgreSQLMigrations {
    static let consentClaims = Migration(
        number: 42, oldest: 38,
        sql: """
            CREATE TABLE consent_claim (
                user_id text COLLATE "C" NOT NULL REFERENCES "user" (id) ON DELETE CASCADE,
                client_id text COLLATE "C" NOT NULL, claim text COLLATE "C" NOT NULL, given_at bigint NOT NULL,
                PRIMARY KEY (user_id, client_id, claim)
            );
            """)
}
