/// What the operator allows a client beyond its registration: audiences of its assertions, users that it may act for,
/// and a profile of stricter rules.
extension Migrations {
    static let clientPrivileges = Migration(
        number: 9,
        sql: """
            ALTER TABLE client ADD COLUMN assertion_audiences TEXT NOT NULL DEFAULT '';
            ALTER TABLE client ADD COLUMN may_impersonate TEXT NOT NULL DEFAULT '[]';
            ALTER TABLE client ADD COLUMN profile TEXT NOT NULL DEFAULT 'default';
            """)
}
