/// When a sign-in of the user was last disputed (`User.disputedAt`). NULL: never since this is recorded.
extension Migrations {
    static let disputedUsers = Migration(
        number: 59, oldest: 38, sql: "ALTER TABLE \"user\" ADD COLUMN disputed_at INTEGER")
}

extension PostgreSQLMigrations {
    static let disputedUsers = Migration(
        number: 59, oldest: 38, sql: "ALTER TABLE \"user\" ADD COLUMN disputed_at bigint")
}
