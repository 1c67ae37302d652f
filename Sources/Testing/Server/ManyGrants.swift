package import StoreSQL

/// Grants without tokens, as many as a test needs, by one statement.
package enum ManyGrants {
    /// Inserts grants of the first user.
    package static func sql(_ count: Int, _ dialect: Dialect) -> String {
        let (id, digest) =
            switch dialect {
            case .sqlite: ("randomblob(16)", "randomblob(32)")
            case .postgreSQL: ("decode(md5(i::text), 'hex')", "decode(md5(i::text) || md5((-i)::text), 'hex')")
            }
        return """
            WITH RECURSIVE counted(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM counted WHERE i < \(count))
            INSERT INTO grant_ (id, client_id, user_id, scope, is_offline, resources, auth_time, amr, acr, created_at,
                code_digest, code_expires_at, counter, idle_expires_at, absolute_expires_at)
            SELECT \(id), 'web', (SELECT min(id) FROM "user"), 'openid', 1, '[]', 1, '["pwd"]', '1', 1, \(digest), 1, 0,
                4000000000, 4000000000 FROM counted
            """
    }
}
