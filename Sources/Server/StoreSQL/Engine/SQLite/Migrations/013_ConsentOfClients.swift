/// Whether anybody ever agreed to a client, without a look at everybody.
extension Migrations {
    static let consentOfClients = Migration(
        number: 13, sql: "CREATE INDEX consent_client ON consent (client_id);")
}
