/// Devices that wait for a user's approval, and sessions that derive from another one.
extension Migrations {
    static let devices = Migration(
        number: 11,
        sql: """
            CREATE TABLE device_authorization (
                digest BLOB PRIMARY KEY NOT NULL, user_code BLOB NOT NULL UNIQUE, client_id TEXT NOT NULL,
                scope TEXT NOT NULL, resources TEXT NOT NULL, needs_several INTEGER NOT NULL, key TEXT, network TEXT,
                created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL,
                interval INTEGER NOT NULL, next_poll_at INTEGER NOT NULL, is_early INTEGER NOT NULL,
                decided_at INTEGER, grant_id BLOB
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX device_authorization_expiry ON device_authorization (expires_at);

            ALTER TABLE grant_ ADD COLUMN parent BLOB;
            CREATE INDEX grant_parent ON grant_ (parent) WHERE parent IS NOT NULL;
            """)
}
