/// Removals of lost second factors, and since when each address and password has been the user's.
extension Migrations {
    static let recoveries = Migration(
        number: 21,
        sql: """
            CREATE TABLE recovery (
                user_id TEXT PRIMARY KEY NOT NULL REFERENCES user (id) ON DELETE CASCADE,
                begun_at INTEGER NOT NULL, ready_at INTEGER NOT NULL, expires_at INTEGER NOT NULL,
                epoch INTEGER NOT NULL, cancel_digest BLOB NOT NULL UNIQUE,
                -- When its link cancelled it; the row stays until expires_at, so that none begins before.
                cancelled_at INTEGER
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX recovery_expiry ON recovery (expires_at);

            CREATE TABLE new_address (
                user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
                kind TEXT NOT NULL, value TEXT NOT NULL, proved_at INTEGER NOT NULL,
                PRIMARY KEY (user_id, kind, value)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX new_address_proved ON new_address (proved_at);

            -- When the password was chosen with an address as the only proof.
            ALTER TABLE password_state ADD COLUMN reset_at INTEGER;
            -- How earlier ones were chosen is not known: those that are new count as reset.
            UPDATE password_state SET reset_at = set_at;
            """)
}
