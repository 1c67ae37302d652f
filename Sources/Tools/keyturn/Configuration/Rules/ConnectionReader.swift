internal import Federation
internal import KeyturnBase
internal import Model

/// Reads one entry of `connections`.
enum ConnectionReader {
    static let keys = [
        "id", "name", "tenant", "preset", "issuer", "client_id", "client_secret", "scopes", "native_client_ids",
        "trust_email", "prompt", "mapping", "parameters", "domains", "roles", "create_users", "enabled",
        "strong_contexts", "contact", "ldap", "saml", "keep_tokens",
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
            note(ConnectionRules.ownerlessDomains, section)
        }
        for mistake in ConnectionCheck.mistakes(connection) {
            section.mistake(mistake.name, mistake.why, mistake.remedy)
        }
        if let tenant = section.text("tenant") {
            section.reading.refer(to: .tenant, tenant, in: "tenants", orBy: "keyturn tenant create")
        }
        connection.roles = roles(section)
        connection.strongContexts = (section.texts("strong_contexts") ?? []).map(\.value)
        connection.contact = section.text("contact").flatMap {
            section.reading.check(TextRules.email($0.value), $0) ? $0.value : nil
        }
        LDAPConnectionReader.check(connection, section)
        return connection
    }

    /// Roles by the provider's groups.
    private static func roles(_ section: Section) -> [String: String] {
        let roles = pairs("roles", of: section)
        let names = section.quietly("roles")
        for group in roles.keys.sorted() {
            guard let role = names?.text(group) else { continue }
            section.reading.refer(to: .role, role, in: "roles", orBy: "keyturn role create")
        }
        return roles
    }

    private static func identifier(_ section: Section) -> String? {
        guard let text = section.text("id", bytesMax: Limits.connectionIDLengthMax) else {
            note(ConnectionRules.identifierMissing, section)
            return nil
        }
        if let mistake = ConnectionRules.identifier(text.value) {
            note(mistake, section)
            return nil
        }
        section.reading.declare(.connection, text)
        return text.value
    }

    private static func settings(_ section: Section) -> OpenIDConnectionSettings? {
        let preset = preset(section)
        if preset == nil, !section.has("preset"), !section.has("issuer") {
            note(ConnectionCheck.issuerMissing, section)
        }
        let issuer = section.text("issuer").flatMap { text in
            let mistake = ConnectionRules.endpoint(text.value, isDevelopment: section.reading.isDevelopment)
            return section.reading.check(mistake.map { Refusal($0.why, $0.remedy) }, text) ? text.value : nil
        }
        guard let client = section.text("client_id") else {
            note(ConnectionRules.clientMissing, section)
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
        settings.keepsTokens = section.boolean("keep_tokens") ?? false
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
        note(ConnectionCheck.unknown(preset: text.value), section)
        return nil
    }

    /// What the provider says may fill in a profile, and nothing that decides anything.
    static func mapping(_ section: Section) -> [String: String] {
        let pairs = pairs("mapping", of: section)
        for mistake in ConnectionRules.mapping(pairs) { note(mistake, section) }
        return pairs.filter { ConnectionRules.fillableClaims.contains($0.key) }
    }

    private static func prompt(_ section: Section) -> [String] {
        (section.texts("prompt") ?? []).compactMap { text in
            if let mistake = ConnectionRules.prompt(text.value) {
                note(mistake, section)
                return nil
            }
            return text.value
        }
    }

    private static func domains(_ section: Section) -> [String] {
        (section.texts("domains") ?? []).compactMap { text in
            if let mistake = ConnectionRules.domain(text.value) {
                section.reading.mistake(text.path, at: text.origin, mistake.why, mistake.remedy)
                return nil
            }
            return EmailDomain(text.value)?.name
        }
    }

    private static func note(_ mistake: ConnectionMistake, _ section: Section) {
        section.mistake(mistake.member, mistake.why, mistake.remedy)
    }

    private static func pairs(_ key: String, of section: Section) -> [String: String] {
        guard let group = section.section(key, keys: nil) else { return [:] }
        var pairs: [String: String] = [:]
        for name in group.keys { pairs[name] = group.text(name)?.value }
        return pairs
    }
}
