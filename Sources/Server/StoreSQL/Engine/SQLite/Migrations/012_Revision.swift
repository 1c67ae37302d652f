/// A number that grows with each change of what servers keep in memory: clients, tenants, roles, permissions and
/// signing keys. Other writes do not change it.
extension Migrations {
    static let revision = Migration(
        number: 12,
        sql: """
            CREATE TABLE revision (number INTEGER NOT NULL) STRICT;
            INSERT INTO revision (number) VALUES (1);
            """
                + ["client", "tenant", "role", "permission", "signing_key"].flatMap { table in
                    ["INSERT", "UPDATE", "DELETE"].map { change in
                        """

                        CREATE TRIGGER revision_\(table)_\(change.lowercased()) AFTER \(change) ON \(table)
                        BEGIN UPDATE revision SET number = number + 1; END;
                        """
                    }
                }.joined())
}
