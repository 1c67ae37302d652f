internal import Authority
internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// Reads one entry of `users`.
enum UserReader {
    static let keys = ["sub", "login_ids", "password", "tenants", "claims", "console_role"] + StandardClaims.all

    /// Claims that the server itself makes, which a user's own would contradict.
    private static let reserved = [
        "iss", "sub", "aud", "exp", "iat", "nbf", "jti", "nonce", "azp", "at_hash", "c_hash", "s_hash", "auth_time",
        "acr",
        "amr", "sid", "act", "cnf", "scope", "client_id", "events",
    ]

    static func read(_ section: Section, policy: PasswordPolicyConfiguration) -> UserConfiguration {
        let sub = section.text("sub", bytesMax: ConfigurationLimits.nameBytesMax)
        if let sub {
            section.reading.check(TextRules.subject(sub.value), sub)
            section.reading.declare(.subject, sub)
        }
        var claims = UserClaimsReader.read(section)
        claims.merge(customClaims(section)) { standard, _ in standard }
        return UserConfiguration(
            sub: sub?.value, loginIDs: loginIDs(section), password: password(section, policy: policy), claims: claims,
            tenants: memberships(section), consoleRole: section.choice("console_role", of: ConsoleRole.self))
    }

    private static func loginIDs(_ section: Section) -> [String] {
        let bytesMax = ConfigurationLimits.nameBytesMax
        var texts = section.texts("login_ids", bytesMax: bytesMax) ?? []
        if !section.has("login_ids"), let email = section.text("email", bytesMax: bytesMax) { texts = [email] }
        if texts.isEmpty, !section.has("sub") {
            section.mistake(
                "login_ids", "nothing identifies this user", "Give login_ids, an email or a sub.")
        }
        for text in texts {
            if section.has("login_ids"), let flaw = Identifier(loginID: text.value)?.flaw {
                section.reading.mistake(text.path, at: text.origin, "the login ID \(flaw)", "Write it as it is read.")
            }
            // People do not remember the case of their address; two users that differ in nothing else are a mistake.
            let spelled = Identifier(loginID: text.value)?.value ?? text.value.lowercased()
            let folded = Located(value: spelled, path: text.path, origin: text.origin)
            section.reading.declare(.loginID, folded)
        }
        return texts.map(\.value)
    }

    private static func password(_ section: Section, policy: PasswordPolicyConfiguration) -> Secret? {
        let password = section.secret("password")
        if let password, !policy.accepts(password.exposed()) {
            section.warning(
                "password", "it does not meet project.password_policy", "Choose a better one, or relax the policy.")
        }
        return password
    }

    private static func customClaims(_ section: Section) -> [String: JSONValue] {
        guard let claims = section.section("claims", keys: nil) else { return [:] }
        var result: [String: JSONValue] = [:]
        for name in claims.keys {
            guard let node = claims.node(name) else { continue }
            if reserved.contains(name) {
                claims.mistake(name, "the server makes this claim itself", "Choose another name.")
            } else if StandardClaims.all.contains(name) {
                claims.mistake(name, "this is a standard claim", "Move it one level up, beside \"claims\".")
            } else {
                result[name] = node.value.json
            }
        }
        return result
    }

    private static func memberships(_ section: Section) -> [UserConfiguration.Membership] {
        var seen: Set<String> = []
        return section.sections("tenants", keys: ["id", "roles"]).compactMap { membership in
            let roles = membership.texts("roles", bytesMax: ConfigurationLimits.nameBytesMax) ?? []
            for role in roles { section.reading.refer(to: .role, role, in: "roles") }
            guard membership.has("id") else {
                membership.mistake("id", "it is missing", "Name the tenant by its id.")
                return nil
            }
            guard let id = membership.text("id", bytesMax: ConfigurationLimits.nameBytesMax) else { return nil }
            section.reading.refer(to: .tenant, id, in: "tenants")
            guard seen.insert(id.value).inserted else {
                membership.mistake("id", "the user is in this tenant already", "Join the two entries.")
                return nil
            }
            return UserConfiguration.Membership(tenant: id.value, roles: roles.map(\.value))
        }
    }
}

/// Reads the claims that OpenID Connect names (Core §5.1), each with its own type.
enum UserClaimsReader {
    static func read(_ section: Section) -> [String: JSONValue] {
        var claims: [String: JSONValue] = [:]
        for name in StandardClaims.all where section.has(name) {
            claims[name] = claim(name, of: section)
        }
        return claims
    }

    private static func claim(_ name: String, of section: Section) -> JSONValue? {
        switch name {
        case "email_verified", "phone_number_verified":
            return section.boolean(name).map { .bool($0) }
        case "updated_at":
            return section.integer(name, within: 0...253_402_300_799).map { .integer(Int64($0)) }
        case "address":
            guard let address = section.section(name, keys: StandardClaims.addressMembers) else { return nil }
            let members = address.keys.compactMap { key in
                address.text(key).map { (key, JSONValue.string($0.value)) }
            }
            return .object(Dictionary(members) { first, _ in first })
        case "profile", "picture", "website":
            return section.text(name).flatMap { checked($0, URIRules.page($0.value), section) }
        case "email":
            return section.text(name).flatMap { checked($0, TextRules.email($0.value), section) }
        default:
            return section.text(name).map { .string($0.value) }
        }
    }

    private static func checked(_ text: Located<String>, _ refusal: Refusal?, _ section: Section) -> JSONValue? {
        section.reading.check(refusal, text) ? .string(text.value) : nil
    }
}
