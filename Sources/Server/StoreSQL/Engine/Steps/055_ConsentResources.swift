/// The services that users let a client's access tokens be for.
extension Migrations {
    static let consentResources = Migration(
        number: 55, oldest: 38,
        sql: """
            CREATE TABLE consent_resource (
                user_id TEXT NOT NULL REFERENCES "user" (id) ON DELETE CASCADE,
                client_id TEXT NOT NULL,
                resource TEXT NOT NULL,
                given_at INTEGER NOT NULL,
                PRIMARY KEY (user_id, client_id, resource)
            ) STRICT, WITHOUT ROWID;
            """)
}

extension PostgreSQLMigrations {
    static let consentResources = Migration(
        number: 55, oldest: 38,
        sql: """
            CREATE TABLE consent_resource (
                user_id text COLLATE "C" NOT NULL REFERENCES "user" (id) ON DELETE CASCADE,
                client_id text COLLATE "C" NOT NULL, resource text COLLATE "C" NOT NULL, given_at bigint NOT NULL,
                PRIMARY KEY (user_id, client_id, resource)
            );
            """)
}
