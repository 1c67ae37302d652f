/// The documents that users accepted in journeys.
extension Migrations {
    static let acceptances = Migration(
        number: 29,
        sql: """
            ALTER TABLE user ADD COLUMN accepted TEXT NOT NULL DEFAULT '{}';
            """)
}
