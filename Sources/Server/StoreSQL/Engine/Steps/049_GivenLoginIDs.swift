/// The login ID that a directory gave an account: what it may change and remove of the account's addresses. Empty:
/// none. NULL: from before this was recorded.
extension Migrations {
    static let givenLoginIDs = Migration(
        number: 49, oldest: 38, sql: "ALTER TABLE scim_resource ADD COLUMN given_login_id TEXT")
    static let earlierGivenLoginIDs = Migration(number: 50, oldest: 38, .rows(GivenLoginIDs.change))
}

extension PostgreSQLMigrations {
    static let givenLoginIDs = Migration(
        number: 49, oldest: 38, sql: "ALTER TABLE scim_resource ADD COLUMN given_login_id text COLLATE \"C\"")
    static let earlierGivenLoginIDs = Migration(number: 50, oldest: 38, .rows(GivenLoginIDs.change))
}

/// Users from before, where it can be told: the resource says one address, which the account has verified, in a domain
/// that the tenant has proven. The others keep NULL, and are judged as before (`SCIMRecord.givenAddress(in:)`).
private enum GivenLoginIDs {
    static let change = RowChange(
        table: "scim_resource", key: "number", change: "given_login_id = (\(address))",
        condition: """
            kind = 'User' AND made_user = 1 AND given_login_id IS NULL AND (\(address)) IS NOT NULL
            """)

    private static let address = """
        SELECT min(i.value) FROM identifier i, tenant_domain d
        WHERE i.user_id = scim_resource.user_id AND i.kind = 'email' AND i.verified = 1
            AND d.tenant_id = scim_resource.tenant_id AND d.state IN ('proven', 'trusted')
            AND substr(i.value, length(i.value) - length(d.domain)) = '@' || d.domain
            AND EXISTS (
                SELECT 1 FROM scim_value v WHERE v.number = scim_resource.number
                    AND v.path IN ('emails.value', 'username') AND v.value = i.value)
            AND NOT EXISTS (
                SELECT 1 FROM scim_value o WHERE o.number = scim_resource.number
                    AND o.path = 'emails.value' AND o.value <> i.value)
        """
}
