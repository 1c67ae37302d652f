/// Clients, sessions and grants.
extension Baseline {
    static let grants = """
        CREATE TABLE client (
            id TEXT PRIMARY KEY, metadata TEXT NOT NULL, secret_digests BYTEA NOT NULL, first_party BIGINT NOT NULL,
            resources TEXT NOT NULL, from_configuration BIGINT NOT NULL, updated_at BIGINT NOT NULL,
            assertion_audiences TEXT NOT NULL DEFAULT '', may_impersonate TEXT NOT NULL DEFAULT '[]',
            profile TEXT NOT NULL DEFAULT 'default', registration_digest BYTEA, registered_at BIGINT,
            private_logout_address BIGINT NOT NULL DEFAULT 0, strict_assertions BIGINT NOT NULL DEFAULT 0,
            assertion_seconds BIGINT
        );
        CREATE INDEX client_registered ON client (registered_at) WHERE registered_at IS NOT NULL;

        CREATE TABLE grant_ (
            id BYTEA PRIMARY KEY, client_id TEXT NOT NULL,
            user_id TEXT NOT NULL REFERENCES "user" (id) ON DELETE CASCADE, session_id TEXT, scope TEXT NOT NULL,
            is_offline BIGINT NOT NULL, resources TEXT NOT NULL, auth_time BIGINT NOT NULL, amr TEXT NOT NULL,
            acr TEXT NOT NULL, nonce TEXT, claims TEXT, created_at BIGINT NOT NULL,
            code_digest BYTEA NOT NULL UNIQUE, redirect_uri TEXT, code_challenge TEXT,
            code_expires_at BIGINT NOT NULL, redeemed_at BIGINT, counter BIGINT NOT NULL, rotated_at BIGINT,
            late_retry_at BIGINT, idle_expires_at BIGINT NOT NULL, absolute_expires_at BIGINT NOT NULL,
            ended_at BIGINT, end_reason TEXT, code_key TEXT, key TEXT, bearer BIGINT NOT NULL DEFAULT 0, tenant TEXT,
            session_claims TEXT, supersedes BYTEA, details TEXT, parent BYTEA, biometric_key TEXT, rotations TEXT,
            late_counter BIGINT, late_repetitions BIGINT NOT NULL DEFAULT 0, refresh_network TEXT,
            late_elsewhere BIGINT NOT NULL DEFAULT 0, late_elsewhere_at BIGINT, reauthenticates TEXT,
            vouched_by TEXT, anonymous_key TEXT, app_key TEXT
        );
        CREATE INDEX grant_user ON grant_ (user_id);
        CREATE INDEX grant_session ON grant_ (session_id);
        CREATE INDEX grant_client ON grant_ (client_id);
        CREATE INDEX grant_parent ON grant_ (parent) WHERE parent IS NOT NULL;
        CREATE INDEX grant_biometric_key ON grant_ (biometric_key) WHERE biometric_key IS NOT NULL;
        CREATE INDEX grant_vouched ON grant_ (user_id, vouched_by) WHERE vouched_by IS NOT NULL;
        CREATE INDEX grant_anonymous_key ON grant_ (anonymous_key) WHERE anonymous_key IS NOT NULL;

        CREATE TABLE session (
            digest BYTEA PRIMARY KEY, id TEXT NOT NULL UNIQUE,
            user_id TEXT NOT NULL REFERENCES "user" (id) ON DELETE CASCADE, auth_time BIGINT NOT NULL,
            amr TEXT NOT NULL, acr TEXT NOT NULL, created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL,
            address TEXT, device TEXT, vouched_by TEXT, grant_id BYTEA REFERENCES grant_ (id) ON DELETE CASCADE,
            country TEXT, risks TEXT NOT NULL DEFAULT ''
        );
        CREATE INDEX "session_user" ON session (user_id);
        CREATE INDEX session_expiry ON session (expires_at);
        CREATE INDEX session_grant ON session (grant_id) WHERE grant_id IS NOT NULL;

        CREATE TABLE promotion (
            grant_id BYTEA PRIMARY KEY REFERENCES grant_ (id) ON DELETE CASCADE, user_id TEXT NOT NULL, key_id TEXT,
            session_grant BYTEA, mark BYTEA NOT NULL, mark_expires_at BIGINT NOT NULL, choice TEXT NOT NULL,
            CHECK ((key_id IS NULL) <> (session_grant IS NULL))
        );

        CREATE TABLE pushed_request (
            digest BYTEA PRIMARY KEY, client_id TEXT NOT NULL, parameters TEXT NOT NULL, expires_at BIGINT NOT NULL
        );
        CREATE INDEX pushed_request_expiry ON pushed_request (expires_at);
        CREATE INDEX pushed_request_client ON pushed_request (client_id, expires_at);

        CREATE TABLE device_authorization (
            digest BYTEA PRIMARY KEY, user_code BYTEA NOT NULL UNIQUE, client_id TEXT NOT NULL, scope TEXT NOT NULL,
            resources TEXT NOT NULL, needs_several BIGINT NOT NULL, key TEXT, network TEXT,
            created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL, interval BIGINT NOT NULL,
            next_poll_at BIGINT NOT NULL, is_early BIGINT NOT NULL, decided_at BIGINT, grant_id BYTEA
        );
        CREATE INDEX device_authorization_expiry ON device_authorization (expires_at);

        CREATE TABLE backchannel_authentication (
            digest BYTEA PRIMARY KEY, client_id TEXT NOT NULL, user_id TEXT, scope TEXT NOT NULL,
            resources TEXT NOT NULL, needs_several BIGINT NOT NULL, key TEXT, binding_message TEXT,
            number BIGINT NOT NULL, network TEXT, created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL,
            interval BIGINT NOT NULL, next_poll_at BIGINT NOT NULL, is_early BIGINT NOT NULL, decided_at BIGINT,
            grant_id BYTEA, purpose TEXT NOT NULL DEFAULT 'tokens', device TEXT, ping BYTEA, approved_by TEXT,
            approved_auth_time BIGINT, collected_at BIGINT, approved_grant BYTEA
        );
        CREATE INDEX backchannel_expiry ON backchannel_authentication (expires_at);
        CREATE INDEX backchannel_waiting ON backchannel_authentication (user_id) WHERE decided_at IS NULL;

        CREATE TABLE ping_notice (
            number BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, client_id TEXT NOT NULL,
            request BYTEA NOT NULL UNIQUE, sealed BYTEA NOT NULL, expires_at BIGINT NOT NULL, due_at BIGINT NOT NULL,
            attempts BIGINT NOT NULL DEFAULT 0
        );
        CREATE INDEX ping_notice_due ON ping_notice (due_at);

        CREATE TABLE logout_notice (
            number BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, client_id TEXT NOT NULL,
            user_id TEXT NOT NULL, session_id TEXT NOT NULL, created_at BIGINT NOT NULL, due_at BIGINT NOT NULL,
            attempts BIGINT NOT NULL DEFAULT 0,
            UNIQUE (client_id, session_id)
        );
        CREATE INDEX logout_notice_due ON logout_notice (due_at);

        CREATE TABLE revoked_token (
            id TEXT PRIMARY KEY, expires_at BIGINT NOT NULL
        );
        CREATE INDEX revoked_token_expiry ON revoked_token (expires_at);

        CREATE TABLE spent (
            digest BYTEA PRIMARY KEY, expires_at BIGINT NOT NULL
        );
        CREATE INDEX spent_expiry ON spent (expires_at);
        """
}
