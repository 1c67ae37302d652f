/// Which organisation vouched for a sign-in, which accounts are an organisation's own, and who must sign in there.
extension Migrations {
    static let organisations = Migration(
        number: 26,
        sql: """
            -- The tenant whose connection the user signed in through.
            ALTER TABLE session ADD COLUMN vouched_by TEXT;
            ALTER TABLE grant_ ADD COLUMN vouched_by TEXT;
            CREATE INDEX grant_vouched ON grant_ (user_id, vouched_by) WHERE vouched_by IS NOT NULL;

            -- Whether the owner of an account that was there linked it, and no provider's word.
            ALTER TABLE federated_identity ADD COLUMN by_owner INTEGER NOT NULL DEFAULT 0;

            ALTER TABLE tenant ADD COLUMN requires_sso INTEGER NOT NULL DEFAULT 0;
            -- Users who may sign in another way: a JSON array of identifiers.
            ALTER TABLE tenant ADD COLUMN sso_exclusions TEXT NOT NULL DEFAULT '[]';
            """)
}
