/// What is remembered of an identity that ended is each user's own: another account that gets the identity takes nothing of
/// it away. Until it is replaced, a server of the release before cannot disconnect an identity.
extension Migrations {
    static let unlinkedIdentities = Migration(
        number: 56, oldest: 38,
        sql: """
            CREATE TABLE ended_identity (
                user_id TEXT NOT NULL REFERENCES "user" (id) ON DELETE CASCADE,
                connection_id TEXT NOT NULL,
                issuer TEXT NOT NULL,
                subject TEXT NOT NULL,
                unlinked_at INTEGER NOT NULL,
                by_owner INTEGER NOT NULL DEFAULT 0,
                by_connection INTEGER NOT NULL DEFAULT 0,
                PRIMARY KEY (user_id, connection_id, issuer, subject)
            ) STRICT, WITHOUT ROWID;
            INSERT INTO ended_identity
                SELECT user_id, connection_id, issuer, subject, unlinked_at, by_owner, by_connection FROM unlinked_identity;
            DROP TABLE unlinked_identity;
            ALTER TABLE ended_identity RENAME TO unlinked_identity;
            CREATE INDEX unlinked_identity_key ON unlinked_identity (connection_id, issuer, subject);
            """)
}

extension PostgreSQLMigrations {
    static let unlinkedIdentities = Migration(
        number: 56, oldest: 38,
        sql: """
            ALTER TABLE unlinked_identity DROP CONSTRAINT unlinked_identity_pkey,
                ADD PRIMARY KEY (user_id, connection_id, issuer, subject);
            DROP INDEX unlinked_identity_user;
            CREATE INDEX unlinked_identity_key ON unlinked_identity (connection_id, issuer, subject);
            """)
}
