/// Since when the user has proved the address by which a directory took the account in, or when a merge brought what the
/// directory manages. NULL: neither, or an earlier release did not note it.
extension Migrations {
    static let broughtResources = Migration(
        number: 58, oldest: 38, sql: "ALTER TABLE scim_resource ADD COLUMN brought_at INTEGER")
}

extension PostgreSQLMigrations {
    static let broughtResources = Migration(
        number: 58, oldest: 38, sql: "ALTER TABLE scim_resource ADD COLUMN brought_at bigint")
}
