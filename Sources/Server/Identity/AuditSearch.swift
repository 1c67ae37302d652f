internal import Account
internal import KeyturnBase
public import KeyturnWire
public import Model

extension IdentityServices {
    /// One page of the audit log, newest first, and the number of all events that match.
    ///
    /// - Throws: ``MethodProblem/invalidArguments`` for a filter that is malformed, too long, or unknown here.
    public func searchAudit(_ body: MethodBody) async throws -> (records: [AuditRecord], total: Int) {
        guard let query = try AuditSearch.query(body) else { return ([], 0) }
        let records = try await auditRecords(query)
        return (records, try await stores.audit.count(query))
    }
}

/// Searches of the management interface. Times are in milliseconds only here.
private enum AuditSearch {
    static let filters: Set = [
        "userIds", "actions", "excludedActions", "devices", "methods", "geos", "remoteAddresses", "externalIds",
        "loginIds",
        "tenants", "noTenants", "text", "from", "to", "limit", "page", "size",
    ]

    /// The search of a call; `nil` if no event can match it.
    static func query(_ body: MethodBody) throws -> AuditQuery? {
        try body.requireKnown(filters)
        // Events have no country; of a device they only record that it is unknown.
        if try !body.boundedTexts("geos").isEmpty { return nil }
        let devices = try body.boundedTexts("devices")
        if !devices.isEmpty, !devices.contains(where: { $0.lowercased() == "unknown" }) { return nil }
        var query = AuditQuery()
        query.users = try body.boundedTexts("userIds").map(UserID.init(rawValue:))
        query.kinds = try body.boundedTexts("actions").map(AuditEvent.Kind.init(rawValue:))
        query.excludedKinds = try body.boundedTexts("excludedActions").map(AuditEvent.Kind.init(rawValue:))
        query.addresses = try body.boundedTexts("remoteAddresses")
        query.tenants = try body.boundedTexts("tenants")
        query.includesNoTenant = try body.flag("noTenants") ?? false
        let loginIDs = try body.boundedTexts("externalIds") + body.boundedTexts("loginIds")
        query.loginIDs = loginIDs.compactMap(Identifier.init(loginID:))
        if !loginIDs.isEmpty, query.loginIDs.isEmpty { return nil }
        query.methods = try body.boundedTexts("methods", limit: methodsMax).flatMap(words)
        query.text = try body.text("text")
        query.from = try body.integer("from").map { UnixTime(rawValue: $0 / 1_000) }
        query.to = try body.integer("to").map { UnixTime(rawValue: $0 / 1_000) }
        let limit = try body.integer("limit") ?? body.integer("size") ?? 0
        let page = try body.integer("page") ?? 0
        guard (0...Int64(Limits.auditOfPageMax)).contains(limit), (0...Int64(Limits.searchPageMax)).contains(page)
        else { throw MethodProblem.invalidArguments.saying("limit is at most \(Limits.auditOfPageMax)") }
        query.limit = limit == 0 ? Limits.auditOfPageMax : Int(limit)
        query.page = Int(page)
        return query
    }

    /// More than there are methods.
    private static let methodsMax = 32

    /// The words of a sign-in's reason that a method stands for. Codes and links to a mailbox share one word.
    private static func words(_ method: String) -> [String] {
        switch method.lowercased() {
        case "password": ["pwd", "ldap"]
        case "otp": ["otp", "email", "sms", "whatsapp", "voice", "tel"]
        case "magiclink", "enchantedlink": ["email", "sms", "otp"]
        case "totp": ["totp", "otp"]
        case "oauth": ["oauth", "fed"]
        case "saml", "sso": ["fed"]
        case "webauthn", "passkey", "passkeys": ["webauthn", "hwk"]
        case let word: [word]
        }
    }
}
