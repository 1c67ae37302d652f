/// Devices and countries of past sign-ins, and what was unusual about the sign-ins of live sessions.
extension Migrations {
    static let risks = Migration(
        number: 30,
        sql: """
            CREATE TABLE past_sign_in (
                user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
                device BLOB NOT NULL,
                -- Empty: unknown.
                country TEXT NOT NULL,
                -- Tenths of a degree.
                latitude INTEGER, longitude INTEGER,
                first_at INTEGER NOT NULL, used_at INTEGER NOT NULL,
                PRIMARY KEY (user_id, device, country)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX past_sign_in_used ON past_sign_in (used_at);

            ALTER TABLE session ADD COLUMN country TEXT;
            ALTER TABLE session ADD COLUMN risks TEXT NOT NULL DEFAULT '';
            """)
}
