/// The hash chain of the audit log. Events of earlier releases, and those that servers of an earlier release write beside
/// this one, are in no chain.
extension Migrations {
    static let auditChain = Migration(
        number: 37,
        sql: """
            -- The digest of the event before. NULL: in no chain.
            ALTER TABLE audit_event ADD COLUMN previous BLOB;

            -- The digest of the newest event.
            CREATE TABLE audit_chain (
                "only" INTEGER PRIMARY KEY CHECK ("only" = 1),
                digest BLOB NOT NULL
            ) STRICT;
            INSERT INTO audit_chain ("only", digest) VALUES (1, zeroblob(32));

            CREATE TABLE audit_checkpoint (
                number INTEGER PRIMARY KEY,
                digest BLOB NOT NULL,
                at INTEGER NOT NULL,
                mac BLOB NOT NULL
            ) STRICT;

            -- Programs that get the log. The number is that of the last event that was sent.
            CREATE TABLE audit_stream (
                name TEXT PRIMARY KEY NOT NULL,
                number INTEGER NOT NULL,
                -- Until then one node has it.
                leased_until INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;
            """)
}

extension PostgreSQLMigrations {
    static let auditChain = Migration(
        number: 37, oldest: 35,
        sql: """
            ALTER TABLE audit_event ADD COLUMN previous bytea;
            CREATE TABLE audit_chain (
                "only" bigint PRIMARY KEY CHECK ("only" = 1), digest bytea NOT NULL
            ) WITH (fillfactor = 10);
            INSERT INTO audit_chain ("only", digest) VALUES (1, decode(repeat('00', 32), 'hex'));
            CREATE TABLE audit_checkpoint (
                number bigint PRIMARY KEY, digest bytea NOT NULL, at bigint NOT NULL, mac bytea NOT NULL
            );
            CREATE TABLE audit_stream (
                name text COLLATE "C" PRIMARY KEY, number bigint NOT NULL, leased_until bigint NOT NULL
            );
            """)
}
