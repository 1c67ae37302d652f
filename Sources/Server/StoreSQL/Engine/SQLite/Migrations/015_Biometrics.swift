/// Biometric keys, and the sessions that each opened.
extension Migrations {
    static let biometrics = Migration(
        number: 15,
        sql: """
            CREATE TABLE biometric_key (
                id TEXT PRIMARY KEY NOT NULL, user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
                client_id TEXT NOT NULL, scope TEXT NOT NULL, is_strong INTEGER NOT NULL, public_key TEXT NOT NULL, algorithm TEXT NOT NULL, device TEXT NOT NULL,
                created_at INTEGER NOT NULL, used_at INTEGER
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX biometric_key_user ON biometric_key (user_id);
            CREATE INDEX biometric_key_age ON biometric_key (coalesce(used_at, created_at));

            ALTER TABLE grant_ ADD COLUMN biometric_key TEXT;
            CREATE INDEX grant_biometric_key ON grant_ (biometric_key) WHERE biometric_key IS NOT NULL;
            """)
}
