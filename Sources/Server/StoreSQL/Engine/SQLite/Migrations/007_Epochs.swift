/// Epochs: a verification from before the user's sessions ended is void. An authenticator that waits for its first code
/// belongs to the session that began it.
extension Migrations {
    static let epochs = Migration(
        number: 7,
        sql: """
            ALTER TABLE user ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0;
            ALTER TABLE authenticator ADD COLUMN grant_id BLOB;
            ALTER TABLE authenticator ADD COLUMN session_id TEXT;
            """)
}
