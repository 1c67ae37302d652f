internal import Model

extension TransferTable {
    /// Every table that goes along. What a table refers to comes before it.
    static let all: [TransferTable] = project + accounts + credentials + provisioning + sessions

    private static let ofUser = ["user_id": "user"]

    private static let project = [
        TransferTable(
            "signing_key", "id algorithm created_at removed_at",
            ["sealed": .sealed(.signingKey, .id), "activates_at": .retired, "retires_at": .retired],
            need: .signingKeys, uniques: [TransferUnique("id")], compared: "algorithm"),
        TransferTable(
            "client",
            """
            id metadata first_party resources updated_at created_at assertion_audiences may_impersonate profile registered_at
            private_logout_address strict_assertions assertion_seconds of_others
            """,
            ["secret_digests": .secret, "registration_digest": .secret, "from_configuration": .unmanaged],
            uniques: [TransferUnique("id")],
            compared: """
                metadata secret_digests first_party resources assertion_audiences may_impersonate profile
                private_logout_address strict_assertions assertion_seconds
                """),
        TransferTable(
            "tenant", "id name domains attributes created_at requires_sso sso_exclusions",
            uniques: [TransferUnique("id")], compared: "name domains attributes requires_sso sso_exclusions"),
        TransferTable(
            "permission", "name description", uniques: [TransferUnique("name")], compared: "description"),
        // Compared by name: TransferRoles.
        TransferTable("role", "id tenant_id name description permissions is_default created_at"),
        TransferTable(
            "tenant_domain", "tenant_id domain state token claimed_at proven_at",
            uniques: [
                TransferUnique("tenant_id domain"), TransferUnique("domain", if: .texts("state", "proven", "trusted")),
            ], compared: "state"),
        TransferTable(
            "connection", "id tenant_id", ["sealed": .sealed(.connection, .id)], need: .secrets,
            uniques: [TransferUnique("id")]),
        TransferTable(
            "scim_token", "digest id tenant_id name created_at expires_at used_at", need: .secrets,
            uniques: [TransferUnique("digest"), TransferUnique("id")]),
    ]

    private static let accounts = [
        TransferTable(
            "user",
            """
            id status claims created_at updated_at is_test attributes epoch accepted anonymous_at anonymous_seen_at
            others_at operators_at voided_at sessions_ended_at disputed_at
            """, ["roles": .roles, "rowid": .number(of: "user")], uniques: [TransferUnique("id")]),
        TransferTable(
            "identifier", "kind value verified user_id", uniques: [TransferUnique("kind value")], owners: ofUser),
        TransferTable(
            "former_identifier", "user_id role kind value verified proved_at ended_at", owners: ofUser),
        TransferTable("new_address", "user_id kind value proved_at was_listed", owners: ofUser),
        TransferTable("consent", "user_id client_id scope given_at", owners: ofUser),
        TransferTable("consent_claim", "user_id client_id claim given_at", owners: ofUser),
        TransferTable("consent_resource", "user_id client_id resource given_at", owners: ofUser),
        TransferTable("consent_redirect", "user_id client_id redirect_uri given_at", owners: ofUser),
        TransferTable(
            "past_sign_in", "user_id device country trusted latitude longitude first_at used_at", owners: ofUser),
        TransferTable(
            "anonymous_key", "id user_id client_id public_key algorithm created_at used_at",
            uniques: [TransferUnique("id")], owners: ofUser),
        TransferTable("membership", "user_id tenant_id brought_at", ["roles": .roles], owners: ofUser),
        TransferTable("former_membership", "user_id tenant_id left_at back_at brought_at", owners: ofUser),
        TransferTable("console_operator", "user_id role since granted_by", owners: ofUser),
        TransferTable(
            "access_key",
            """
            id digest name description is_active user_id claims attributes networks created_by created_at updated_at
            expires_at
            """, ["number": .number(of: "access_key"), "roles": .roles, "tenants": .rolesByTenant], need: .secrets,
            uniques: [TransferUnique("id"), TransferUnique("digest")], owners: ofUser),
    ]

    private static let credentials = [
        TransferTable("password", "user_id hash", need: .secrets, owners: ofUser),
        TransferTable(
            "password_state", "user_id set_at must_replace reset_at", need: .secrets, owners: ofUser),
        TransferTable("password_history", "user_id number hash", need: .secrets, owners: ofUser),
        TransferTable(
            "authenticator", "id user_id confirmed used_step created_at expires_at",
            ["sealed": .sealed(.authenticator, .id)], need: .secrets,
            leftOut: [
                "sign_up": "of a sign-up under way", "facts": "of a sign-up under way",
                "grant_id": "of a set-up under way", "session_id": "of a set-up under way",
            ],
            uniques: [TransferUnique("id")], owners: ofUser, condition: .flag("confirmed")),
        TransferTable(
            "recovery_code", "user_id digest created_at", need: .secrets, owners: ofUser, keyedBy: .recoveryCode),
        TransferTable(
            "site_user", "rp_id site_id folded_id",
            ["id": .number(of: "site_user"), "username_digest": .keyed(.siteUsername)],
            uniques: [TransferUnique("rp_id site_id"), TransferUnique("rp_id username_digest")]),
        TransferTable(
            "passkey",
            """
            id rp_id credential_id user_id user_handle public_key sign_count uv_initialized transports backup_eligible
            backup_state aaguid attestation name active created_at used_at
            """, ["site_user_id": .number(of: "site_user")],
            uniques: [TransferUnique("id"), TransferUnique("rp_id credential_id")],
            owners: ["user_id": "user", "site_user_id": "site_user"]),
        TransferTable(
            "biometric_key", "id user_id client_id scope is_strong public_key algorithm device created_at used_at",
            uniques: [TransferUnique("id")], owners: ofUser),
        TransferTable(
            "data_key",
            """
            id realm user_id client_id salt memory_kib passes lanes long_secret failures guesses guesses_since used_from
            attempt attempted_at locked_at created_at used_at
            """,
            [
                "by_secret": .sealed(.keyService, .dataKey(.secret)),
                "by_long_secret": .sealed(.keyService, .dataKey(.longSecret)),
            ], need: .secrets, leftOut: ["name": "of a request that may be repeated within the day"],
            uniques: [TransferUnique("id")], owners: ofUser),
        TransferTable(
            "federated_identity",
            """
            connection_id issuer subject user_id email name linked_at used_at by_owner roles_tenant signed_out_at
            """, ["roles": .roles],
            uniques: [TransferUnique("connection_id issuer subject")], owners: ofUser),
        TransferTable(
            "unlinked_identity", "connection_id issuer subject user_id unlinked_at by_owner by_connection",
            uniques: [TransferUnique("user_id connection_id issuer subject")], owners: ofUser),
    ]

