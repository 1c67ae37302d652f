/// Where a browser session was opened, for the user to recognise it.
extension Migrations {
    static let sessionOrigins = Migration(
        number: 6,
        sql: """
            ALTER TABLE session ADD COLUMN address TEXT;
            ALTER TABLE session ADD COLUMN device TEXT;
            """)
}
