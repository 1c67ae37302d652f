internal import Foundation
internal import KeyturnBase

/// The rules for single values. Each returns what is wrong, or `nil`.
extension ConnectionRules {
    /// Claims that a provider may fill in. None of them decides anything.
    public static let fillableClaims = [
        "email", "family_name", "given_name", "groups", "locale", "middle_name", "name", "phone_number", "picture",
        "preferred_username",
    ]
    /// Values of `prompt` that a request may carry.
    public static let prompts = ["login", "consent", "select_account"]
    static let endpointNames = [
        "authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri", "revocation_endpoint",
    ]
    static let endpointsNeeded = ["authorization_endpoint", "token_endpoint", "jwks_uri"]
    /// Anyone gets an address there, so it is of no organisation.
    private static let publicDomains: Set<String> = [
        "gmail.com", "googlemail.com", "outlook.com", "hotmail.com", "live.com", "msn.com", "yahoo.com", "icloud.com",
        "me.com", "mac.com", "aol.com", "gmx.de", "gmx.net", "web.de", "proton.me", "protonmail.com", "mail.com",
        "yandex.com", "qq.com", "163.com",
    ]

    /// What is said of a missing identifier.
    public static let identifierMissing = ConnectionMistake(
        "id", "it is missing", "Choose a short name: it is part of the redirect URI.")
    /// What is said of a missing client identifier.
    public static let clientMissing = ConnectionMistake(
        "client_id", "it is missing", "Register this server at the provider, and copy the client's name.")
    /// What is said of domains without a tenant.
    public static let ownerlessDomains = ConnectionMistake(
        "domains", "domains belong to an organisation", "Name it with tenant, or remove the domains.")

    /// A connection's identifier, which is part of addresses.
    public static func identifier(_ text: String) -> ConnectionMistake? {
        guard !text.isEmpty else { return identifierMissing }
        guard text.utf8.count <= Limits.connectionIDLengthMax else {
            return ConnectionMistake(
                "id", "it is \(text.utf8.count) bytes long", "Use at most \(Limits.connectionIDLengthMax) bytes.")
        }
        let isPlain = text.utf8.allSatisfy { byte in
            (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-")
        }
        return isPlain
            ? nil
            : ConnectionMistake(
                "id", "it holds a character that cannot stand in an address", "Use small letters, digits and hyphens.")
    }

    /// A domain of an organisation.
    public static func domain(_ text: String) -> ConnectionMistake? {
        guard let domain = EmailDomain(text)?.name else {
            return ConnectionMistake("domains", "it is no domain", "Write it as example.com, without @ and wildcard.")
        }
        guard publicDomains.contains(domain) else { return nil }
        return ConnectionMistake(
            "domains", "anyone can have an address there", "Name domains of the organisation alone.")
    }

    /// What the provider says may fill in a profile, and nothing that decides anything.
    public static func mapping(_ pairs: [String: String]) -> [ConnectionMistake] {
        pairs.keys.sorted().filter { !fillableClaims.contains($0) }.map { name in
            ConnectionMistake(
                "mapping.\(shown(name))", "a provider may not set this",
                "Choose one of: \(fillableClaims.joined(separator: ", ")).")
        }
    }

    /// A value of `prompt`.
    public static func prompt(_ text: String) -> ConnectionMistake? {
        guard !prompts.contains(text) else { return nil }
        return ConnectionMistake(
            "prompt", "\"\(shown(text))\" is not one of the choices",
            "Choose from: \(prompts.joined(separator: ", ")).")
    }

    /// Where the server itself sends requests, or browsers: https, or http on this machine.
    ///
    /// - Parameter isDevelopment: whether http is good for any host.
    public static func endpoint(_ text: String, isDevelopment: Bool) -> ConnectionMistake? {
        guard let parts = URIParts(text), parts.isWeb else {
            return ConnectionMistake(
                "uri", "it is not an absolute address",
                "Write it as https://app.example.com/path, special characters percent-encoded.")
        }
        guard parts.userinfo == nil else {
            return ConnectionMistake(
                "uri", "it holds a user name before \"@\"",
                "Remove it; if there was a password in it, change the password.")
        }
        guard parts.fragment == nil else {
            return ConnectionMistake("uri", "it has a fragment", "Remove \"#\" and what follows it.")
        }
        guard parts.host != nil else {
            return ConnectionMistake("uri", "it names no host", "Write it as https://HOST/….")
        }
        guard parts.scheme == "https" || parts.isLoopbackInBrowsers || isDevelopment else {
            return ConnectionMistake(
                "uri", "http is readable on the way, and allowed for this machine only",
                "Use https. For loopback (127.0.0.1, [::1], localhost) http is fine; elsewhere only with dev: true.")
        }
        return nil
    }

    /// One of a closed set of words.
    static func choice(_ member: String, _ text: String, _ words: [String]) -> ConnectionMistake {
        ConnectionMistake(
            member, "\"\(shown(text))\" is not one of the choices", "Choose one of: \(words.joined(separator: ", ")).")
    }

    /// A short text: not empty, not too long, no control characters.
    static func text(_ member: String, _ text: String) -> ConnectionMistake? {
        if text.isEmpty { return ConnectionMistake(member, "it is empty", "Give a value, or remove the key.") }
        guard text.utf8.count <= Limits.nameBytesMax else {
            return ConnectionMistake(
                member, "it is \(text.utf8.count) bytes long", "Use at most \(Limits.nameBytesMax) bytes.")
        }
        guard text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
            return ConnectionMistake(
                member, "it holds a control character", "Retype it without pasted formatting.")
        }
        return nil
    }

    /// The bounds of everything that has several values.
    static func lists(_ connection: Connection) -> [ConnectionMistake] {
        var counts = [
            ("domains", connection.domains.count), ("roles", connection.roles.count),
            ("strong_contexts", connection.strongContexts.count),
        ]
        if case .openID(let settings) = connection.settings {
            counts += [
                ("scopes", settings.scopes.count), ("native_client_ids", settings.nativeClientIDs.count),
                ("parameters", settings.parameters.count), ("mapping", settings.mapping.count),
            ]
        }
        return counts.filter { $0.1 > Limits.connectionEntriesMax }.map { name, count in
            ConnectionMistake(
                name, "there are \(count)", "A connection has at most \(Limits.connectionEntriesMax) of them.")
        }
    }

    /// Looks like an address of mail.
    static func isAddress(_ text: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count == 2 && parts.allSatisfy { !$0.isEmpty } && text.utf8.count <= 254
            && !text.unicodeScalars.contains { $0.properties.isWhitespace }
    }

    /// PEM, or base64 of DER: a SEQUENCE. What is in it, the protocol reads.
    static func isCertificate(_ text: String) -> Bool {
        let lines = text.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("-----") }
        let body = lines.joined().filter { !$0.isWhitespace }
        guard text.utf8.count <= Limits.connectionTextBytesMax, let der = Data(base64Encoded: body) else {
            return false
        }
        return der.count > 100 && der.first == 0x30
    }

    /// At most 80 characters, without control characters.
    private static func shown(_ text: String) -> String {
        String(
            text.unicodeScalars.prefix(80).map { scalar in
                [.control, .format].contains(scalar.properties.generalCategory)
                    ? Character("\u{FFFD}") : Character(scalar)
            })
    }
}
