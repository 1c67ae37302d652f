/// Data keys of devices, wrapped under the user's secret and the device's long secret, with the count of wrong guesses.
extension Migrations {
    static let dataKeys = Migration(
        number: 14,
        sql: """
            CREATE TABLE data_key (
                id TEXT PRIMARY KEY NOT NULL, realm TEXT NOT NULL,
                user_id TEXT REFERENCES user (id) ON DELETE CASCADE, client_id TEXT,
                salt BLOB NOT NULL, memory_kib INTEGER NOT NULL, passes INTEGER NOT NULL, lanes INTEGER NOT NULL,
                by_secret BLOB NOT NULL, by_long_secret BLOB NOT NULL, long_secret BLOB NOT NULL,
                failures INTEGER NOT NULL, guesses INTEGER NOT NULL DEFAULT 0, guesses_since INTEGER, used_from TEXT, attempt INTEGER NOT NULL, attempted_at INTEGER, locked_at INTEGER,
                name BLOB, created_at INTEGER NOT NULL, used_at INTEGER
            ) STRICT, WITHOUT ROWID;
            CREATE UNIQUE INDEX data_key_name ON data_key (name) WHERE name IS NOT NULL;
            CREATE INDEX data_key_user ON data_key (user_id) WHERE user_id IS NOT NULL;
            CREATE INDEX data_key_used ON data_key (used_at) WHERE used_at IS NOT NULL;
            CREATE INDEX data_key_never_used ON data_key (created_at) WHERE used_at IS NULL;
            """)
}
