/// Users without an account, their keys, and the promotions that wait for their code.
extension Migrations {
    static let anonymousUsers = Migration(
        number: 31,
        sql: """
            -- NULL: the user has an account.
            ALTER TABLE user ADD COLUMN anonymous_at INTEGER;
            ALTER TABLE user ADD COLUMN anonymous_seen_at INTEGER;
            CREATE INDEX user_anonymous ON user (anonymous_seen_at) WHERE anonymous_seen_at IS NOT NULL;

            CREATE TABLE anonymous_key (
                id TEXT PRIMARY KEY NOT NULL, user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
                client_id TEXT NOT NULL, public_key TEXT NOT NULL, algorithm TEXT NOT NULL,
                created_at INTEGER NOT NULL, used_at INTEGER
            ) STRICT, WITHOUT ROWID;
            CREATE UNIQUE INDEX anonymous_key_user ON anonymous_key (user_id);

            ALTER TABLE grant_ ADD COLUMN anonymous_key TEXT;
            CREATE INDEX grant_anonymous_key ON grant_ (anonymous_key) WHERE anonymous_key IS NOT NULL;

            CREATE TABLE promotion (
                grant_id BLOB PRIMARY KEY NOT NULL REFERENCES grant_ (id) ON DELETE CASCADE,
                -- Not a reference: the code of a removed user is refused.
                user_id TEXT NOT NULL, key_id TEXT, session_grant BLOB, mark BLOB NOT NULL,
                mark_expires_at INTEGER NOT NULL, choice TEXT NOT NULL,
                CHECK ((key_id IS NULL) <> (session_grant IS NULL))
            ) STRICT, WITHOUT ROWID;
            """)
}
