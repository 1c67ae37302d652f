internal import Foundation
internal import KeyturnBase
internal import LDAP
internal import Model

/// Reads what a connection to a directory has of its own: the section `ldap`.
enum LDAPConnectionReader {
    static let keys = [
        "url", "bind_dn", "bind_password", "bind_password_file", "bind_password_env", "base_dn", "filter",
        "subject_attribute", "ca_file", "group_attribute", "group_filter", "group_base_dn",
    ]
    /// Keys of connections that lead users to pages.
    private static let foreignKeys = [
        "preset", "issuer", "client_id", "client_secret", "scopes", "native_client_ids", "prompt", "parameters",
        "strong_contexts",
    ]
    private static let remedies = [
        "url": "Give the directory's address, such as ldaps://ldap.example.org.",
        "bind_dn": "Give the name of an entry that may search, such as cn=keyturn,ou=services,dc=example,dc=org.",
        "base_dn": "Give the entry below which users are, such as ou=people,dc=example,dc=org.",
    ]

    static func settings(_ section: Section) -> LDAPConnectionSettings? {
        guard let ldap = section.section("ldap", keys: keys) else { return nil }
        for key in foreignKeys where section.has(key) {
            section.mistake(key, "a directory has no such thing", "Remove it, or remove ldap.")
        }
        for key in remedies.keys.sorted() where !ldap.has(key) {
            ldap.mistake(key, "it is missing", remedies[key] ?? "")
        }
        let password = password(ldap)
        guard let url = ldap.text("url")?.value, let name = ldap.text("bind_dn")?.value,
            let base = ldap.text("base_dn")?.value, let password
        else { return nil }
        var settings = LDAPConnectionSettings(url: url, bindDN: name, bindPassword: password, baseDN: base)
        if let filter = ldap.text("filter") { settings.filter = filter.value }
        if let attribute = ldap.text("subject_attribute") { settings.subjectAttribute = attribute.value }
        if let attribute = ldap.text("group_attribute") { settings.groupAttribute = attribute.value }
        settings.groupFilter = ldap.text("group_filter")?.value
        settings.groupBaseDN = ldap.text("group_base_dn")?.value
        settings.certificateAuthorities = authorities(ldap)
        settings.mapping = ConnectionReader.mapping(section)
        settings.trustsEmail = section.boolean("trust_email") ?? false
        for mistake in DirectoryCheck.mistakes(settings) {
            let place = mistake.name.hasPrefix("mapping.") ? section : ldap
            place.mistake(mistake.name, mistake.why, mistake.remedy)
        }
        return settings
    }

    /// What a connection to a directory needs beside the section.
    static func check(_ connection: Connection, _ section: Section) {
        guard case .ldap(let settings) = connection.settings else { return }
        if connection.tenantID != nil, connection.domains.isEmpty {
            section.mistake(
                "domains", "nobody is led to the directory",
                "Name the domains of the organisation's addresses: their passwords are checked there.")
        }
        guard !settings.trustsEmail else { return }
        if connection.tenantID != nil {
            section.mistake(
                "trust_email",
                "an organisation's users are known by their addresses, and the directory's word counts for none",
                "Set trust_email: true, if users cannot write their own address there.")
        } else {
            section.warning(
                "trust_email", "users whose entry has an address need an account before their password counts",
                "Set trust_email: true, if users cannot write their own address there.")
        }
    }

    /// The project has one source of passwords beside its own.
    static func checkSingle(_ connections: [Connection], of root: Section) {
        let directories = connections.filter { connection in
            guard case .ldap = connection.settings else { return false }
            return connection.tenantID == nil && connection.isEnabled
        }
        guard directories.count > 1 else { return }
        root.mistake(
            "connections", "\(directories.map(\.id).joined(separator: " and ")) are both the project's directory",
            "Give all but one a tenant with domains, or set enabled: false.")
    }

    private static func password(_ ldap: Section) -> String? {
        let given = ["bind_password", "bind_password_file", "bind_password_env"].filter(ldap.has)
        guard given.count == 1, let key = given.first else {
            ldap.mistake(
                given.last ?? "bind_password", given.isEmpty ? "it is missing" : "it is given twice",
                "Give one of bind_password, bind_password_file and bind_password_env.")
            return nil
        }
        guard key != "bind_password" else { return ldap.secret(key)?.exposed() }
        guard let source = ldap.text(key) else { return nil }
        let text =
            key == "bind_password_env"
            ? ldap.reading.environment[source.value]
            : ConfigurationFile.text(source.value).map { $0.trimmingCharacters(in: .newlines) }
        guard let text, !text.isEmpty, text.utf8.count <= ConfigurationLimits.secretBytesMax, !text.utf8.contains(0)
        else {
            ldap.mistake(
                key, "there is no password in it",
                key == "bind_password_env"
                    ? "Set the variable for the server's process."
                    : "Check the file's name, and that this user may read it.")
            return nil
        }
        return text
    }

    private static func authorities(_ ldap: Section) -> String? {
        guard let path = ldap.text("ca_file") else { return nil }
        guard let text = ConfigurationFile.text(path.value), text.contains("-----BEGIN CERTIFICATE-----") else {
            ldap.mistake("ca_file", "it is no file of certificates", "Name a file with certificates in PEM.")
            return nil
        }
        return text
    }
}
