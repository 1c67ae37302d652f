/// Connections to identity providers, users' identities there, and sign-ins that are under way.
extension Migrations {
    static let connections = Migration(
        number: 22,
        sql: """
            CREATE TABLE connection (
                id TEXT PRIMARY KEY NOT NULL, tenant_id TEXT REFERENCES tenant (id) ON DELETE CASCADE,
                sealed BLOB NOT NULL
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX connection_tenant ON connection (tenant_id);

            -- A connection can stand in the configuration file alone, so there is no reference to it.
            CREATE TABLE federated_identity (
                connection_id TEXT NOT NULL, issuer TEXT NOT NULL, subject TEXT NOT NULL,
                user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
                email TEXT, name TEXT, linked_at INTEGER NOT NULL, used_at INTEGER NOT NULL,
                PRIMARY KEY (connection_id, issuer, subject)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX federated_identity_user ON federated_identity (user_id);

            -- Identities that were unlinked: their provider's word links them no more.
            CREATE TABLE unlinked_identity (
                connection_id TEXT NOT NULL, issuer TEXT NOT NULL, subject TEXT NOT NULL,
                user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
                unlinked_at INTEGER NOT NULL, PRIMARY KEY (connection_id, issuer, subject)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX unlinked_identity_user ON unlinked_identity (user_id);

            CREATE TABLE federated_session (
                session_id TEXT PRIMARY KEY NOT NULL, user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
                connection_id TEXT NOT NULL, issuer TEXT NOT NULL, subject TEXT NOT NULL, provider_session TEXT,
                expires_at INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX federated_session_identity ON federated_session (connection_id, issuer, subject);
            CREATE INDEX federated_session_expiry ON federated_session (expires_at);
            CREATE INDEX federated_session_user ON federated_session (user_id);

            CREATE TABLE federation_state (
                digest BLOB PRIMARY KEY NOT NULL, sealed BLOB NOT NULL, expires_at INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX federation_state_expiry ON federation_state (expires_at);

            """
                + ["INSERT", "UPDATE", "DELETE"].map { change in
                    """

                    CREATE TRIGGER revision_connection_\(change.lowercased()) AFTER \(change) ON connection
                    BEGIN UPDATE revision SET number = number + 1; END;
                    """
                }.joined())
}
