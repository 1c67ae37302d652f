private import KeyturnBase
private import KeyturnWire

/// Reads `registration`: whether clients may register themselves (RFC 7591).
enum RegistrationReader {
    static let keys = ["enabled", "initial_access_token", "scope", "clients_max", "strict_assertions"]

    static func read(_ section: Section?) -> RegistrationConfiguration? {
        guard let section else { return nil }
        var registration = RegistrationConfiguration()
        registration.initialAccessToken = section.secret("initial_access_token")
        if let text = section.text("initial_access_token") {
            if section.reading.check(TextRules.printableASCII(text.value), text) { section.checkStrength(of: text) }
        }
        if let text = section.text("scope") {
            if let scope = Scope(text.value) {
                registration.scope = scope
            } else {
                section.mistake(
                    "scope", "it holds a character that scopes cannot have", "Separate plain names by spaces.")
            }
        }
        registration.clientsMax = section.integer("clients_max", within: 1...10_000) ?? registration.clientsMax
        registration.strictAssertions = section.boolean("strict_assertions") ?? false
        guard section.boolean("enabled") ?? false else {
            if section.keys.contains(where: { $0 != "enabled" }) {
                section.warning(
                    "enabled", "nobody can register: it is not true", "Write enabled: true, or remove the rest.")
            }
            return nil
        }
        if !section.has("initial_access_token") {
            let detail = "anybody who reaches this server can register a client"
            if section.has("clients_max") || section.reading.isDevelopment {
                section.warning("enabled", detail, "Give initial_access_token, unless strangers shall be able to.")
            } else {
                section.mistake(
                    "enabled", detail,
                    "Give initial_access_token; or, where strangers shall be able to, write clients_max as well.")
            }
        }
        return registration
    }
}
