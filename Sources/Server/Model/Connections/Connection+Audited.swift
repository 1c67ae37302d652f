internal import KeyturnBase

extension Connection: Audited {
    public func auditFields(_ roleName: (String) -> String) -> AuditFields {
        var fields = AuditFields()
        fields.set(
            ConnectionDocument.json(self).filter { !["id", "has_client_secret", "has_bind_password"].contains($0.key) })
        switch settings {
        case .openID(let settings): fields.set(secret: "client_secret", settings.clientSecret)
        case .ldap(let settings): fields.set(secret: "bind_password", settings.bindPassword)
        case .saml: break
        }
        return fields
    }
}
