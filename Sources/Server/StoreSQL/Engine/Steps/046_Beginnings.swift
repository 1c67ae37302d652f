/// When a client began, so that no token of a former one with its identifier counts; and whether an identity that was
/// unlinked was its owner's link, so that to link it again changes nothing; and how old the sign-in may be that another one
/// reauthenticates.
extension Migrations {
    static let beginnings = Migration(
        number: 46, oldest: 38,
        sql: """
            -- NULL: before this was recorded.
            ALTER TABLE client ADD COLUMN created_at INTEGER;
            ALTER TABLE unlinked_identity ADD COLUMN by_owner INTEGER NOT NULL DEFAULT 0;
            ALTER TABLE grant_ ADD COLUMN reauthenticates_since INTEGER;
            """)
}

extension PostgreSQLMigrations {
    static let beginnings = Migration(
        number: 46, oldest: 38,
        sql: """
            ALTER TABLE client ADD COLUMN created_at bigint;
            ALTER TABLE unlinked_identity ADD COLUMN by_owner bigint NOT NULL DEFAULT 0;
            ALTER TABLE grant_ ADD COLUMN reauthenticates_since bigint;
            """)
}
