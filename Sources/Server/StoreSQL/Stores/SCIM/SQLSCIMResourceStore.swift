internal import KeyturnBase
internal import Model

/// Reads of provisioned resources.
struct SQLSCIMResourceStore: SCIMResourceStore {
    let database: any SQLDatabase

    func resource(_ id: String, _ kind: SCIMRecord.Kind, in tenant: String) async throws(StoreError) -> SCIMRecord? {
        try await database.read { db in try SCIMColumns.find(id, kind, in: tenant, db) }
    }

    func search(_ query: SCIMQuery) async throws(StoreError) -> [SCIMRecord] {
        let filter = SCIMFilter(query, database.dialect.fragments)
        var values = filter.values
        var order = "r.number"
        let direction = query.isDescending ? "DESC" : "ASC"
        if query.sortPath == "meta.lastmodified" {
            order = "r.updated_at \(direction), r.number"
        } else if let path = query.sortPath {
            order = """
                (SELECT min(s.value) FROM scim_value s WHERE s.number = r.number AND s.path = ?)
                \(direction) NULLS LAST, r.number
                """
            values.append(path)
        } else if query.isDescending {
            order = "r.number DESC"
        }
        values += [query.limit, query.offset]
        let sql = "SELECT \(SCIMColumns.list) FROM scim_resource r \(filter.text) ORDER BY \(order) LIMIT ? OFFSET ?"
        return try await database.read { [values] db in try db.search(sql, values).map(SCIMColumns.record) }
    }

    func count(_ query: SCIMQuery) async throws(StoreError) -> Int {
        let filter = SCIMFilter(query, database.dialect.fragments)
        return try await database.read { db in
            try db.search("SELECT count(*) AS count FROM scim_resource r \(filter.text)", filter.values)
                .first?["count"] ?? 0
        }
    }

    func links(of ids: [String], _ kind: SCIMRecord.Kind, in tenant: String, limit: Int)
        async throws(StoreError) -> [String: [SCIMLink]]
    {
        guard !ids.isEmpty else { return [:] }
        let (own, other) = SCIMFilter.ends(kind)
        let marks = ids.map { _ in "?" }.joined(separator: ", ")
        let sql = """
            SELECT r.id AS own, x.id AS id,
                (SELECT v.value FROM scim_value v WHERE v.number = x.number AND v.path = 'display' AND v.element = 0)
                    AS display
            FROM scim_resource r, scim_member m, scim_resource x
            WHERE r.id IN (\(marks)) AND r.tenant_id = ? AND r.kind = ? AND m.\(own) = r.number
                AND x.number = m.\(other) ORDER BY x.number LIMIT ?
            """
        let values: Values = ids + [tenant, kind.rawValue, limit]
        return try await database.read { db in
            var result: [String: [SCIMLink]] = [:]
            for row in try db.search(sql, values) {
                result[row["own"], default: []].append(SCIMLink(id: row["id"], display: row["display"]))
            }
            return result
        }
    }
}
