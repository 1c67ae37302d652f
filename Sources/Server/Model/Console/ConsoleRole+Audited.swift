public import Authority
internal import KeyturnBase

extension ConsoleRole: Audited {
    public func auditFields(_ roleName: (String) -> String) -> AuditFields {
        var fields = AuditFields()
        fields.set("console_role", .string(rawValue))
        return fields
    }
}
