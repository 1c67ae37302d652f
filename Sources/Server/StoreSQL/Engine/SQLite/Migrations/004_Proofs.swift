/// Pending codes and links, authenticators, recovery codes, the state of passwords, and rate limits. Nothing here could
/// be used to sign in: only digests, sealed secrets and counts.
extension Migrations {
    static let proofs = Migration(
        number: 4,
        sql: """
            CREATE TABLE one_time_code (
                slot TEXT NOT NULL, digest BLOB NOT NULL, purpose TEXT NOT NULL,
                user_id TEXT REFERENCES user (id) ON DELETE CASCADE, facts TEXT NOT NULL,
                created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL,
                PRIMARY KEY (slot, digest)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX one_time_code_user ON one_time_code (user_id);
            CREATE INDEX one_time_code_expiry ON one_time_code (expires_at);

            CREATE TABLE code_tries (
                slot TEXT NOT NULL, party TEXT NOT NULL, tries INTEGER NOT NULL, ends_at INTEGER NOT NULL,
                PRIMARY KEY (slot, party)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX code_tries_end ON code_tries (ends_at);

            CREATE TABLE link (
                digest BLOB PRIMARY KEY NOT NULL, user_id TEXT REFERENCES user (id) ON DELETE CASCADE,
                facts TEXT NOT NULL, reference BLOB, is_right INTEGER NOT NULL, expires_at INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX link_user ON link (user_id);
            CREATE INDEX link_reference ON link (reference);
            CREATE INDEX link_expiry ON link (expires_at);

            CREATE TABLE pending_link (
                reference BLOB PRIMARY KEY NOT NULL, state TEXT NOT NULL, facts TEXT NOT NULL,
                user_id TEXT REFERENCES user (id) ON DELETE CASCADE, is_first INTEGER NOT NULL,
                expires_at INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX pending_link_user ON pending_link (user_id);
            CREATE INDEX pending_link_expiry ON pending_link (expires_at);

            CREATE TABLE authenticator (
                id BLOB PRIMARY KEY NOT NULL, user_id TEXT REFERENCES user (id) ON DELETE CASCADE, sign_up TEXT,
                sealed BLOB NOT NULL, confirmed INTEGER NOT NULL, used_step INTEGER NOT NULL, facts TEXT,
                created_at INTEGER NOT NULL, expires_at INTEGER
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX authenticator_user ON authenticator (user_id);
            CREATE INDEX authenticator_sign_up ON authenticator (sign_up);
            CREATE INDEX authenticator_expiry ON authenticator (expires_at);

            CREATE TABLE recovery_code (
                user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE, digest BLOB NOT NULL,
                created_at INTEGER NOT NULL,
                PRIMARY KEY (user_id, digest)
            ) STRICT, WITHOUT ROWID;

            CREATE TABLE password_state (
                user_id TEXT PRIMARY KEY NOT NULL REFERENCES user (id) ON DELETE CASCADE,
                set_at INTEGER NOT NULL, must_replace INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;

            CREATE TABLE password_history (
                user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE, number INTEGER NOT NULL,
                hash TEXT NOT NULL,
                PRIMARY KEY (user_id, number)
            ) STRICT, WITHOUT ROWID;

            CREATE TABLE budget (
                key TEXT PRIMARY KEY NOT NULL, spent INTEGER NOT NULL, ends_at INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX budget_end ON budget (ends_at);
            """)
}
