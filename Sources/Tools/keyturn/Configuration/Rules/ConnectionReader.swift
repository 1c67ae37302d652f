internal import Federation
internal import KeyturnBase
internal import Model

/// Reads one entry of `connections`.
enum ConnectionReader {
    static let keys = [
        "id", "name", "tenant", "preset", "issuer", "client_id", "client_secret", "scopes", "native_client_ids",
        "trust_email", "prompt", "mapping", "parameters", "domains", "roles", "create_users", "enabled",
        "strong_contexts", "contact", "ldap", "saml",
    ]
    static let fillableClaims: Set<String> = [
        "email", "name", "given_name", "middle_name", "family_name", "picture", "locale", "preferred_username",
        "phone_number", "groups",
    ]
    private static let prompts = ["login", "consent", "select_account"]
    /// Anyone gets an address there, so it is of no organisation.
    private static let publicDomains: Set<String> = [
        "gmail.com", "googlemail.com", "outlook.com", "hotmail.com", "live.com", "msn.com", "yahoo.com", "icloud.com",
        "me.com", "mac.com", "aol.com", "gmx.de", "gmx.net", "web.de", "proton.me", "protonmail.com", "mail.com",
        "yandex.com", "qq.com", "163.com",
    ]

    static func read(_ section: Section) -> Connection? {
        let id = identifier(section)
        let read: Connection.Settings? =
            section.has("ldap")
            ? LDAPConnectionReader.settings(section).map(Connection.Settings.ldap)
            : section.has("saml")
                ? SAMLConnectionReader.settings(section).map(Connection.Settings.saml)
                : settings(section).map(Connection.Settings.openID)
        guard let settings = read, let id else { return nil }
        let time = UnixTime(rawValue: 0)
        let presetName = section.text("preset").flatMap { ConnectionCheck.name(ofPreset: $0.value) }
        var connection = Connection(
            id: id, tenantID: section.text("tenant")?.value, name: section.text("name")?.value ?? presetName ?? id,
            isEnabled: section.boolean("enabled") ?? true, createsUsers: section.boolean("create_users") ?? true,
            allowsPrivateAddresses: true, settings: settings, createdAt: time, updatedAt: time)
        connection.domains = domains(section)
        if connection.tenantID == nil, !connection.domains.isEmpty {
            section.mistake(
                "domains", "domains belong to an organisation", "Name it with tenant, or remove the domains.")
        }
        for mistake in ConnectionCheck.mistakes(connection) {
            section.mistake(mistake.name, mistake.why, mistake.remedy)
        }
        connection.roles = pairs("roles", of: section)
        connection.strongContexts = (section.texts("strong_contexts") ?? []).map(\.value)
        connection.contact = section.text("contact").flatMap {
            section.reading.check(TextRules.email($0.value), $0) ? $0.value : nil
        }
        LDAPConnectionReader.check(connection, section)
        return connection
    }

    private static func identifier(_ section: Section) -> String? {
        guard let text = section.text("id", bytesMax: Limits.connectionIDLengthMax) else {
            section.mistake("id", "it is missing", "Choose a short name: it is part of the redirect URI.")
            return nil
        }
        let isPlain = text.value.utf8.allSatisfy { byte in
            (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-")
        }
        guard isPlain else {
            section.mistake(
                "id", "it holds a character that cannot stand in an address", "Use small letters, digits and hyphens.")
            return nil
        }
        section.reading.declare(.connection, text)
        return text.value
    }

    private static func settings(_ section: Section) -> OpenIDConnectionSettings? {
        let preset = preset(section)
        if preset == nil, !section.has("preset"), !section.has("issuer") {
            section.mistake(
                "issuer", "it is missing",
                "Give the provider's issuer, or a preset: \(ConnectionCheck.presets.joined(separator: ", ")).")
        }
        let issuer = section.text("issuer").flatMap { text in
            let refusal = URIRules.endpoint(text.value, isDevelopment: section.reading.isDevelopment)
            return section.reading.check(refusal, text) ? text.value : nil
        }
        guard let client = section.text("client_id") else {
            section.mistake(
                "client_id", "it is missing", "Register this server at the provider, and copy the client's name.")
            return nil
        }
        guard preset != nil || issuer != nil else { return nil }
        var settings = OpenIDConnectionSettings(preset: preset, issuer: issuer, clientID: client.value)
        settings.clientSecret =
            section.text("client_secret", bytesMax: ConfigurationLimits.textBytesMax)?.value
        settings.parameters = pairs("parameters", of: section)
        settings.scopes = (section.texts("scopes") ?? []).map(\.value)
        settings.nativeClientIDs = (section.texts("native_client_ids") ?? []).map(\.value)
        settings.trustsEmail = section.boolean("trust_email") ?? false
        settings.mapping = mapping(section)
        settings.prompt = prompt(section)
        for (name, what) in ConnectionCheck.missing(settings) {
            section.mistake("parameters.\(name)", "it is missing", "Give \(what).")
        }
        return settings
    }

    private static func preset(_ section: Section) -> String? {
        guard let text = section.text("preset") else { return nil }
        if ConnectionCheck.presets.contains(text.value) { return text.value }
        section.mistake(
            "preset", "\"\(Printable.text(text.value))\" is not one of the choices",
            "Choose one of: \(ConnectionCheck.presets.joined(separator: ", ")); or give an issuer instead.")
        return nil
    }

    /// What the provider says may fill in a profile, and nothing that decides anything.
    static func mapping(_ section: Section) -> [String: String] {
        let pairs = pairs("mapping", of: section)
        for name in pairs.keys.sorted() where !fillableClaims.contains(name) {
            section.mistake(
                "mapping.\(Printable.text(name))", "a provider may not set this",
                "Choose one of: \(fillableClaims.sorted().joined(separator: ", ")).")
        }
        return pairs.filter { fillableClaims.contains($0.key) }
    }

    private static func prompt(_ section: Section) -> [String] {
        (section.texts("prompt") ?? []).compactMap { text in
            guard prompts.contains(text.value) else {
                section.mistake(
                    "prompt", "\"\(Printable.text(text.value))\" is not one of the choices",
                    "Choose from: \(prompts.joined(separator: ", ")).")
                return nil
            }
            return text.value
        }
    }

    private static func domains(_ section: Section) -> [String] {
        (section.texts("domains") ?? []).compactMap { text in
            guard let domain = EmailDomain(text.value)?.name else {
                section.reading.mistake(
                    text.path, at: text.origin, "it is no domain", "Write it as example.com, without @ and wildcard.")
                return nil
            }
            guard !publicDomains.contains(domain) else {
                section.reading.mistake(
                    text.path, at: text.origin, "anyone can have an address there",
                    "Name domains of the organisation alone.")
                return nil
            }
            return domain
        }
    }

    private static func pairs(_ key: String, of section: Section) -> [String: String] {
        guard let group = section.section(key, keys: nil) else { return [:] }
        var pairs: [String: String] = [:]
        for name in group.keys { pairs[name] = group.text(name)?.value }
        return pairs
    }
}
