/// When an operator who is no owner first set a password of the user. NULL: none did since the credentials were void.
extension Migrations {
    static let operatorPasswords = Migration(
        number: 53, oldest: 38, sql: "ALTER TABLE password_state ADD COLUMN operator_set_at INTEGER")
}

extension PostgreSQLMigrations {
    static let operatorPasswords = Migration(
        number: 53, oldest: 38, sql: "ALTER TABLE password_state ADD COLUMN operator_set_at bigint")
}
