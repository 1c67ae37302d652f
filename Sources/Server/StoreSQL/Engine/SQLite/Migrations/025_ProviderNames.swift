/// What messages of single logout call the user whose session began at a provider.
extension Migrations {
    static let providerNames = Migration(
        number: 25,
        sql: """
            ALTER TABLE federated_session ADD COLUMN provider_name TEXT;
            CREATE INDEX federated_session_name ON federated_session (connection_id, issuer, provider_name)
                WHERE provider_name IS NOT NULL;
            """)
}
