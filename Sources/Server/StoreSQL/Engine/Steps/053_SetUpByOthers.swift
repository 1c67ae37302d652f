/// When others than the user first set up a way to sign in (`User.othersAt`). NULL: none did.
extension Migrations {
    static let setUpByOthers = Migration(
        number: 53, oldest: 38, sql: "ALTER TABLE \"user\" ADD COLUMN others_at INTEGER")
}

extension PostgreSQLMigrations {
    static let setUpByOthers = Migration(
        number: 53, oldest: 38, sql: "ALTER TABLE \"user\" ADD COLUMN others_at bigint")
}
