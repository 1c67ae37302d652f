/// The first tables. A released migration is never changed; the next one gets the next number.
extension Migrations {
    static let groundFloor = Migration(
        number: 1,
        sql: """
            CREATE TABLE user (
                id TEXT NOT NULL UNIQUE, status TEXT NOT NULL, claims TEXT NOT NULL,
                created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
            ) STRICT;

            CREATE TABLE identifier (
                kind TEXT NOT NULL, value TEXT NOT NULL, verified INTEGER NOT NULL,
                user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
                PRIMARY KEY (kind, value)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX identifier_user ON identifier (user_id);

            CREATE TABLE password (
                user_id TEXT PRIMARY KEY NOT NULL REFERENCES user (id) ON DELETE CASCADE,
                hash TEXT NOT NULL
            ) STRICT, WITHOUT ROWID;

            CREATE TABLE session (
                digest BLOB PRIMARY KEY NOT NULL, id TEXT NOT NULL UNIQUE,
                user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
                auth_time INTEGER NOT NULL, amr TEXT NOT NULL, acr TEXT NOT NULL,
                created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX session_user ON session (user_id);
            CREATE INDEX session_expiry ON session (expires_at);

            CREATE TABLE grant_ (
                id BLOB PRIMARY KEY NOT NULL, client_id TEXT NOT NULL,
                user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
                session_id TEXT, scope TEXT NOT NULL, is_offline INTEGER NOT NULL, resources TEXT NOT NULL,
                auth_time INTEGER NOT NULL, amr TEXT NOT NULL, acr TEXT NOT NULL, nonce TEXT, claims TEXT,
                created_at INTEGER NOT NULL,
                code_digest BLOB NOT NULL UNIQUE, redirect_uri TEXT, code_challenge TEXT,
                code_expires_at INTEGER NOT NULL, redeemed_at INTEGER,
                counter INTEGER NOT NULL, rotated_at INTEGER, late_retry_at INTEGER,
                idle_expires_at INTEGER NOT NULL, absolute_expires_at INTEGER NOT NULL,
                ended_at INTEGER, end_reason TEXT
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX grant_user ON grant_ (user_id);
            CREATE INDEX grant_session ON grant_ (session_id);
            CREATE INDEX grant_client ON grant_ (client_id);

            CREATE TABLE consent (
                user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE, client_id TEXT NOT NULL,
                scope TEXT NOT NULL, given_at INTEGER NOT NULL,
                PRIMARY KEY (user_id, client_id, scope)
            ) STRICT, WITHOUT ROWID;

            CREATE TABLE client (
                id TEXT PRIMARY KEY NOT NULL, metadata TEXT NOT NULL, secret_digests BLOB NOT NULL,
                first_party INTEGER NOT NULL, resources TEXT NOT NULL, from_configuration INTEGER NOT NULL,
                updated_at INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;

            CREATE TABLE signing_key (
                id TEXT PRIMARY KEY NOT NULL, algorithm TEXT NOT NULL, sealed BLOB NOT NULL,
                created_at INTEGER NOT NULL, activates_at INTEGER NOT NULL, retires_at INTEGER NOT NULL,
                removed_at INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;

            CREATE TABLE revoked_token (
                id TEXT PRIMARY KEY NOT NULL, expires_at INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX revoked_token_expiry ON revoked_token (expires_at);

            CREATE TABLE attempt (
                key TEXT PRIMARY KEY NOT NULL, failures INTEGER NOT NULL, last_at INTEGER NOT NULL,
                previous_at INTEGER, known_at INTEGER
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX attempt_age ON attempt (last_at);

            CREATE TABLE audit_event (
                number INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, at INTEGER NOT NULL, user_id TEXT,
                client_id TEXT, session_id TEXT, address TEXT, reason TEXT
            ) STRICT;
            CREATE INDEX audit_event_age ON audit_event (at);
            """)
}
