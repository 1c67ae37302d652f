/// The maximum lifetime of a client's assertions, and the session that a repeated sign-in belongs to.
extension Migrations {
    static let appsOfVendors = Migration(
        number: 20,
        sql: """
            ALTER TABLE client ADD COLUMN assertion_seconds INTEGER;
            ALTER TABLE grant_ ADD COLUMN reauthenticates TEXT;
            """)
}
