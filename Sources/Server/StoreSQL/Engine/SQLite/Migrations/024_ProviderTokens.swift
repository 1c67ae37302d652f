/// Tokens of providers, whose rows outlive their identities: the tokens are revoked first. And sessions are found by the
/// provider's session.
extension Migrations {
    static let providerTokens = Migration(
        number: 24,
        sql: """
            CREATE TABLE provider_token (
                connection_id TEXT NOT NULL, issuer TEXT NOT NULL, subject TEXT NOT NULL, sealed BLOB NOT NULL,
                -- When the tokens of an identity that is gone are to be revoked.
                due_at INTEGER, attempts INTEGER NOT NULL DEFAULT 0,
                PRIMARY KEY (connection_id, issuer, subject)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX provider_token_due ON provider_token (due_at) WHERE due_at IS NOT NULL;

            CREATE INDEX federated_session_provider ON federated_session (connection_id, issuer, provider_session);

            CREATE TRIGGER provider_token_ended AFTER DELETE ON federated_identity
            BEGIN
                UPDATE provider_token SET due_at = 0
                WHERE connection_id = OLD.connection_id AND issuer = OLD.issuer AND subject = OLD.subject;
            END;
            """)
}
