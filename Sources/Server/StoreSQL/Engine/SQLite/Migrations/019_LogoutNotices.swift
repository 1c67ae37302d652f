/// The queue of logout notices, the operator's settings for a client's notices and signed statements, and the redirect
/// URIs that users agreed to.
extension Migrations {
    static let logoutNotices = Migration(
        number: 19,
        sql: """
            CREATE TABLE logout_notice (
                number INTEGER PRIMARY KEY AUTOINCREMENT, client_id TEXT NOT NULL, user_id TEXT NOT NULL,
                session_id TEXT NOT NULL, created_at INTEGER NOT NULL, due_at INTEGER NOT NULL,
                attempts INTEGER NOT NULL DEFAULT 0, UNIQUE (client_id, session_id)
            ) STRICT;
            CREATE INDEX logout_notice_due ON logout_notice (due_at);

            ALTER TABLE client ADD COLUMN private_logout_address INTEGER NOT NULL DEFAULT 0;
            ALTER TABLE client ADD COLUMN strict_assertions INTEGER NOT NULL DEFAULT 0;

            CREATE TABLE consent_redirect (
                user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE, client_id TEXT NOT NULL,
                redirect_uri TEXT NOT NULL, given_at INTEGER NOT NULL,
                PRIMARY KEY (user_id, client_id, redirect_uri)
            ) STRICT, WITHOUT ROWID;
            """)
}
