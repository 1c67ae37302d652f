internal import KeyturnBase
internal import Model

/// Where a row's user belongs, by the names that people give.
struct MembershipReader {
    let access: AccessDirectory

    /// Identifiers of the roles that are named, in a tenant or everywhere.
    func roles(_ value: JSONValue, in tenant: String?) throws(Refusal) -> [String] {
        guard let names = value.stringArrayValue ?? value.stringValue.map({ [$0] }) else {
            throw RowText.expected("roles", "a list of names")
        }
        var ids: [String] = []
        for name in names {
            guard let role = access.role(named: name, in: tenant) else {
                throw Refusal(
                    "there is no role \"\(Printable.text(name))\"",
                    "Create it: keyturn role create NAME\(tenant.map { " --tenant \(Printable.text($0))" } ?? "")")
            }
            if !ids.contains(role.id) { ids.append(role.id) }
        }
        return ids
    }

    /// Tenants by identifier, each with the identifiers of its roles: objects with `id` and `roles`, or identifiers.
    func tenants(_ value: JSONValue) throws(Refusal) -> [String: [String]] {
        guard let entries = value.arrayValue else { throw RowText.expected("tenants", "a list") }
        var tenants: [String: [String]] = [:]
        for entry in entries {
            guard let id = entry.stringValue ?? entry["id"]?.stringValue else {
                throw Refusal("tenants: one of them has no id", "Name each tenant by its id.")
            }
            guard access.tenant(id) != nil else {
                throw Refusal("there is no tenant \"\(Printable.text(id))\"", "Create it: keyturn tenant create ID")
            }
            guard tenants[id] == nil else {
                throw Refusal("tenants: one of them stands twice", "Join the two entries.")
            }
            let roles = entry["roles"] ?? .null
            tenants[id] = roles == .null ? [] : try self.roles(roles, in: id)
        }
        return tenants
    }
}
