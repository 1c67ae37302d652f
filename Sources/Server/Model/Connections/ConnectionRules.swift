internal import KeyturnBase

/// What a connection must be like, from the file, the command line or a client: the rules that do not depend on the provider.
public struct ConnectionRules: Sendable {
    /// Whether http is good for any host, as with `dev: true`.
    private let isDevelopment: Bool
    /// Whether this server has a private address itself, so that its providers may have one.
    private let isPrivate: Bool

    /// - Parameters:
    ///   - issuer: this server's.
    ///   - isDevelopment: whether http is good for any host.
    public init(issuer: String, isDevelopment: Bool = false) {
        self.isDevelopment = isDevelopment
        isPrivate = Self.isPlainlyPrivate(issuer)
    }

    /// Everything that is wrong with a connection.
    public func mistakes(in connection: Connection) -> [ConnectionMistake] {
        var found = [Self.identifier(connection.id), Self.text("name", connection.name)].compactMap(\.self)
        found += Self.lists(connection)
        if connection.tenantID == nil, !connection.domains.isEmpty { found.append(Self.ownerlessDomains) }
        for (index, domain) in connection.domains.enumerated() {
            if let mistake = Self.domain(domain) { found.append(mistake.about("domains[\(index)]")) }
        }
        if let contact = connection.contact, !Self.isAddress(contact) {
            found.append(ConnectionMistake("contact", "it is not an e-mail address", "Write it as name@example.com."))
        }
        switch connection.settings {
        case .openID(let settings): found += openID(settings, of: connection)
        case .saml(let settings): found += saml(settings, of: connection)
        case .ldap(let settings): found += Self.ldap(settings, of: connection)
        }
        return found
    }

    /// `nil` if the address is one that this server may ask.
    public func endpoint(_ member: String, _ text: String, of connection: Connection) -> ConnectionMistake? {
        if let mistake = Self.endpoint(text, isDevelopment: isDevelopment) { return mistake.about(member) }
        guard !connection.allowsPrivateAddresses, !isPrivate, Self.isPlainlyPrivate(text) else { return nil }
        return ConnectionMistake(
            member, "the address is in a private network",
            "Use a public one, or let the operator allow it: keyturn connection change --allow-private.")
    }

    private func openID(_ settings: OpenIDConnectionSettings, of connection: Connection) -> [ConnectionMistake] {
        var found: [ConnectionMistake] = []
        if settings.clientID.isEmpty {
            found.append(Self.clientMissing)
        } else if let mistake = Self.text("client_id", settings.clientID) {
            found.append(mistake)
        }
        if let issuer = settings.issuer, let mistake = endpoint("issuer", issuer, of: connection) {
            found.append(mistake)
        }
        for (name, uri) in settings.endpoints.sorted(by: { $0.key < $1.key }) {
            guard Self.endpointNames.contains(name) else {
                found.append(
                    Self.choice("endpoints.\(name)", name, Self.endpointNames))
                continue
            }
            if let mistake = endpoint("endpoints.\(name)", uri, of: connection) { found.append(mistake) }
        }
        if !settings.endpoints.isEmpty {
            for name in Self.endpointsNeeded where settings.endpoints[name] == nil {
                found.append(
                    ConnectionMistake("endpoints.\(name)", "it is missing", "Name it, or no endpoint: discovery does."))
            }
        }
        if let host = settings.parameters["host"],
            let mistake = endpoint("parameters.host", "https://\(host)", of: connection)
        {
            found.append(mistake)
        }
        found += Self.mapping(settings.mapping) + settings.prompt.compactMap(Self.prompt)
        return found
    }

    private func saml(_ settings: SAMLConnectionSettings, of connection: Connection) -> [ConnectionMistake] {
        var found: [ConnectionMistake] = []
        if settings.entityID.isEmpty {
            found.append(
                ConnectionMistake("idp_entity_id", "it is missing", "Copy it from the provider's metadata: entityID."))
        } else if settings.entityID.count > Limits.entityIDLengthMax {
            found.append(
                ConnectionMistake(
                    "idp_entity_id", "it is too long", "It has at most \(Limits.entityIDLengthMax) characters."))
        }
        for (name, uri) in [
            ("sso_url", settings.signOnURL), ("slo_url", settings.logoutURL), ("metadata_url", settings.metadataURL),
        ] {
            if let uri, let mistake = endpoint(name, uri, of: connection) { found.append(mistake) }
        }
        for (index, uri) in (settings.landingURIs ?? []).enumerated() {
            if let mistake = endpoint("landing_uris[\(index)]", uri, of: connection) { found.append(mistake) }
        }
        if settings.certificates.isEmpty || settings.certificates.count > Limits.providerCertificatesMax {
            found.append(
                ConnectionMistake(
                    "certificates", "there are \(settings.certificates.count)",
                    "Give one to \(Limits.providerCertificatesMax) certificates of the provider."))
        }
        for (index, certificate) in settings.certificates.enumerated() where !Self.isCertificate(certificate) {
            found.append(
                ConnectionMistake(
                    "certificates[\(index)]", "it is no certificate", "Give PEM, or the base64 of the metadata."))
        }
        if !(0...Limits.samlSkewSecondsMax).contains(settings.skewSeconds) {
            found.append(
                ConnectionMistake(
                    "skew_seconds", "\(settings.skewSeconds) is out of bounds",
                    "Choose a number from 0 to \(Limits.samlSkewSecondsMax)."))
        }
        return found + Self.mapping(settings.mapping)
    }

    /// Whether a host is plainly private, without asking for its name.
    private static func isPlainlyPrivate(_ uri: String) -> Bool {
        guard let host = URIParts(uri)?.host else { return false }
        return host.isLoopbackInBrowsers || host.address?.isPublic == false
    }
}
