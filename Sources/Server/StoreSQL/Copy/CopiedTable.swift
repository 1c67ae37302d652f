/// A table that a copy takes along.
struct CopiedTable: Hashable, Sendable {
    let name: String
    /// Columns that no two rows share and that are never null. There is an index on them: rows are read in their order.
    let key: [String]
    /// The column that gets a number by itself, if there is one.
    let numbered: String?
    /// Whether a new database has a row already, which the copied one replaces.
    let hasFirstRow: Bool

    init(_ name: String, key: String..., numbered: String? = nil, hasFirstRow: Bool = false) {
        self.name = name
        self.key = key
        self.numbered = numbered
        self.hasFirstRow = hasFirstRow
    }

    /// One that is read, in whatever release's schema.
    init(_ name: String, keyColumns: [String], numbered: String?) {
        self.name = name
        key = keyColumns
        self.numbered = numbered
        hasFirstRow = false
    }

    /// All of them. What a table refers to comes before it. The revision is the last one: triggers raise it.
    static let all = [
        CopiedTable("project", key: "only"),
        CopiedTable("signing_key", key: "id"),
        CopiedTable("client", key: "id"),
        CopiedTable("tenant", key: "id"),
        CopiedTable("permission", key: "name"),
        CopiedTable("role", key: "id"),
        CopiedTable("tenant_domain", key: "tenant_id", "domain"),
        CopiedTable("connection", key: "id"),
        CopiedTable("scim_token", key: "digest"),
        CopiedTable("authenticator_metadata", key: "source"),

        CopiedTable("user", key: "id", numbered: "rowid"),
        CopiedTable("identifier", key: "kind", "value"),
        CopiedTable("former_identifier", key: "user_id", "role", "kind", "value", "ended_at"),
        CopiedTable("new_address", key: "user_id", "kind", "value"),
        CopiedTable("consent", key: "user_id", "client_id", "scope"),
        CopiedTable("consent_claim", key: "user_id", "client_id", "claim"),
        CopiedTable("consent_resource", key: "user_id", "client_id", "resource"),
        CopiedTable("consent_redirect", key: "user_id", "client_id", "redirect_uri"),
        CopiedTable("past_sign_in", key: "user_id", "device", "country", "trusted"),
        CopiedTable("anonymous_key", key: "id"),
        CopiedTable("membership", key: "user_id", "tenant_id"),
        CopiedTable("former_membership", key: "user_id", "tenant_id"),
        CopiedTable("access_key", key: "number", numbered: "number"),

        CopiedTable("password", key: "user_id"),
        CopiedTable("password_state", key: "user_id"),
        CopiedTable("password_history", key: "user_id", "number"),
        CopiedTable("authenticator", key: "id"),
        CopiedTable("recovery_code", key: "user_id", "digest"),
        CopiedTable("recovery", key: "user_id"),
        CopiedTable("site_user", key: "id", numbered: "id"),
        CopiedTable("passkey", key: "id"),
        CopiedTable("biometric_key", key: "id"),
        CopiedTable("data_key", key: "id"),
        CopiedTable("one_time_code", key: "slot", "digest"),
        CopiedTable("code_tries", key: "slot", "party"),
        CopiedTable("link", key: "digest"),
        CopiedTable("pending_link", key: "reference"),

        CopiedTable("federated_identity", key: "connection_id", "issuer", "subject"),
        CopiedTable("unlinked_identity", key: "user_id", "connection_id", "issuer", "subject"),
        CopiedTable("federated_session", key: "session_id"),
        CopiedTable("former_origin", key: "session_id", "connection_id", "issuer", "subject", "provider_session"),
        CopiedTable("federation_state", key: "digest"),
        CopiedTable("provider_token", key: "connection_id", "issuer", "subject"),
        CopiedTable("scim_resource", key: "number", numbered: "number"),
        CopiedTable("scim_value", key: "number", "path", "element"),
        CopiedTable("scim_member", key: "group_number", "user_number"),

        CopiedTable("grant_", key: "id"),
        CopiedTable("session", key: "digest"),
        CopiedTable("promotion", key: "grant_id"),
        CopiedTable("pushed_request", key: "digest"),
        CopiedTable("device_authorization", key: "digest"),
        CopiedTable("backchannel_authentication", key: "digest"),
        CopiedTable("ping_notice", key: "number", numbered: "number"),
        CopiedTable("logout_notice", key: "number", numbered: "number"),
        CopiedTable("revoked_token", key: "id"),
        CopiedTable("spent", key: "digest"),
        CopiedTable("attempt", key: "key"),
        CopiedTable("budget", key: "key"),
        CopiedTable("message", key: "number", numbered: "number"),
        CopiedTable("audit_event", key: "number", numbered: "number"),
        CopiedTable("audit_change", key: "number"),
        CopiedTable("audit_chain", key: "only", hasFirstRow: true),
        CopiedTable("audit_checkpoint", key: "number"),
        CopiedTable("audit_stream", key: "name"),
        CopiedTable("signal_stream", key: "id"),
        CopiedTable("console_operator", key: "user_id"),

        CopiedTable("revision", key: "number", hasFirstRow: true),
    ]
}
