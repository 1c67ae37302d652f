/// The roles that a user has by the word of a provider, so that they end with it and no other role does.
extension Migrations {
    static let providedRoles = Migration(
        number: 45, oldest: 38,
        sql: """
            -- A JSON array of identifiers. NULL: the identity was not used since this was recorded.
            ALTER TABLE federated_identity ADD COLUMN roles TEXT;
            -- The tenant in which the user has them; NULL: everywhere.
            ALTER TABLE federated_identity ADD COLUMN roles_tenant TEXT;
            """)
}

extension PostgreSQLMigrations {
    static let providedRoles = Migration(
        number: 45, oldest: 38,
        sql: """
            ALTER TABLE federated_identity ADD COLUMN roles text COLLATE "C";
            ALTER TABLE federated_identity ADD COLUMN roles_tenant text COLLATE "C";
            """)
}
