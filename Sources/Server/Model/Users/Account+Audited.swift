internal import KeyturnBase

extension Account: Audited {
    public func auditFields(_ roleName: (String) -> String) -> AuditFields {
        var fields = AuditFields()
        fields.set(user.claims)
        fields.set("attributes", .object(user.attributes))
        fields.set("accepted", .object(user.acceptances.mapValues { .string($0.version) }))
        fields.set("status", .string(user.status.rawValue))
        if user.isTest { fields.set("test", true) }
        fields.set("login_ids", identifiers.keys.map(\.value).sorted())
        fields.set("verified_login_ids", identifiers.filter { $0.value == .verified }.keys.map(\.value).sorted())
        memberships.tell(&fields, roleName)
        fields.set(secret: "password", passwordHash)
        return fields
    }
}
