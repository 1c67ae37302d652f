public import KeyturnBase

/// A connection as JSON, with the keys of the configuration file: what the command line prints, and what the management
/// interface takes and answers. Secrets are taken, and never shown.
public enum ConnectionDocument {
    /// The connection without its secrets.
    public static func json(_ connection: Connection) -> [String: JSONValue] {
        var members: [String: JSONValue] = [
            "id": .string(connection.id), "name": .string(connection.name), "enabled": .bool(connection.isEnabled),
            "create_users": .bool(connection.createsUsers), "domains": texts(connection.domains),
            "roles": pairs(connection.roles), "strong_contexts": texts(connection.strongContexts),
            "allow_private_addresses": .bool(connection.allowsPrivateAddresses),
        ]
        members["tenant"] = connection.tenantID.map(JSONValue.string)
        members["contact"] = connection.contact.map(JSONValue.string)
        members["default_redirect"] = connection.defaultRedirect.map(JSONValue.string)
        if connection.tenantID != nil { members["vouched_domains"] = texts(connection.vouchedDomains) }
        let own: [String: JSONValue] =
            switch connection.settings {
            case .openID(let settings): json(settings)
            case .saml(let settings): json(settings)
            case .ldap(let settings): json(settings)
            }
        return members.merging(own) { first, _ in first }
    }

    private static func json(_ settings: OpenIDConnectionSettings) -> [String: JSONValue] {
        var members: [String: JSONValue] = [
            "type": "openid", "client_id": .string(settings.clientID),
            "has_client_secret": .bool(settings.clientSecret != nil), "parameters": pairs(settings.parameters),
            "scopes": texts(settings.scopes), "native_client_ids": texts(settings.nativeClientIDs),
            "trust_email": .bool(settings.trustsEmail), "endpoints": pairs(settings.endpoints),
            "mapping": pairs(settings.mapping), "prompt": texts(settings.prompt),
            "keep_tokens": .bool(settings.keepsTokens),
        ]
        members["preset"] = settings.preset.map(JSONValue.string)
        members["issuer"] = settings.issuer.map(JSONValue.string)
        return members
    }

    private static func json(_ settings: SAMLConnectionSettings) -> [String: JSONValue] {
        var members: [String: JSONValue] = [
            "type": "saml", "idp_entity_id": .string(settings.entityID), "sso_url": .string(settings.signOnURL),
            "certificates": texts(settings.certificates), "sign_requests": .bool(settings.signsRequests),
            "want_assertions_signed": .bool(settings.wantsAssertionsSigned),
            "want_assertions_encrypted": .bool(settings.wantsAssertionsEncrypted),
            "idp_initiated": .bool(settings.allowsUnsolicited), "mapping": pairs(settings.mapping),
            "trust_email": .bool(settings.trustsEmail), "skew_seconds": .integer(settings.skewSeconds),
        ]
        members["landing_uris"] = settings.landingURIs.map(texts)
        members["slo_url"] = settings.logoutURL.map(JSONValue.string)
        members["metadata_url"] = settings.metadataURL.map(JSONValue.string)
        members["name_id_format"] = settings.nameIDFormat.map(JSONValue.string)
        members["subject_attribute"] = settings.subjectAttribute.map(JSONValue.string)
        return members
    }

    private static func json(_ settings: LDAPConnectionSettings) -> [String: JSONValue] {
        var members: [String: JSONValue] = [
            "type": "ldap", "url": .string(settings.url), "bind_dn": .string(settings.bindDN),
            "has_bind_password": .bool(!settings.bindPassword.isEmpty), "base_dn": .string(settings.baseDN),
            "filter": .string(settings.filter), "subject_attribute": .string(settings.subjectAttribute),
            "group_attribute": .string(settings.groupAttribute), "mapping": pairs(settings.mapping),
            "trust_email": .bool(settings.trustsEmail),
        ]
        members["certificate_authorities"] = settings.certificateAuthorities.map(JSONValue.string)
        members["group_filter"] = settings.groupFilter.map(JSONValue.string)
        members["group_base_dn"] = settings.groupBaseDN.map(JSONValue.string)
        return members
    }

    private static func texts(_ list: [String]) -> JSONValue { .array(list.map(JSONValue.string)) }
    private static func pairs(_ pairs: [String: String]) -> JSONValue { .object(pairs.mapValues(JSONValue.string)) }

    /// A connection that is not made yet, with the settings of the kind that the members name: `type`, or what only SAML
    /// has.
    public static func blank(
        _ id: String, tenant: String?, for members: [String: JSONValue], at now: UnixTime
    ) -> Connection {
        let isSAML =
            members["type"].map { $0 == "saml" }
            ?? ["idp_entity_id", "sso_url", "metadata_url"].contains { members[$0] != nil }
        let isLDAP = members["type"].map { $0 == "ldap" } ?? (members["bind_dn"] != nil)
        let settings: Connection.Settings =
            isSAML
            ? .saml(SAMLConnectionSettings(entityID: "", signOnURL: "", certificates: []))
            : isLDAP
                ? .ldap(LDAPConnectionSettings(url: "", bindDN: "", bindPassword: "", baseDN: ""))
                : .openID(OpenIDConnectionSettings(clientID: ""))
        return Connection(id: id, tenantID: tenant, name: "", settings: settings, createdAt: now, updatedAt: now)
    }

