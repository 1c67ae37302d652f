private import KeyturnBase
internal import Model

/// Reads `project`.
enum ProjectReader {
    static let keys =
        [
            "id", "name", "management_keys", "signing_algorithms", "access_token_seconds", "refresh_token_idle_seconds",
            "refresh_token_absolute_seconds", "password_policy", "breached_passwords", "resources",
            "authorization_details_types",
            "session_migration", "anonymous_users", "shadowed_sessions",
        ] + MethodSettingsReader.keys + AuthorityReader.projectKeys
    private static let policyKeys =
        ["min_length", "lowercase", "uppercase", "number", "non_alphanumeric"] + MethodSettingsReader.policyKeys

    private static let anonymousKeys = ["purge_after_days"]

    static func read(_ section: Section?) -> ProjectConfiguration {
        var project = ProjectConfiguration()
        guard let section else { return project }
        if let id = section.text("id", bytesMax: 64), section.reading.check(TextRules.identifier(id.value), id) {
            project.id = id.value
        }
        let anonymous = section.section("anonymous_users", keys: anonymousKeys)
        if let days = anonymous?.integer("purge_after_days", within: 1...Limits.anonymousPurgeDaysMax) {
            project.anonymousPurgeDays = days
        }
        project.name = section.text("name", bytesMax: ConfigurationLimits.nameBytesMax)?.value ?? project.name
        project.managementKeys = managementKeys(section)
        if let algorithms = algorithms(section) { project.signingAlgorithms = algorithms }
        if let choice = section.choice("shadowed_sessions", of: ShadowedSessions.self) {
            project.shadowedSessions = choice
        }
        readLifetimes(section, into: &project)
        let policySection = section.section("password_policy", keys: policyKeys)
        project.passwordPolicy = policy(policySection)
        project.methods = MethodSettingsReader.read(section, policy: policySection)
        project.breachedPasswords = breachedPasswords(section)
        if section.has("resources") { project.resources = URIRules.resources(section) }
        project.authorizationDetailTypes =
            (section.texts(
                "authorization_details_types", bytesMax: ConfigurationLimits.nameBytesMax) ?? []).map(\.value)
        project.sessionMigration = section.sections("session_migration", keys: MigrationReader.keys)
            .compactMap(MigrationReader.read)
        return project
    }

    private static func managementKeys(_ section: Section) -> [Secret] {
        (section.texts("management_keys", bytesMax: ConfigurationLimits.secretBytesMax) ?? []).compactMap { text in
            section.reading.declare(.managementKey, text, shown: false)
            guard
                section.reading.check(TextRules.printableASCII(text.value) ?? TextRules.bearerPart(text.value), text)
            else { return nil }
            section.checkStrength(of: text)
            return Secret(text.value)
        }
    }

    private static func algorithms(_ section: Section) -> [String]? {
        guard let texts = section.texts("signing_algorithms") else { return nil }
        if texts.isEmpty {
            section.mistake("signing_algorithms", "the list is empty", "Name at least one, such as ES256.")
            return nil
        }
        var result: [String] = []
        for text in texts where section.reading.check(AlgorithmRules.signing(text.value), text) {
            if result.contains(text.value) {
                section.reading.mistake(text.path, at: text.origin, "it is listed twice", "Remove one.")
            } else {
                result.append(text.value)
            }
        }
        return result.isEmpty ? nil : result
    }

    private static func readLifetimes(_ section: Section, into project: inout ProjectConfiguration) {
        let limits = ConfigurationLimits.self
        let isDevelopment = section.reading.isDevelopment
        let hint = isDevelopment ? "" : "Shorter ones are for tests only, with dev: true."
        let access = (isDevelopment ? 1 : limits.accessTokenSeconds.lowerBound)...limits.accessTokenSeconds.upperBound
        let refresh = (isDevelopment ? 1 : limits.refreshTokenSecondsMin)...limits.lifetimeSecondsMax
        if let seconds = section.integer("access_token_seconds", within: access, hint: hint) {
            project.accessTokenSeconds = seconds
        }
        let idle = section.integer("refresh_token_idle_seconds", within: refresh, hint: hint)
        let absolute = section.integer("refresh_token_absolute_seconds", within: refresh, hint: hint)
        if let absolute { project.refreshTokenAbsoluteSeconds = absolute }
        // Where only the whole life is given, idle time that is longer by default means nothing.
        project.refreshTokenIdleSeconds =
            idle ?? min(project.refreshTokenIdleSeconds, project.refreshTokenAbsoluteSeconds)
        if let idle, idle > project.refreshTokenAbsoluteSeconds {
            section.mistake(
                "refresh_token_idle_seconds",
                "\(idle) is longer than refresh_token_absolute_seconds, \(project.refreshTokenAbsoluteSeconds)",
                "Lower it, or raise refresh_token_absolute_seconds.")
        }
    }

    private static func breachedPasswords(_ section: Section) -> BreachedPasswords? {
        guard let path = section.text("breached_passwords") else { return nil }
        do throws(BreachedPasswords.Unusable) {
            return try BreachedPasswords(path: path.value)
        } catch {
            section.mistake(
                "breached_passwords", "\(path.value): \(error)",
                "Name a file of SHA-1 hashes ordered by hash, or of passwords, one a line; or leave the key out.")
            return nil
        }
    }

    private static func policy(_ section: Section?) -> PasswordPolicyConfiguration {
        var policy = PasswordPolicyConfiguration()
        guard let section else { return policy }
        policy.minLength = section.integer("min_length", within: 4...128) ?? policy.minLength
        policy.lowercase = section.boolean("lowercase") ?? false
        policy.uppercase = section.boolean("uppercase") ?? false
        policy.number = section.boolean("number") ?? false
        policy.nonAlphanumeric = section.boolean("non_alphanumeric") ?? false
        return policy
    }
}

/// Which signature algorithms may be named where (RFC 7518 §3.1, RFC 8037 §3.1).
enum AlgorithmRules {
    /// What this release signs with.
    static let signing = ["ES256", "RS256"]
    /// What clients may sign with.
    static let verifying = [
        "ES256", "ES384", "ES512", "EdDSA", "PS256", "PS384", "PS512", "RS256", "RS384", "RS512",
    ]

    /// Whether the server can sign so.
    static func signing(_ name: String) -> Refusal? {
        refusal(name, among: signing, when: "this release does not sign with it")
    }

    /// Whether the server can verify a client's signature so.
    static func verifying(_ name: String) -> Refusal? {
        refusal(name, among: verifying, when: "it is not a signature algorithm that clients may use here")
    }

    private static func refusal(_ name: String, among known: [String], when detail: String) -> Refusal? {
        if known.contains(name) { return nil }
        let remedy = "Choose one of: \(known.joined(separator: ", "))."
        if name.lowercased() == "none" { return Refusal("\"none\" means no signature at all", remedy) }
        if name.hasPrefix("HS") { return Refusal("it would sign with a shared secret", remedy) }
        return Refusal(detail, remedy)
    }
}
