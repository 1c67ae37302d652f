internal import KeyturnBase
internal import Model

/// Rows of provisioned resources.
enum SCIMColumns {
    static let list = """
        r.number, r.id, r.tenant_id, r.kind, r.attributes, r.active, r.user_id, r.role_id, r.given_login_id, r.version,
        r.created_at, r.updated_at
        """
    private static let byID = "SELECT \(list) FROM scim_resource r WHERE r.id = ? AND r.kind = ? AND r.tenant_id = ?"

    static func find(_ id: String, _ kind: SCIMRecord.Kind, in tenant: String, _ db: SQLSession) throws -> SCIMRecord? {
        try db.first(byID, [id, kind.rawValue, tenant]).map(record)
    }

    static func record(_ row: SQLRow) throws -> SCIMRecord {
        guard let kind = SCIMRecord.Kind(rawValue: row["kind"]) else { throw SQLProblem.damagedRow }
        return SCIMRecord(
            id: row["id"], tenantID: row["tenant_id"], kind: kind, number: row["number"],
            attributes: try row.members("attributes"), isActive: row["active"],
            userID: (row["user_id"] as String?).map(UserID.init(rawValue:)), roleID: row["role_id"],
            givenLoginID: row["given_login_id"], version: row["version"], createdAt: row.time("created_at"),
            updatedAt: row.time("updated_at"))
    }

    /// Adds a row with what filters see of it.
    ///
    /// - Parameter given: the login ID that the directory gives the account.
    /// - Returns: its number.
    static func insert(
        _ id: String, _ kind: SCIMRecord.Kind, in tenant: String, _ content: SCIMContent, user: UserID?,
        madeUser: Bool, given: Identifier? = nil, _ db: SQLSession, at now: UnixTime
    ) throws -> Int64 {
        let row = try db.first(
            """
            INSERT INTO scim_resource (
                id, tenant_id, kind, name_key, external_id, attributes, active, user_id, made_user, given_login_id,
                version, created_at, updated_at
            ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?) RETURNING number
            """,
            [
                id, tenant, kind.rawValue, content.nameKey, content.externalID,
                JSONValue.object(content.attributes).columnText, content.isActive, user?.rawValue, madeUser,
                given?.value ?? "", now.rawValue, now.rawValue,
            ])
        guard let number: Int64 = row?["number"] else { throw SQLProblem.noRow }
        try index(content.values, of: number, in: tenant, db)
        return number
    }

    /// Replaces a row and what filters see of it. Its version grows.
    static func replace(_ record: SCIMRecord, _ content: SCIMContent, _ db: SQLSession, at now: UnixTime) throws {
        try db.run(
            """
            UPDATE scim_resource SET name_key = ?, external_id = ?, attributes = ?, active = ?,
                version = version + 1, updated_at = ? WHERE number = ?
            """,
            [
                content.nameKey, content.externalID, JSONValue.object(content.attributes).columnText,
                content.isActive, now.rawValue, record.number,
            ])
        try db.run("DELETE FROM scim_value WHERE number = ?", [record.number])
        try index(content.values, of: record.number, in: record.tenantID, db)
    }

    /// The row stays, without its groups: the user is out, and the name is not given to another one.
    static func deactivate(_ record: SCIMRecord, _ db: SQLSession, at now: UnixTime) throws {
        var attributes = record.attributes
        attributes["active"] = false
        try db.run(
            """
            UPDATE scim_resource SET attributes = ?, active = 0, version = version + 1, updated_at = ?
            WHERE number = ?
            """,
            [JSONValue.object(attributes).columnText, now.rawValue, record.number])
        try db.run("UPDATE scim_value SET value = 'false' WHERE number = ? AND path = 'active'", [record.number])
        try db.run("DELETE FROM scim_member WHERE user_number = ?", [record.number])
    }

    private static func index(_ values: [SCIMContent.Value], of number: Int64, in tenant: String, _ db: SQLSession)
        throws
    {
        for value in values {
            try db.run(
                """
                INSERT INTO scim_value (number, path, element, tenant_id, value) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT DO NOTHING
                """,
                [number, value.path, value.element, tenant, value.text])
        }
    }
}
