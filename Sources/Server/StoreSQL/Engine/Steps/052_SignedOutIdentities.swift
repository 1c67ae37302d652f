/// When a provider last said that it signed the user of an identity out. NULL: it did not.
extension Migrations {
    static let signedOutIdentities = Migration(
        number: 52, oldest: 38, sql: "ALTER TABLE federated_identity ADD COLUMN signed_out_at INTEGER")
}

extension PostgreSQLMigrations {
    static let signedOutIdentities = Migration(
        number: 52, oldest: 38, sql: "ALTER TABLE federated_identity ADD COLUMN signed_out_at bigint")
}
