/// What was there before and after an event. The values stand beside the log, because they go with their user: also
/// when a server of the release before deletes the user. The log keeps their digest.
extension Migrations {
    static let auditChange = Migration(
        number: 39, oldest: 38,
        sql: """
            ALTER TABLE audit_event ADD COLUMN changes_digest BLOB;

            CREATE TABLE audit_change (
                number INTEGER PRIMARY KEY,
                -- Whom the event is about. NULL: no user.
                user_id TEXT REFERENCES "user" (id) ON DELETE CASCADE,
                salt BLOB NOT NULL,
                -- A JSON array with an object for each field.
                changes TEXT NOT NULL
            ) STRICT;
            CREATE INDEX audit_change_user ON audit_change (user_id) WHERE user_id IS NOT NULL;
            """)
}

extension PostgreSQLMigrations {
    static let auditChange = Migration(
        number: 39, oldest: 38,
        sql: """
            ALTER TABLE audit_event ADD COLUMN changes_digest bytea;
            CREATE TABLE audit_change (
                number bigint PRIMARY KEY,
                user_id text COLLATE "C" REFERENCES "user" (id) ON DELETE CASCADE,
                salt bytea NOT NULL, changes text COLLATE "C" NOT NULL
            );
            CREATE INDEX audit_change_user ON audit_change (user_id) WHERE user_id IS NOT NULL;
            """)
}
