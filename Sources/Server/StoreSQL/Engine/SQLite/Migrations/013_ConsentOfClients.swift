/// An index to find whether any user ever consented to a client.
extension Migrations {
    static let consentOfClients = Migration(
        number: 13, sql: "CREATE INDEX consent_client ON consent (client_id);")
}
