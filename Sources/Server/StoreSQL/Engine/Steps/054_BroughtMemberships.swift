/// When an identity at a provider, or an account that was merged in, brought a membership; NULL: an operator or a directory
/// gave it, or it is from before this is recorded.
extension Migrations {
    static let broughtMemberships = Migration(
        number: 54, oldest: 38, sql: "ALTER TABLE membership ADD COLUMN brought_at INTEGER;")
}

extension PostgreSQLMigrations {
    static let broughtMemberships = Migration(
        number: 54, oldest: 38, sql: "ALTER TABLE membership ADD COLUMN brought_at bigint;")
}
