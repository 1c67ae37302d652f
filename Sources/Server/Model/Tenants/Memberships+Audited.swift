internal import KeyturnBase

extension Memberships {
    /// The roles by their names, and the tenants with the roles there.
    func tell(_ fields: inout AuditFields, _ roleName: (String) -> String) {
        fields.set("roles", roles.map(roleName).sorted())
        fields.set("tenants", tenants.keys.sorted())
        for (tenant, roles) in tenants { fields.set("roles.\(tenant)", roles.map(roleName).sorted()) }
    }
}

extension Tenant: Audited {
    public func auditFields(_ roleName: (String) -> String) -> AuditFields {
        var fields = AuditFields()
        fields.set("name", .string(name))
        fields.set("self_provisioning_domains", selfProvisioningDomains)
        fields.set("attributes", .object(attributes))
        fields.set("enforce_sso", .bool(requiresSingleSignOn))
        fields.set("enforce_sso_exclusions", singleSignOnExclusions)
        return fields
    }
}

extension Role: Audited {
    public func auditFields(_ roleName: (String) -> String) -> AuditFields {
        var fields = AuditFields()
        fields.set("name", .string(name))
        fields.set("tenant", tenantID.map(JSONValue.string))
        fields.set("description", .string(description))
        fields.set("permissions", permissions)
        fields.set("default", .bool(isDefault))
        return fields
    }
}

extension Permission: Audited {
    public func auditFields(_ roleName: (String) -> String) -> AuditFields {
        var fields = AuditFields()
        fields.set("name", .string(name))
        fields.set("description", .string(description))
        return fields
    }
}
