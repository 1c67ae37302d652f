/// Requests for sign-ins that a user approves on another device.
extension Migrations {
    static let backchannel = Migration(
        number: 28,
        sql: """
            CREATE TABLE backchannel_authentication (
                digest BLOB PRIMARY KEY NOT NULL, client_id TEXT NOT NULL,
                -- NULL: no user sees the request.
                user_id TEXT,
                scope TEXT NOT NULL, resources TEXT NOT NULL, needs_several INTEGER NOT NULL, key TEXT,
                binding_message TEXT, number INTEGER NOT NULL, network TEXT,
                created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL,
                interval INTEGER NOT NULL, next_poll_at INTEGER NOT NULL, is_early INTEGER NOT NULL,
                decided_at INTEGER, grant_id BLOB
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX backchannel_expiry ON backchannel_authentication (expires_at);
            CREATE INDEX backchannel_waiting ON backchannel_authentication (user_id) WHERE decided_at IS NULL;
            """)
}
