/// What tells a client that follows each refresh of another one: who refreshed last, and the run of rotations that two
/// of them used.
extension Migrations {
    static let shadowedSessions = Migration(
        number: 44, oldest: 38,
        sql: """
            -- The kind of client that refreshed last, beside its network.
            ALTER TABLE grant_ ADD COLUMN refresh_client TEXT;
            -- See RunColumn.
            ALTER TABLE grant_ ADD COLUMN shadow TEXT;
            -- When its user was told last.
            ALTER TABLE grant_ ADD COLUMN shadowed_at INTEGER;
            """)
}

extension PostgreSQLMigrations {
    static let shadowedSessions = Migration(
        number: 44, oldest: 38,
        sql: """
            ALTER TABLE grant_ ADD COLUMN refresh_client text COLLATE "C", ADD COLUMN shadow text COLLATE "C",
                ADD COLUMN shadowed_at bigint;
            """)
}
