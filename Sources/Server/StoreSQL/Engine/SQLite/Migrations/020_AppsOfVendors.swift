/// How long a client's assertions may be good, and which session a sign-in proves again.
extension Migrations {
    static let appsOfVendors = Migration(
        number: 20,
        sql: """
            ALTER TABLE client ADD COLUMN assertion_seconds INTEGER;
            ALTER TABLE grant_ ADD COLUMN reauthenticates TEXT;
            """)
}
