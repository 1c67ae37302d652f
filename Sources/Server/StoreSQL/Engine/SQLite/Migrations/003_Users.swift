/// The data of management: test users and attributes, tenants, roles and permissions, memberships, access keys; and the
/// additional data of sessions of the methods.
extension Migrations {
    static let users = Migration(
        number: 3,
        sql: """
            ALTER TABLE user ADD COLUMN is_test INTEGER NOT NULL DEFAULT 0;
            ALTER TABLE user ADD COLUMN attributes TEXT NOT NULL DEFAULT '{}';
            ALTER TABLE user ADD COLUMN roles TEXT NOT NULL DEFAULT '[]';
            CREATE INDEX user_test ON user (is_test) WHERE is_test = 1;

            CREATE TABLE tenant (
                id TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL, domains TEXT NOT NULL, attributes TEXT NOT NULL,
                created_at INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;

            CREATE TABLE permission (
                name TEXT PRIMARY KEY NOT NULL, description TEXT NOT NULL
            ) STRICT, WITHOUT ROWID;

            CREATE TABLE role (
                id TEXT PRIMARY KEY NOT NULL, tenant_id TEXT REFERENCES tenant (id) ON DELETE CASCADE,
                name TEXT NOT NULL, description TEXT NOT NULL, permissions TEXT NOT NULL, is_default INTEGER NOT NULL,
                created_at INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;
            CREATE UNIQUE INDEX role_name ON role (coalesce(tenant_id, ''), name);
            CREATE INDEX role_tenant ON role (tenant_id);

            CREATE TABLE membership (
                user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
                tenant_id TEXT NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
                roles TEXT NOT NULL,
                PRIMARY KEY (user_id, tenant_id)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX membership_tenant ON membership (tenant_id);

            CREATE TABLE access_key (
                number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, digest BLOB NOT NULL UNIQUE, name TEXT NOT NULL,
                description TEXT NOT NULL, is_active INTEGER NOT NULL,
                user_id TEXT REFERENCES user (id) ON DELETE CASCADE,
                roles TEXT NOT NULL, tenants TEXT NOT NULL, claims TEXT NOT NULL, attributes TEXT NOT NULL,
                networks TEXT NOT NULL, created_by TEXT NOT NULL, created_at INTEGER NOT NULL,
                updated_at INTEGER NOT NULL, expires_at INTEGER
            ) STRICT;
            CREATE INDEX access_key_user ON access_key (user_id);

            ALTER TABLE grant_ ADD COLUMN tenant TEXT;
            ALTER TABLE grant_ ADD COLUMN session_claims TEXT;
            ALTER TABLE grant_ ADD COLUMN supersedes BLOB;

            ALTER TABLE audit_event ADD COLUMN actor TEXT;
            ALTER TABLE audit_event ADD COLUMN target TEXT;
            CREATE INDEX audit_event_user ON audit_event (user_id, number) WHERE user_id IS NOT NULL;
            """)
}