    private static let provisioning = [
        TransferTable(
            "scim_resource",
            """
            id tenant_id kind name_key external_id attributes active user_id made_user disabled_user
            given_login_id version created_at updated_at brought_at
            """, ["number": .number(of: "scim_resource"), "role_id": .role],
            uniques: [
                TransferUnique("id"), TransferUnique("tenant_id kind name_key"),
                TransferUnique("tenant_id kind external_id"), TransferUnique("user_id tenant_id"),
            ], owners: ofUser),
        TransferTable(
            "scim_value", "path element tenant_id value", ["number": .number(of: "scim_resource")],
            owners: ["number": "scim_resource"]),
        TransferTable(
            "scim_member", "",
            ["group_number": .number(of: "scim_resource"), "user_number": .number(of: "scim_resource")],
            owners: ["group_number": "scim_resource", "user_number": "scim_resource"]),
    ]

    private static let sessions = [
        TransferTable(
            "grant_",
            """
            id client_id user_id session_id scope is_offline resources auth_time amr acr nonce claims created_at
            code_digest redirect_uri code_challenge code_expires_at redeemed_at counter rotated_at late_retry_at
            idle_expires_at absolute_expires_at ended_at end_reason code_key key bearer tenant session_claims supersedes
            details parent biometric_key rotations late_counter late_repetitions refresh_network late_elsewhere
            late_elsewhere_at reauthenticates reauthenticates_since vouched_by anonymous_key app_key tokens_after
            refresh_client shadow shadowed_at
            """, need: .sessions, uniques: [TransferUnique("id"), TransferUnique("code_digest")], owners: ofUser,
            keyedBy: .refreshToken),
        TransferTable(
            "session",
            """
            digest id user_id auth_time amr acr created_at expires_at address device vouched_by grant_id country risks
            """, need: .sessions, uniques: [TransferUnique("digest"), TransferUnique("id")],
            owners: ["user_id": "user", "grant_id": "grant_"], keyedBy: .refreshToken),
        TransferTable(
            "federated_session",
            "session_id user_id connection_id issuer subject provider_session expires_at provider_name",
            need: .sessions, uniques: [TransferUnique("session_id")], owners: ofUser, keyedBy: .refreshToken),
        TransferTable(
            "former_origin",
            "session_id user_id connection_id issuer subject provider_session expires_at provider_name",
            need: .sessions,
            uniques: [TransferUnique("session_id connection_id issuer subject provider_session")], owners: ofUser,
            keyedBy: .refreshToken),
        TransferTable(
            "revoked_token", "id expires_at", need: .sessions, uniques: [TransferUnique("id")],
            compared: "expires_at", keyedBy: .refreshToken),
    ]

    /// The other tables, each with the reason why it stays behind.
    static let leftOut: [String: String] = [
        "project": "the identifier of the server's own project: `project.id` in the configuration sets it",
        "provider_token": "a refresh token that two servers hold is taken for stolen: providers give new ones",
        "authenticator_metadata": "of makers of authenticators: each server fetches it",
        "recovery": "under way: begun again at the other end",
        "one_time_code": "of the moment, and a digest under the server's secrets",
        "code_tries": "of the moment", "link": "of the moment", "pending_link": "of the moment",
        "federation_state": "a sign-in at a provider under way", "promotion": "a sign-up under way",
        "pushed_request": "a request under way", "device_authorization": "a request under way",
        "backchannel_authentication": "a request under way", "ping_notice": "it waits to be sent from here",
        "logout_notice": "it waits to be sent from here", "message": "it waits to be sent from here",
        "spent": "what was used once here", "attempt": "counts of the moment", "budget": "counts of the moment",
        "audit_event": "the log of this server, in its chain: `keyturn audit export` writes it",
        "audit_change": "values of this server's log",
        "audit_chain": "the end of this server's log", "audit_checkpoint": "signed for this server's log",
        "audit_stream": "how far this server's log was delivered",
        "signal_stream": "positions in this server's log: receivers make streams at the other server",
        "revision": "a count of changes here",
        "upkeep": "how far the clean-up is here",
    ]
}
