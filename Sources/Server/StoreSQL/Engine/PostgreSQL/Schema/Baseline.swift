/// The schema for PostgreSQL at the step where its support began; the steps behind it are in ``PostgreSQLMigrations``.
///
/// Booleans are numbers, 0 and 1, and times are seconds since 1970. `TEXT` stands for text that is ordered by its bytes,
/// whatever the database's locale is.
enum Baseline {
    /// The step of SQLite's schema that this one is equal to.
    static let number = 35

    static let sql = [users, credentials, grants, tenants, upkeep, own, triggers, storage]
        .joined(separator: "\n")
        .replacing("TEXT", with: "text COLLATE \"C\"")

    /// What only an engine with connections needs.
    private static let own = """
        -- Rows that transactions write about themselves; see CommitMark.
        CREATE TABLE commit_mark (
            id BYTEA PRIMARY KEY, is_fence BIGINT NOT NULL DEFAULT 0,
            at BIGINT NOT NULL DEFAULT (extract(epoch FROM clock_timestamp())::bigint)
        );
        CREATE INDEX commit_mark_age ON commit_mark (at);
        """

    private static let triggers =
        """
        INSERT INTO revision (number) VALUES (1);
        CREATE FUNCTION raise_revision() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN UPDATE revision SET number = number + 1; RETURN NULL; END $$;
        CREATE FUNCTION end_provider_token() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN
                UPDATE provider_token SET due_at = 0
                WHERE connection_id = OLD.connection_id AND issuer = OLD.issuer AND subject = OLD.subject;
                RETURN NULL;
            END $$;
        CREATE TRIGGER provider_token_ended AFTER DELETE ON federated_identity
            FOR EACH ROW EXECUTE FUNCTION end_provider_token();
        """
        + ["client", "tenant", "role", "permission", "signing_key", "connection"].map { table in
            """

            CREATE TRIGGER revision_\(table) AFTER INSERT OR UPDATE OR DELETE ON \(table)
                FOR EACH STATEMENT EXECUTE FUNCTION raise_revision();
            """
        }.joined()

    /// Room on each page for the next version of a row, so that a refresh changes no index: the first one makes a row
    /// longer, so with 90 some had to move, and with 80 none. And tables that change fast are cleaned soon.
    private static let storage =
        """
        ALTER TABLE grant_ SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02,
            autovacuum_vacuum_cost_limit = 2000, autovacuum_vacuum_insert_scale_factor = 0.05);
        ALTER TABLE revision SET (fillfactor = 10);
        """
        + ["budget", "attempt", "spent", "code_tries", "message", "commit_mark"].map { table in
            """

            ALTER TABLE \(table) SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0,
                autovacuum_vacuum_threshold = 1000);
            """
        }.joined()
}