    /// Changes what the members name; `null` sets a member back to its default.
    ///
    /// - Parameter members: without `id` and `tenant`, which never change.
    /// - Returns: what cannot be read; the rules (``ConnectionRules``) are applied to the result.
    public static func apply(_ members: [String: JSONValue], to connection: inout Connection) -> [ConnectionMistake] {
        var reader = ConnectionMembers(members)
        reader.text("name", &connection.name)
        reader.flag("enabled", &connection.isEnabled, or: true)
        reader.flag("create_users", &connection.createsUsers, or: true)
        reader.texts("domains", &connection.domains)
        connection.domains = connection.domains.map { EmailDomain($0)?.name ?? $0 }
        reader.texts("vouched_domains", &connection.vouchedDomains)
        connection.vouchedDomains = connection.vouchedDomains.compactMap { EmailDomain($0)?.name }
        reader.pairs("roles", &connection.roles)
        reader.texts("strong_contexts", &connection.strongContexts)
        reader.text("contact", &connection.contact)
        reader.text("default_redirect", &connection.defaultRedirect)
        reader.flag("allow_private_addresses", &connection.allowsPrivateAddresses, or: false)
        switch connection.settings {
        case .openID(var settings):
            reader.check(type: "openid")
            apply(&reader, to: &settings)
            connection.settings = .openID(settings)
        case .saml(var settings):
            reader.check(type: "saml")
            apply(&reader, to: &settings)
            connection.settings = .saml(settings)
        case .ldap(var settings):
            reader.check(type: "ldap")
            apply(&reader, to: &settings)
            connection.settings = .ldap(settings)
        }
        return reader.end()
    }

    private static func apply(_ reader: inout ConnectionMembers, to settings: inout OpenIDConnectionSettings) {
        reader.text("preset", &settings.preset)
        reader.text("issuer", &settings.issuer)
        reader.text("client_id", &settings.clientID)
        reader.text("client_secret", &settings.clientSecret)
        reader.pairs("parameters", &settings.parameters)
        reader.texts("scopes", &settings.scopes)
        reader.texts("native_client_ids", &settings.nativeClientIDs)
        reader.flag("trust_email", &settings.trustsEmail, or: false)
        reader.pairs("endpoints", &settings.endpoints)
        reader.pairs("mapping", &settings.mapping)
        reader.texts("prompt", &settings.prompt)
        reader.flag("keep_tokens", &settings.keepsTokens, or: false)
    }

    private static func apply(_ reader: inout ConnectionMembers, to settings: inout LDAPConnectionSettings) {
        let plain = LDAPConnectionSettings(url: "", bindDN: "", bindPassword: "", baseDN: "")
        reader.text("url", &settings.url)
        reader.text("bind_dn", &settings.bindDN)
        reader.text("bind_password", &settings.bindPassword)
        reader.text("base_dn", &settings.baseDN)
        reader.text("filter", &settings.filter)
        reader.text("subject_attribute", &settings.subjectAttribute)
        reader.text("group_attribute", &settings.groupAttribute)
        if settings.filter.isEmpty { settings.filter = plain.filter }
        if settings.subjectAttribute.isEmpty { settings.subjectAttribute = plain.subjectAttribute }
        if settings.groupAttribute.isEmpty { settings.groupAttribute = plain.groupAttribute }
        reader.text("certificate_authorities", &settings.certificateAuthorities)
        reader.text("group_filter", &settings.groupFilter)
        reader.text("group_base_dn", &settings.groupBaseDN)
        reader.pairs("mapping", &settings.mapping)
        reader.flag("trust_email", &settings.trustsEmail, or: false)
    }

    private static func apply(_ reader: inout ConnectionMembers, to settings: inout SAMLConnectionSettings) {
        reader.text("idp_entity_id", &settings.entityID)
        let (signOn, logout) = (settings.signOnURL, settings.logoutURL)
        reader.text("sso_url", &settings.signOnURL)
        reader.text("slo_url", &settings.logoutURL)
        // What the provider's metadata told of another address.
        if settings.signOnURL != signOn { settings.signOnBinding = nil }
        if settings.logoutURL != logout { (settings.logoutBinding, settings.logoutResponseURL) = (nil, nil) }
        reader.texts("certificates", &settings.certificates)
        reader.text("metadata_url", &settings.metadataURL)
        reader.flag("sign_requests", &settings.signsRequests, or: true)
        reader.flag("want_assertions_signed", &settings.wantsAssertionsSigned, or: false)
        reader.flag("want_assertions_encrypted", &settings.wantsAssertionsEncrypted, or: false)
        reader.flag("idp_initiated", &settings.allowsUnsolicited, or: false)
        var landings = settings.landingURIs ?? []
        reader.texts("landing_uris", &landings)
        settings.landingURIs = landings.isEmpty ? nil : landings
        reader.text("name_id_format", &settings.nameIDFormat)
        reader.text("subject_attribute", &settings.subjectAttribute)
        reader.pairs("mapping", &settings.mapping)
        reader.flag("trust_email", &settings.trustsEmail, or: false)
        reader.integer("skew_seconds", &settings.skewSeconds, or: 60)
    }
}
