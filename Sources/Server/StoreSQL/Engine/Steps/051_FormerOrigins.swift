/// Where the user of a browser session signed in at providers before the last time, which `federated_session` has: each
/// of them may say that its session is over. An empty `provider_session`: the provider told none.
extension Migrations {
    static let formerOrigins = Migration(
        number: 51, oldest: 38,
        sql: """
            CREATE TABLE former_origin (
                session_id TEXT NOT NULL,
                user_id TEXT NOT NULL REFERENCES "user" (id) ON DELETE CASCADE,
                connection_id TEXT NOT NULL,
                issuer TEXT NOT NULL,
                subject TEXT NOT NULL,
                provider_session TEXT NOT NULL,
                provider_name TEXT,
                expires_at INTEGER NOT NULL,
                PRIMARY KEY (session_id, connection_id, issuer, subject, provider_session)
            ) STRICT, WITHOUT ROWID;
            """ + FormerOrigins.indexes)
}

extension PostgreSQLMigrations {
    static let formerOrigins = Migration(
        number: 51, oldest: 38,
        sql: """
            CREATE TABLE former_origin (
                session_id text COLLATE "C" NOT NULL,
                user_id text COLLATE "C" NOT NULL REFERENCES "user" (id) ON DELETE CASCADE,
                connection_id text COLLATE "C" NOT NULL, issuer text COLLATE "C" NOT NULL,
                subject text COLLATE "C" NOT NULL, provider_session text COLLATE "C" NOT NULL,
                provider_name text COLLATE "C", expires_at bigint NOT NULL,
                PRIMARY KEY (session_id, connection_id, issuer, subject, provider_session)
            );
            """ + FormerOrigins.indexes)
}

private enum FormerOrigins {
    static let indexes = """

        CREATE INDEX former_origin_identity ON former_origin (connection_id, issuer, subject);
        CREATE INDEX former_origin_provider ON former_origin (connection_id, issuer, provider_session);
        CREATE INDEX former_origin_name ON former_origin (connection_id, issuer, provider_name)
            WHERE provider_name IS NOT NULL;
        CREATE INDEX former_origin_expiry ON former_origin (expires_at);
        CREATE INDEX former_origin_user ON former_origin (user_id);
        """
}
