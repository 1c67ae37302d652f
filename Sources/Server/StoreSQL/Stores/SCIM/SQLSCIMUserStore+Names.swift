internal import KeyturnBase
internal import Model

/// Whom the names in a resource, or in a provider's answer, belong to.
extension SQLSCIMUserStore {
    /// A resource that was found by one of its names.
    struct Named {
        let record: SCIMRecord
        /// Whether another caller than the directory disabled the user
        /// (``SQLSCIMUserStore/isDisabledElsewhere(_:_:_:)``).
        let isDisabledElsewhere: Bool
    }

    /// The user that the names stand for. Of all resources with any of the names, one whose user another caller than the
    /// directory disabled comes first; else it is the one user with a name, by the first kind of name that there is one
    /// for.
    ///
    /// - Parameter own: the number of a resource that is not looked at; `nil`: each is.
    static func named(
        _ names: ProvisionedNames, in tenant: String, besides own: Int64? = nil, _ db: SQLSession
    ) throws -> Named? {
        guard !names.isEmpty else { return nil }
        let (hits, values) = Self.hits(names, in: tenant)
        let rows = try db.search(
            """
            SELECT \(SCIMColumns.list), h.place AS place, CASE WHEN r.disabled_user = 0
                AND u.status IN ('disabled', 'expired') THEN 1 ELSE 0 END AS is_disabled_elsewhere
            FROM (SELECT n.number, min(n.place) AS place FROM (\(hits)) n GROUP BY n.number) h
            JOIN scim_resource r ON r.number = h.number JOIN "user" u ON u.id = r.user_id
            WHERE r.kind = 'User' AND r.number <> ? ORDER BY is_disabled_elsewhere DESC, h.place, r.number LIMIT 2
            """, values + [own ?? 0])
        guard let first = rows.first else { return nil }
        let isDisabledElsewhere: Bool = first["is_disabled_elsewhere"]
        let places = rows.map { $0["place"] as Int64 }
        guard isDisabledElsewhere || places.count == 1 || places[0] != places[1] else { return nil }
        return Named(record: try SCIMColumns.record(first), isDisabledElsewhere: isDisabledElsewhere)
    }

    /// A user whom another caller than the directory disabled keeps the names, all of them: another resource with one
    /// would let the same person in with another account.
    ///
    /// - Parameter record: the resource before the change; `nil`: it is a new one.
    /// - Throws: `conflict` if the content takes a name of such a user.
    static func requireFreeNames(
        _ content: SCIMContent, besides record: SCIMRecord?, in tenant: String, _ db: SQLSession
    ) throws {
        let names = content.takenNames(besides: record)
        if try named(names, in: tenant, besides: record?.number, db)?.isDisabledElsewhere == true {
            throw StoreError(.conflict)
        }
    }

    /// The numbers of all resources with any of the names, with the place of the kind of name. Each part goes by an index.
    private static func hits(_ names: ProvisionedNames, in tenant: String) -> (sql: String, values: Values) {
        var parts: [String] = []
        var values: Values = []
        func add(_ source: String, _ texts: [String], place: Int) {
            guard !texts.isEmpty else { return }
            let marks = texts.map { _ in "?" }.joined(separator: ", ")
            parts.append("SELECT x.number, \(place) AS place FROM \(source) IN (\(marks))")
            values.append(tenant)
            for text in texts { values.append(text) }
        }
        let users = "scim_resource x WHERE x.tenant_id = ? AND x.kind = 'User'"
        add("\(users) AND x.external_id", names.externalIDs, place: 0)
        add("\(users) AND x.name_key", names.userNames, place: 1)
        add("scim_value x WHERE x.tenant_id = ? AND x.path = 'emails.value' AND x.value", names.emails, place: 2)
        return (parts.joined(separator: " UNION ALL "), values)
    }
}
