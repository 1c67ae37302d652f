/// Who was taken out of which tenant: its provider and its directory alone do not get the account back. Those whom an
/// earlier release took out are told by what is left of them.
extension Migrations {
    static let formerMemberships = Migration(
        number: 57, oldest: 38,
        sql: """
            CREATE TABLE former_membership (
                user_id TEXT NOT NULL REFERENCES "user" (id) ON DELETE CASCADE,
                tenant_id TEXT NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
                left_at INTEGER NOT NULL,
                -- NULL: the user has not come back.
                back_at INTEGER,
                -- When an identity or a merge had brought it (of membership); NULL: it was given.
                brought_at INTEGER,
                PRIMARY KEY (user_id, tenant_id)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX former_membership_tenant ON former_membership (tenant_id);
            """ + FormerMemberships.recorded)
}

extension PostgreSQLMigrations {
    static let formerMemberships = Migration(
        number: 57, oldest: 38,
        sql: """
            CREATE TABLE former_membership (
                user_id text COLLATE "C" NOT NULL REFERENCES "user" (id) ON DELETE CASCADE,
                tenant_id text COLLATE "C" NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
                left_at bigint NOT NULL, back_at bigint, brought_at bigint,
                PRIMARY KEY (user_id, tenant_id)
            );
            CREATE INDEX former_membership_tenant ON former_membership (tenant_id);
            """ + FormerMemberships.recorded)
}

extension FormerMemberships {
    /// Identities of members, and users whom a directory deactivated, without a membership.
    fileprivate static let recorded = """

        INSERT INTO former_membership (user_id, tenant_id, left_at)
        SELECT i.user_id, i.roles_tenant, max(i.used_at) FROM federated_identity i
        WHERE i.by_owner = 0 AND i.roles_tenant IN (SELECT id FROM tenant) AND NOT EXISTS (
            SELECT 1 FROM membership m WHERE m.user_id = i.user_id AND m.tenant_id = i.roles_tenant)
        GROUP BY i.user_id, i.roles_tenant;
        INSERT INTO former_membership (user_id, tenant_id, left_at)
        SELECT r.user_id, r.tenant_id, r.updated_at FROM scim_resource r
        WHERE r.user_id IS NOT NULL AND r.active = 0 AND NOT EXISTS (
            SELECT 1 FROM membership m WHERE m.user_id = r.user_id AND m.tenant_id = r.tenant_id)
        ON CONFLICT (user_id, tenant_id) DO NOTHING;
        """
}
