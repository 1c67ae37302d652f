/// Grants that are bound to a key (RFC 9449): the key that is required to redeem the code, and the key that is required
/// to use the refresh token; and whether their access tokens are bearer tokens all the same.
extension Migrations {
    static let boundGrants = Migration(
        number: 2,
        sql: """
            ALTER TABLE grant_ ADD COLUMN code_key TEXT;
            ALTER TABLE grant_ ADD COLUMN key TEXT;
            ALTER TABLE grant_ ADD COLUMN bearer INTEGER NOT NULL DEFAULT 0;
            """)
}
