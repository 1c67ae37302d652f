/// Grants that are bound to a key (RFC 9449): the one that a code must be redeemed with, and the one that a refresh token
/// is worth nothing without; and whether their access tokens are a bearer's all the same.
extension Migrations {
    static let boundGrants = Migration(
        number: 2,
        sql: """
            ALTER TABLE grant_ ADD COLUMN code_key TEXT;
            ALTER TABLE grant_ ADD COLUMN key TEXT;
            ALTER TABLE grant_ ADD COLUMN bearer INTEGER NOT NULL DEFAULT 0;
            """)
}
