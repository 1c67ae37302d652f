/// Requests of sign-in pages that a user approves on another device, and notifications of clients in ping mode.
extension Migrations {
    static let approvals = Migration(
        number: 33,
        sql: """
            ALTER TABLE backchannel_authentication ADD COLUMN purpose TEXT NOT NULL DEFAULT 'tokens';
            ALTER TABLE backchannel_authentication ADD COLUMN device TEXT;
            ALTER TABLE backchannel_authentication ADD COLUMN ping BLOB;
            -- The session that approved, and when its user was authenticated.
            ALTER TABLE backchannel_authentication ADD COLUMN approved_by TEXT;
            ALTER TABLE backchannel_authentication ADD COLUMN approved_auth_time INTEGER;
            ALTER TABLE backchannel_authentication ADD COLUMN collected_at INTEGER;

            CREATE TABLE ping_notice (
                number INTEGER PRIMARY KEY AUTOINCREMENT, client_id TEXT NOT NULL, request BLOB NOT NULL UNIQUE,
                sealed BLOB NOT NULL, expires_at INTEGER NOT NULL, due_at INTEGER NOT NULL,
                attempts INTEGER NOT NULL DEFAULT 0
            ) STRICT;
            CREATE INDEX ping_notice_due ON ping_notice (due_at);
            """)
}
