/// Pushed authorization requests, authorization details of grants, and clients that register themselves.
extension Migrations {
    static let pushedRequests = Migration(
        number: 10,
        sql: """
            CREATE TABLE pushed_request (
                digest BLOB PRIMARY KEY NOT NULL, client_id TEXT NOT NULL, parameters TEXT NOT NULL,
                expires_at INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX pushed_request_expiry ON pushed_request (expires_at);
            CREATE INDEX pushed_request_client ON pushed_request (client_id, expires_at);

            ALTER TABLE grant_ ADD COLUMN details TEXT;

            ALTER TABLE client ADD COLUMN registration_digest BLOB;
            ALTER TABLE client ADD COLUMN registered_at INTEGER;
            CREATE INDEX client_registered ON client (registered_at) WHERE registered_at IS NOT NULL;
            """)
}
