/// Messages that wait to be sent. Their contents are sealed, and removed after sending.
extension Migrations {
    static let messages = Migration(
        number: 5,
        sql: """
            CREATE TABLE message (
                number INTEGER PRIMARY KEY AUTOINCREMENT, id BLOB NOT NULL UNIQUE, kind TEXT NOT NULL,
                channel TEXT NOT NULL, sealed BLOB, is_decoy INTEGER NOT NULL,
                created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL,
                due_at INTEGER, attempts INTEGER NOT NULL DEFAULT 0,
                finished_at INTEGER, state TEXT NOT NULL DEFAULT 'waiting', reason TEXT
            ) STRICT;
            CREATE INDEX message_due ON message (due_at) WHERE due_at IS NOT NULL;
            CREATE INDEX message_finished ON message (finished_at) WHERE finished_at IS NOT NULL;
            """)
}
