/// Passkeys of this server's users and of sites' own users, those users, answered challenges and tokens, and the last
/// metadata about authenticators.
extension Migrations {
    static let passkeys = Migration(
        number: 8,
        sql: """
            CREATE TABLE site_user (
                id INTEGER PRIMARY KEY, rp_id TEXT NOT NULL, site_id TEXT NOT NULL, folded_id TEXT NOT NULL,
                username_digest BLOB,
                UNIQUE (rp_id, site_id), UNIQUE (rp_id, username_digest)
            ) STRICT;
            CREATE INDEX site_user_folded ON site_user (rp_id, folded_id);

            CREATE TABLE passkey (
                id TEXT PRIMARY KEY NOT NULL, rp_id TEXT NOT NULL, credential_id BLOB NOT NULL,
                user_id TEXT REFERENCES user (id) ON DELETE CASCADE,
                site_user_id INTEGER REFERENCES site_user (id) ON DELETE CASCADE,
                user_handle BLOB NOT NULL, public_key BLOB NOT NULL, sign_count INTEGER NOT NULL,
                uv_initialized INTEGER NOT NULL, transports TEXT NOT NULL, backup_eligible INTEGER NOT NULL,
                backup_state INTEGER NOT NULL, aaguid BLOB NOT NULL, attestation TEXT NOT NULL, name TEXT NOT NULL,
                active INTEGER NOT NULL, created_at INTEGER NOT NULL, used_at INTEGER,
                UNIQUE (rp_id, credential_id), CHECK ((user_id IS NULL) <> (site_user_id IS NULL))
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX passkey_user ON passkey (user_id);
            CREATE INDEX passkey_site_user ON passkey (site_user_id);

            CREATE TABLE spent (
                digest BLOB PRIMARY KEY NOT NULL, expires_at INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX spent_expiry ON spent (expires_at);

            CREATE TABLE authenticator_metadata (
                source TEXT PRIMARY KEY NOT NULL, number INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;
            """)
}
