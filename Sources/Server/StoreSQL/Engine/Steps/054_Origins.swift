/// From where things are. When an identity at a provider, or an account that was merged in, brought a membership; NULL: an
/// operator or a directory gave it, or it is from before this is recorded. Whether an identity ended with its connection, and
/// not by its user. Whether a client of the file was made by others before.
extension Migrations {
    static let origins = Migration(
        number: 54, oldest: 38,
        sql: """
            ALTER TABLE membership ADD COLUMN brought_at INTEGER;
            ALTER TABLE unlinked_identity ADD COLUMN by_connection INTEGER NOT NULL DEFAULT 0;
            ALTER TABLE client ADD COLUMN of_others INTEGER NOT NULL DEFAULT 0;
            """)
}

extension PostgreSQLMigrations {
    static let origins = Migration(
        number: 54, oldest: 38,
        sql: """
            ALTER TABLE membership ADD COLUMN brought_at bigint;
            ALTER TABLE unlinked_identity ADD COLUMN by_connection bigint NOT NULL DEFAULT 0;
            ALTER TABLE client ADD COLUMN of_others bigint NOT NULL DEFAULT 0;
            """)
}
