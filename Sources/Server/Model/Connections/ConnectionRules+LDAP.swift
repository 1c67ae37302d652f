/// What every directory needs; what its address and its filters must be like, the module that asks it knows.
extension ConnectionRules {
    static func ldap(_ settings: LDAPConnectionSettings, of connection: Connection) -> [ConnectionMistake] {
        let needed = [
            ("url", settings.url, "Give the directory's address, such as ldaps://ldap.example.org."),
            ("bind_dn", settings.bindDN, "Give the name of an entry that may search."),
            ("bind_password", settings.bindPassword, "Give the password of that entry."),
            ("base_dn", settings.baseDN, "Give the entry below which users are."),
        ]
        var found = needed.filter { $0.1.isEmpty || $0.1.utf8.contains(0) }
            .map { ConnectionMistake($0.0, "it is missing", $0.2) }
        if connection.tenantID != nil, connection.domains.isEmpty {
            found.append(
                ConnectionMistake(
                    "domains", "no user is led to the directory",
                    "Name the domains of the organisation's addresses: their passwords are checked there."))
        }
        if connection.tenantID != nil, !settings.trustsEmail {
            found.append(
                ConnectionMistake(
                    "trust_email", "an organisation's users are known by their addresses",
                    "Set it, if users cannot write their own address there."))
        }
        return found
    }
}
