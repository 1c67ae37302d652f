/// Grants that outlive a sign-out in the browser, and the access tokens that do not.
extension Migrations {
    static let signedOutGrants = Migration(
        number: 43, oldest: 38,
        sql: """
            -- Access tokens that were issued until then are over. NULL: none is.
            ALTER TABLE grant_ ADD COLUMN tokens_after INTEGER;
            """)
}

extension PostgreSQLMigrations {
    static let signedOutGrants = Migration(
        number: 43, oldest: 38, sql: "ALTER TABLE grant_ ADD COLUMN tokens_after bigint;")
}
