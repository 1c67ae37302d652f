extension PersonalSection {
    private static let secret = "a secret or its digest"
    private static let inner = "the program's own count or reference"

    /// Every table with rows about users.
    static let all: [PersonalSection] = accounts + credentials + signIns + underWay

    private static let accounts = [
        PersonalSection(
            "profile", "user", where: "id = ?1",
            PersonalColumn.text("id", "status"), PersonalColumn.json("claims", "attributes", "roles", "accepted"),
            PersonalColumn.flag("is_test"),
            PersonalColumn.integer(
                "created_at", "updated_at", "anonymous_at", "anonymous_seen_at", "others_at", "operators_at",
                "voided_at", "sessions_ended_at", "disputed_at"),
            withheld: ["epoch": inner]),
        PersonalSection(
            "login_ids", "identifier", PersonalColumn.text("kind", "value"), PersonalColumn.flag("verified")),
        PersonalSection(
            "former_login_ids", "former_identifier",
            PersonalColumn.text("role", "kind", "value"), PersonalColumn.flag("verified"),
            PersonalColumn.integer("proved_at", "ended_at")),
        PersonalSection(
            "new_addresses", "new_address",
            PersonalColumn.text("kind", "value"), PersonalColumn.integer("proved_at"), PersonalColumn.flag("was_listed")
        ),
        PersonalSection(
            "memberships", "membership", PersonalColumn.text("tenant_id"), PersonalColumn.json("roles"),
            PersonalColumn.integer("brought_at")),
        PersonalSection(
            "former_memberships", "former_membership", PersonalColumn.text("tenant_id"),
            PersonalColumn.integer("left_at", "back_at", "brought_at")),
        PersonalSection(
            "directory_entries", "scim_resource",
            PersonalColumn.text("id", "tenant_id", "kind", "external_id", "given_login_id"),
            PersonalColumn.json("attributes"),
            PersonalColumn.flag("active", "made_user", "disabled_user"),
            PersonalColumn.integer("created_at", "updated_at", "brought_at"),
            withheld: ["number": inner, "name_key": inner, "role_id": "of groups alone", "version": inner]),
        PersonalSection(
            "console_roles", "console_operator",
            PersonalColumn.text("role", "granted_by"), PersonalColumn.integer("since")),
        PersonalSection(
            "provider_connections", "federated_identity",
            PersonalColumn.text("connection_id", "issuer", "subject", "email", "name", "roles_tenant"),
            PersonalColumn.json("roles"), PersonalColumn.integer("linked_at", "used_at", "signed_out_at"),
            PersonalColumn.flag("by_owner")),
        PersonalSection(
            "removed_provider_connections", "unlinked_identity",
            PersonalColumn.text("connection_id", "issuer", "subject"), PersonalColumn.integer("unlinked_at"),
            PersonalColumn.flag("by_owner", "by_connection")),
        PersonalSection(
            "consents", "consent", PersonalColumn.text("client_id", "scope"), PersonalColumn.integer("given_at")),
        PersonalSection(
            "consents_to_claims", "consent_claim", PersonalColumn.text("client_id", "claim"),
            PersonalColumn.integer("given_at")),
        PersonalSection(
            "consents_to_resources", "consent_resource", PersonalColumn.text("client_id", "resource"),
            PersonalColumn.integer("given_at")),
        PersonalSection(
            "consents_to_addresses", "consent_redirect",
            PersonalColumn.text("client_id", "redirect_uri"), PersonalColumn.integer("given_at")),
        PersonalSection(
            "access_keys", "access_key",
            PersonalColumn.text("id", "name", "description", "created_by"), PersonalColumn.flag("is_active"),
            PersonalColumn.json("roles", "tenants", "claims", "attributes", "networks"),
            PersonalColumn.integer("created_at", "updated_at", "expires_at"),
            withheld: ["number": inner, "digest": secret]),
        PersonalSection(
            "audit_events", "audit_event", where: "user_id = ?1 OR actor = ?1",
            PersonalColumn.integer("number", "at"),
            PersonalColumn.text(
                "kind", "user_id", "client_id", "session_id", "address", "reason", "actor", "target"),
            withheld: ["previous": "the chain over all events", "changes_digest": "the chain over all events"]),
        PersonalSection(
            "audit_changes", "audit_change", PersonalColumn.integer("number"), PersonalColumn.json("changes"),
            withheld: ["salt": inner]),
    ]

    private static let credentials = [
        PersonalSection("passwords", "password", PersonalColumn.presence("hash")),
        PersonalSection(
            "password_states", "password_state",
            PersonalColumn.integer("set_at", "reset_at"), PersonalColumn.flag("must_replace")),
        PersonalSection(
            "earlier_passwords", "password_history", PersonalColumn.integer("number"), PersonalColumn.presence("hash")),
        PersonalSection(
            "authenticator_apps", "authenticator",
            PersonalColumn.integer("created_at", "expires_at"), PersonalColumn.flag("confirmed"),
            PersonalColumn.text("sign_up", "session_id"),
            withheld: [
                "id": inner, "sealed": secret, "used_step": inner, "facts": "a set-up under way", "grant_id": inner,
            ]),
        PersonalSection(
            "recovery_codes", "recovery_code", PersonalColumn.integer("created_at"), withheld: ["digest": secret]),
        PersonalSection(
            "recoveries", "recovery", PersonalColumn.integer("begun_at", "ready_at", "expires_at", "cancelled_at"),
            withheld: ["epoch": inner, "cancel_digest": secret]),
        PersonalSection(
            "passkeys", "passkey",
            PersonalColumn.text("id", "rp_id", "name", "transports", "attestation"),
            PersonalColumn.bytes("credential_id", "aaguid"),
            PersonalColumn.flag("active", "uv_initialized", "backup_eligible", "backup_state"),
            PersonalColumn.integer("sign_count", "created_at", "used_at"),
            withheld: [
                "site_user_id": "of sites' own users", "user_handle": inner, "public_key": "of use to the server alone",
            ]),
        PersonalSection(
            "biometric_keys", "biometric_key",
            PersonalColumn.text("id", "client_id", "scope", "device", "algorithm"), PersonalColumn.flag("is_strong"),
            PersonalColumn.integer("created_at", "used_at"),
            withheld: ["public_key": "of use to the server alone"]),
        PersonalSection(
            "anonymous_keys", "anonymous_key",
            PersonalColumn.text("id", "client_id", "algorithm"), PersonalColumn.integer("created_at", "used_at"),
            withheld: ["public_key": "of use to the server alone"]),
        PersonalSection(
            "data_keys", "data_key",
            PersonalColumn.text("id", "realm", "client_id", "used_from"),
            PersonalColumn.integer("failures", "created_at", "used_at", "attempted_at", "locked_at"),
            withheld: [
                "salt": secret, "memory_kib": inner, "passes": inner, "lanes": inner, "by_secret": secret,
                "by_long_secret": secret, "long_secret": secret, "guesses": inner, "guesses_since": inner,
                "attempt": inner, "name": "encrypted by the app",
            ]),
    ]

    private static let signIns = [
        PersonalSection(
            "sessions", "session",
            PersonalColumn.text("id", "address", "device", "country", "amr", "acr", "risks", "vouched_by"),
            PersonalColumn.bytes("grant_id"),
            PersonalColumn.integer("auth_time", "created_at", "expires_at"),
            withheld: ["digest": secret]),
        PersonalSection(
            "past_sign_ins", "past_sign_in",
            PersonalColumn.integer("first_at", "used_at", "latitude", "longitude"), PersonalColumn.text("country"),
            PersonalColumn.flag("trusted"),
            withheld: ["device": secret]),
        PersonalSection(
            "grants", "grant_",
            PersonalColumn.integer(
                "created_at", "auth_time", "redeemed_at", "rotated_at", "idle_expires_at", "absolute_expires_at",
                "ended_at", "late_retry_at", "late_elsewhere_at", "tokens_after", "shadowed_at"),
            PersonalColumn.bytes("id", "parent", "supersedes"),
            PersonalColumn.text(
                "client_id", "session_id", "scope", "resources", "amr", "acr", "redirect_uri", "end_reason", "tenant",
                "vouched_by",
                "biometric_key", "anonymous_key", "refresh_network", "refresh_client", "shadow"),
            PersonalColumn.json("claims", "session_claims", "details"),
            PersonalColumn.flag("is_offline", "bearer"),
            withheld: [
                "nonce": secret, "code_digest": secret, "code_challenge": secret, "code_expires_at": inner,
                "counter": inner, "code_key": inner, "key": inner, "app_key": inner, "rotations": inner,
                "late_counter": inner, "late_repetitions": inner, "late_elsewhere": inner, "reauthenticates": inner,
                "reauthenticates_since": inner,
            ]),
        PersonalSection(
            "provider_sessions", "federated_session",
            PersonalColumn.text(
                "session_id", "connection_id", "issuer", "subject", "provider_session", "provider_name"),
            PersonalColumn.integer("expires_at")),
        PersonalSection(
            "earlier_provider_sessions", "former_origin",
            PersonalColumn.text(
                "session_id", "connection_id", "issuer", "subject", "provider_session", "provider_name"),
            PersonalColumn.integer("expires_at")),
    ]

    /// What ends within days.
    private static let underWay = [
        PersonalSection(
            "codes", "one_time_code", PersonalColumn.integer("created_at", "expires_at"),
            PersonalColumn.text("purpose"),
            withheld: ["slot": inner, "digest": secret, "facts": "a proof under way: its address is in login_ids"]),
        PersonalSection(
            "links", "link", PersonalColumn.integer("expires_at"),
            withheld: [
                "digest": secret, "facts": "a proof under way: its address is in login_ids", "reference": secret,
                "is_right": inner,
            ]),
        PersonalSection(
            "pending_links", "pending_link", PersonalColumn.integer("expires_at"), PersonalColumn.text("state"),
            withheld: ["reference": secret, "facts": "a proof under way", "is_first": inner]),
        PersonalSection(
            "logout_notices", "logout_notice",
            PersonalColumn.integer("created_at", "due_at", "attempts"), PersonalColumn.text("client_id", "session_id"),
            withheld: ["number": inner]),
        PersonalSection(
            "approval_requests", "backchannel_authentication",
            PersonalColumn.integer("created_at", "expires_at", "decided_at", "approved_auth_time", "collected_at"),
            PersonalColumn.text(
                "client_id", "scope", "resources", "binding_message", "network", "purpose", "device", "approved_by"),
            withheld: [
                "digest": secret, "needs_several": inner, "key": inner, "number": inner, "interval": inner,
                "next_poll_at": inner, "is_early": inner, "grant_id": inner, "ping": secret, "approved_grant": inner,
            ]),
        PersonalSection(
            "promotions", "promotion", PersonalColumn.integer("mark_expires_at"),
            PersonalColumn.text("choice", "key_id"),
            withheld: ["grant_id": inner, "session_grant": inner, "mark": secret]),
    ]

    /// The other tables, each with the reason why no section reads it.
    static let leftOut: [String: String] = [
        "message": "sealed and without the user's name; gone two days after it was sent",
        "attempt": "counts of wrong attempts; those of an account go with it",
        "budget": "counts of messages and recoveries; gone within a week",
        "code_tries": "counts of tries at codes; gone with the code",
        "provider_token": "tokens of the user at a provider, sealed: secrets",
        "pushed_request": "a client's request, which may name a user; gone within the hour",
        "federation_state": "a sign-in at a provider under way, sealed",
        "device_authorization": "of no user until it is decided; then the grant is in the document",
        "spent": "digests of what was used once", "revoked_token": "identifiers of tokens",
        "site_user": "users of sites that keep their own: the site answers for them",
        "scim_value": "a search index over directory entries", "scim_member": "groups of directory entries",
        "scim_token": "of a directory", "audit_chain": "a digest", "audit_checkpoint": "digests",
        "audit_stream": "of a receiver", "signal_stream": "of a receiver", "client": "an application",
        "connection": "a provider",
        "project": "the server", "permission": "of roles", "role": "of users in general", "tenant": "an organisation",
        "tenant_domain": "of an organisation", "signing_key": "of the server", "ping_notice": "sealed, for a client",
        "authenticator_metadata": "of makers", "revision": "a count", "upkeep": "a position",
    ]
}
