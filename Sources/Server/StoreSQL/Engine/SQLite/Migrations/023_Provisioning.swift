/// What tenants' provisioning clients made, their tokens, and the domains that tenants have proven.
extension Migrations {
    static let provisioning = Migration(
        number: 23,
        sql: """
            CREATE TABLE scim_resource (
                number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
                tenant_id TEXT NOT NULL REFERENCES tenant (id) ON DELETE CASCADE, kind TEXT NOT NULL,
                name_key TEXT NOT NULL, external_id TEXT, attributes TEXT NOT NULL, active INTEGER NOT NULL,
                user_id TEXT REFERENCES "user" (id) ON DELETE CASCADE,
                -- Whether provisioning made the account, and whether it has disabled it.
                made_user INTEGER NOT NULL DEFAULT 0, disabled_user INTEGER NOT NULL DEFAULT 0,
                role_id TEXT REFERENCES role (id) ON DELETE SET NULL,
                version INTEGER NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
            ) STRICT;
            CREATE UNIQUE INDEX scim_resource_name ON scim_resource (tenant_id, kind, name_key);
            CREATE UNIQUE INDEX scim_resource_external ON scim_resource (tenant_id, kind, external_id)
                WHERE external_id IS NOT NULL;
            CREATE UNIQUE INDEX scim_resource_user ON scim_resource (user_id, tenant_id) WHERE user_id IS NOT NULL;
            CREATE INDEX scim_resource_order ON scim_resource (tenant_id, kind, number);
            CREATE INDEX scim_resource_role ON scim_resource (role_id) WHERE role_id IS NOT NULL;

            -- What filters and orders see of a resource.
            CREATE TABLE scim_value (
                number INTEGER NOT NULL REFERENCES scim_resource (number) ON DELETE CASCADE,
                path TEXT NOT NULL, element INTEGER NOT NULL, tenant_id TEXT NOT NULL, value TEXT NOT NULL,
                PRIMARY KEY (number, path, element)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX scim_value_text ON scim_value (tenant_id, path, value, number);

            CREATE TABLE scim_member (
                group_number INTEGER NOT NULL REFERENCES scim_resource (number) ON DELETE CASCADE,
                user_number INTEGER NOT NULL REFERENCES scim_resource (number) ON DELETE CASCADE,
                PRIMARY KEY (group_number, user_number)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX scim_member_user ON scim_member (user_number, group_number);

            CREATE TABLE scim_token (
                digest BLOB PRIMARY KEY NOT NULL, id TEXT NOT NULL UNIQUE,
                tenant_id TEXT NOT NULL REFERENCES tenant (id) ON DELETE CASCADE, name TEXT NOT NULL,
                created_at INTEGER NOT NULL, expires_at INTEGER, used_at INTEGER
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX scim_token_tenant ON scim_token (tenant_id, created_at);

            CREATE TABLE tenant_domain (
                tenant_id TEXT NOT NULL REFERENCES tenant (id) ON DELETE CASCADE, domain TEXT NOT NULL,
                state TEXT NOT NULL, token TEXT NOT NULL, claimed_at INTEGER NOT NULL, proven_at INTEGER,
                PRIMARY KEY (tenant_id, domain)
            ) STRICT, WITHOUT ROWID;
            CREATE UNIQUE INDEX tenant_domain_owner ON tenant_domain (domain) WHERE state IN ('proven', 'trusted');
            """)
}
