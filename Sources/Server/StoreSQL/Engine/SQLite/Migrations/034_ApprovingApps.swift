/// Approvals that a user gives in an app.
extension Migrations {
    static let approvingApps = Migration(
        number: 34,
        sql: """
            -- The app's grant that approved, in place of a session.
            ALTER TABLE backchannel_authentication ADD COLUMN approved_grant BLOB;
            """)
}
