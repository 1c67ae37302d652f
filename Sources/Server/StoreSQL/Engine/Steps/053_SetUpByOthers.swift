/// When others than the user first set up a way to sign in (`User.othersAt`), and when operators did (`User.operatorsAt`);
/// NULL: none did. When the account last changed hands: everything that had been set up there went; and when its sessions
/// were last ended (`User.endedAt`); NULL: never since this is recorded.
extension Migrations {
    static let setUpByOthers = Migration(
        number: 53, oldest: 38,
        sql: """
            ALTER TABLE "user" ADD COLUMN others_at INTEGER;
            ALTER TABLE "user" ADD COLUMN operators_at INTEGER;
            ALTER TABLE "user" ADD COLUMN voided_at INTEGER;
            ALTER TABLE "user" ADD COLUMN sessions_ended_at INTEGER;
            """)
}

extension PostgreSQLMigrations {
    static let setUpByOthers = Migration(
        number: 53, oldest: 38,
        sql: """
            ALTER TABLE "user" ADD COLUMN others_at bigint;
            ALTER TABLE "user" ADD COLUMN operators_at bigint;
            ALTER TABLE "user" ADD COLUMN voided_at bigint;
            ALTER TABLE "user" ADD COLUMN sessions_ended_at bigint;
            """)
}
