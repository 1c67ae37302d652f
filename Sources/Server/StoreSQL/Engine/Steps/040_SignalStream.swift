/// Streams that receivers of shared signals registered.
extension Migrations {
    static let signalStream = Migration(
        number: 40, oldest: 38,
        sql: """
            CREATE TABLE signal_stream (
                id TEXT PRIMARY KEY NOT NULL,
                client_id TEXT NOT NULL REFERENCES client (id) ON DELETE CASCADE,
                -- NULL: the receiver polls.
                address TEXT,
                "authorization" BLOB,
                events TEXT NOT NULL,
                description TEXT,
                status TEXT NOT NULL,
                reason TEXT,
                number INTEGER NOT NULL,
                taken TEXT NOT NULL,
                verification_id TEXT,
                verification_state TEXT,
                verified_at INTEGER,
                created_at INTEGER NOT NULL,
                due_at INTEGER NOT NULL,
                failures INTEGER NOT NULL,
                -- Until then one node pushes it.
                leased_until INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX signal_stream_client ON signal_stream (client_id, created_at);
            """)
}

extension PostgreSQLMigrations {
    static let signalStream = Migration(
        number: 40, oldest: 38,
        sql: """
            CREATE TABLE signal_stream (
                id text COLLATE "C" PRIMARY KEY,
                client_id text COLLATE "C" NOT NULL REFERENCES client (id) ON DELETE CASCADE,
                address text COLLATE "C", "authorization" bytea, events text COLLATE "C" NOT NULL,
                description text COLLATE "C", status text COLLATE "C" NOT NULL, reason text COLLATE "C",
                number bigint NOT NULL, taken text COLLATE "C" NOT NULL, verification_id text COLLATE "C",
                verification_state text COLLATE "C", verified_at bigint, created_at bigint NOT NULL,
                due_at bigint NOT NULL, failures bigint NOT NULL, leased_until bigint NOT NULL
            );
            CREATE INDEX signal_stream_client ON signal_stream (client_id, created_at);
            """)
}
