/// Past sign-ins that are trusted, apart from the others; and identifiers as they were, which a dispute restores.
extension Migrations {
    static let signInHistory = Migration(
        number: 35,
        sql: """
            CREATE TABLE known_sign_in (
                user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
                device BLOB NOT NULL,
                -- Empty: unknown.
                country TEXT NOT NULL,
                trusted INTEGER NOT NULL,
                -- Tenths of a degree.
                latitude INTEGER, longitude INTEGER,
                first_at INTEGER NOT NULL, used_at INTEGER NOT NULL,
                PRIMARY KEY (user_id, device, country, trusted)
            ) STRICT, WITHOUT ROWID;
            INSERT INTO known_sign_in (user_id, device, country, trusted, latitude, longitude, first_at, used_at)
                SELECT user_id, device, country, 1, latitude, longitude, first_at, used_at FROM past_sign_in;
            DROP TABLE past_sign_in;
            ALTER TABLE known_sign_in RENAME TO past_sign_in;
            CREATE INDEX past_sign_in_used ON past_sign_in (used_at);

            -- Whether the account had the address before it was verified.
            ALTER TABLE new_address ADD COLUMN was_listed INTEGER NOT NULL DEFAULT 0;

            CREATE TABLE former_identifier (
                user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
                -- What it was: 'identifier' or 'primary'.
                role TEXT NOT NULL,
                kind TEXT NOT NULL, value TEXT NOT NULL, verified INTEGER NOT NULL,
                -- NULL: before that was recorded.
                proved_at INTEGER,
                ended_at INTEGER NOT NULL,
                PRIMARY KEY (user_id, role, kind, value, ended_at)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX former_identifier_ended ON former_identifier (ended_at);
            """)
}
