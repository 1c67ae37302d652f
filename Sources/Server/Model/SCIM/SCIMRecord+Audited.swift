internal import KeyturnBase

extension SCIMRecord: Audited {
    /// A user without an account here has no fields: no erasure would remove the values.
    public func auditFields(_ roleName: (String) -> String) -> AuditFields {
        var fields = AuditFields()
        guard kind == .group || userID != nil else { return fields }
        fields.set(attributes.filter { !["schemas", "password", "active"].contains($0.key) })
        if kind == .user { fields.set("active", .bool(isActive)) }
        fields.set("role", roleID.map { .string(roleName($0)) })
        return fields
    }

    /// The same group, whose members have another role.
    public func mapped(to role: String?) -> SCIMRecord {
        SCIMRecord(
            id: id, tenantID: tenantID, kind: kind, number: number, attributes: attributes, isActive: isActive,
            userID: userID, roleID: role, version: version, createdAt: createdAt, updatedAt: updatedAt)
    }
}

extension SCIMToken: Audited {
    public func auditFields(_ roleName: (String) -> String) -> AuditFields {
        var fields = AuditFields()
        fields.set("name", .string(name))
        fields.set("expires_at", expiresAt.map { .integer($0.rawValue) })
        return fields
    }
}

/// A group with the steps that change its members.
public struct SCIMGroupState: Audited {
    private let record: SCIMRecord
    private let steps: [SCIMGroupChange.Members]

    public init(_ record: SCIMRecord, _ steps: [SCIMGroupChange.Members]) {
        self.record = record
        self.steps = steps
    }

    public func auditFields(_ roleName: (String) -> String) -> AuditFields {
        var fields = record.auditFields(roleName)
        for step in steps {
            switch step {
            case .add(let ids): fields.set("members_added", ids)
            case .remove(let ids): fields.set("members_removed", ids)
            case .replace(let ids): fields.set("members", ids)
            }
        }
        return fields
    }
}
