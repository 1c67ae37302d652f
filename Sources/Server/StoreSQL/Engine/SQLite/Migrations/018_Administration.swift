/// Indexes for searches of the administration, and the identifier of the project.
extension Migrations {
    static let administration = Migration(
        number: 18,
        sql: """
            CREATE INDEX audit_event_kind ON audit_event (kind, number);
            CREATE INDEX audit_event_client ON audit_event (client_id, number) WHERE client_id IS NOT NULL;
            CREATE INDEX audit_event_actor ON audit_event (actor, number) WHERE actor IS NOT NULL;
            CREATE INDEX audit_event_address ON audit_event (address, number) WHERE address IS NOT NULL;

            CREATE INDEX user_created ON user (created_at);
            CREATE INDEX user_updated ON user (updated_at);

            CREATE TABLE project (only INTEGER PRIMARY KEY CHECK (only = 1), id TEXT NOT NULL) STRICT;
            -- Earlier servers that were given no identifier all had this one, and their tokens name it.
            INSERT INTO project (only, id) SELECT 1, 'P2KeyturnDemoProject0000000000'
                WHERE EXISTS (SELECT 1 FROM signing_key);
            """)
}
