internal import KeyturnBase

extension AccessKey: Audited {
    public func auditFields(_ roleName: (String) -> String) -> AuditFields {
        var fields = AuditFields()
        fields.set("name", .string(name))
        fields.set("description", .string(description))
        fields.set("active", .bool(isActive))
        memberships.tell(&fields, roleName)
        fields.set("claims", .object(customClaims))
        fields.set("attributes", .object(attributes))
        fields.set("permitted_networks", permittedNetworks)
        fields.set("expires_at", expiresAt.map { .integer($0.rawValue) })
        return fields
    }
}
