private import KeyturnBase
private import KeyturnWire
internal import Model
internal import SignIn

/// Reads what an operator decides about passwords, links and lost second factors: keys of `project` and of its
/// `password_policy`.
enum MethodSettingsReader {
    static let keys = ["approved_domains", "link_redirect_url", "recovery"]
    static let passwordKeys = ["expiration_weeks", "reuse_amount", "lock_attempts", "lock_seconds"]

    static func read(_ project: Section, policy: Section?) -> MethodSettings {
        var settings = MethodSettings()
        for domain in project.texts("approved_domains", bytesMax: ConfigurationLimits.nameBytesMax) ?? [] {
            if project.reading.check(LinkTargetRules.domain(domain.value), domain) {
                settings.approvedDomains.insert(domain.value)
            }
        }
        if let address = project.text("link_redirect_url", bytesMax: ConfigurationLimits.uriBytesMax),
            project.reading.check(
                LinkTargetRules.address(address.value, isDevelopment: project.reading.isDevelopment), address)
        {
            settings.defaultRedirect = address.value
        }
        if let policy { settings.passwords = passwords(policy) }
        settings.recovery = recovery(project.section("recovery", keys: ["enabled", "delay_hours"]))
        return settings
    }

    private static func recovery(_ section: Section?) -> RecoverySettings? {
        guard let section else { return RecoverySettings() }
        let limits = ConfigurationLimits.recoveryDelayHours
        let isDevelopment = section.reading.isDevelopment
        let hours = section.integer(
            "delay_hours", within: (isDevelopment ? 0 : limits.lowerBound)...limits.upperBound,
            hint: "To turn it off, write enabled: false.")
        guard section.boolean("enabled") ?? true else {
            if section.has("delay_hours") {
                section.warning(
                    "delay_hours", "nothing waits: enabled is false", "Write enabled: true, or remove delay_hours.")
            }
            return nil
        }
        return hours.map { RecoverySettings(delaySeconds: Int64($0) * 3_600) } ?? RecoverySettings()
    }

    private static func passwords(_ policy: Section) -> PasswordSettings {
        let limits = ConfigurationLimits.self
        let weeks = policy.integer("expiration_weeks", within: limits.expirationWeeks, hint: off("never"))
        let attempts = policy.integer("lock_attempts", within: limits.lockAttempts, hint: off("no lock"))
        let seconds = policy.integer("lock_seconds", within: limits.lockSeconds)
        if policy.has("lock_seconds"), !policy.has("lock_attempts") {
            policy.mistake(
                "lock_seconds", "it says how long a lock lasts, but nothing locks",
                "Add lock_attempts: after so many wrong passwords; or remove lock_seconds.")
        }
        return PasswordSettings(
            expirationWeeks: weeks.map(Int64.init),
            reuseMax: policy.integer("reuse_amount", within: 0...Limits.passwordHistoryMax) ?? 0,
            lockAttempts: attempts.map(Int64.init), lockSeconds: Int64(seconds ?? 900))
    }

    private static func off(_ meaning: String) -> String { "Remove the key for: \(meaning)." }
}

/// Where links in messages may lead. They hold what signs a person in.
enum LinkTargetRules {
    /// `app.example.com`, `.example.com` for every host below, or `app:` for the addresses of an application.
    static func domain(_ text: String) -> Refusal? {
        if text.hasSuffix(":") { return scheme(String(text.dropLast())) }
        let host = text.hasPrefix(".") ? String(text.dropFirst()) : text
        if text.contains("*") {
            return Refusal("an approved domain cannot hold a wildcard", "Write .example.com for every host below it.")
        }
        if text.contains("/") || host.contains(":") {
            return Refusal("it is an address, not a domain", "Write the host alone, without scheme, port and path.")
        }
        guard URIHost(host)?.text == host else {
            return Refusal(
                "it is not a domain",
                "Write app.example.com, .example.com for every host below, or app: for an application's own scheme.")
        }
        guard host.contains(".") || !text.hasPrefix(".") else {
            return Refusal("it approves every host of a whole top-level domain", "Name a domain of your own.")
        }
        return nil
    }

    /// Where links lead when a request does not say.
    static func address(_ text: String, isDevelopment: Bool) -> Refusal? {
        if let refusal = URIRules.redirect(text, isDevelopment: isDevelopment) { return refusal }
        let query = URIParts(text)?.query.flatMap { try? FormParameters(parsing: $0) }
        guard query?.values("t").isEmpty != false else {
            return Refusal(
                "the query holds \"t\", in which links carry their token", "Rename or remove that parameter.")
        }
        return nil
    }

    private static func scheme(_ name: String) -> Refusal? {
        guard !["http", "https"].contains(name) else {
            return Refusal("it approves every page of the web", "Name the hosts to which links may lead.")
        }
        guard let refusal = URIRules.redirect("\(name):/", isDevelopment: false) else {
            return name == name.lowercased()
                ? nil : Refusal("schemes are written in lower case", "Write \(name.lowercased()):")
        }
        return refusal
    }
}
