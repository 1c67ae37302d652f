private import KeyturnBase
private import KeyturnJose

/// Reads one entry of `project.session_migration`.
enum MigrationReader {
    static let keys = ["issuer", "audience", "subject", "jwks_uri", "jwks"]

    static func read(_ section: Section) -> MigrationConfiguration? {
        for key in ["issuer", "audience", "subject"] where !section.has(key) {
            section.mistake(key, "it is missing", remedy(for: key))
        }
        if section.has("jwks"), section.has("jwks_uri") {
            section.mistake("jwks_uri", "jwks and jwks_uri cannot stand together", "Keep one of the two.")
        }
        if !section.has("jwks"), !section.has("jwks_uri") {
            section.mistake(
                "jwks_uri", "it is missing", "Say where the issuer publishes its keys, or write them down as jwks.")
        }
        let issuer = section.text("issuer").flatMap { text in
            section.reading.check(TextRules.printableASCII(text.value) ?? own(text.value, section), text) ? text : nil
        }
        // Compared as it is written, and not judged as an address: some issuers are no address.
        if let issuer { section.reading.declare(.migrationIssuer, issuer) }
        let audience = section.text("audience")
        let subject = section.choice("subject", of: MigrationConfiguration.Subject.self)
        let uri = section.text("jwks_uri").flatMap { text in
            let refusal = URIRules.endpoint(text.value, isDevelopment: section.reading.isDevelopment)
            return section.reading.check(refusal, text) ? text.value : nil
        }
        let set = keySet(section)
        guard let issuer, let audience, let subject, uri != nil || set != nil else { return nil }
        return MigrationConfiguration(
            issuer: issuer.value, audience: audience.value, subject: subject, keysURI: uri, keys: set)
    }

    /// Our own tokens are not traded: one that was made for ten minutes would become a session of a month.
    private static func own(_ issuer: String, _ section: Section) -> Refusal? {
        guard let ours = section.reading.issuer, issuer == ours || issuer.hasPrefix(ours + "/") else { return nil }
        return Refusal("it is this server itself", "Name the service that your users come from.")
    }

    private static func keySet(_ section: Section) -> JSONWebKeySet? {
        guard let json = KeySetRules.read("jwks", of: section) else { return nil }
        let set = try? JSONWebKeySet(parsing: json.serialized)
        let isUsable = set?.keys.contains { key in
            SignatureAlgorithm.allCases.contains { (try? VerificationKey(key, algorithm: $0)) != nil }
        }
        if isUsable == true { return set }
        section.mistake("jwks", "no key in it checks signatures", "Copy the keys that the issuer publishes.")
        return nil
    }

    private static func remedy(for key: String) -> String {
        switch key {
        case "issuer": "Give the iss of the tokens, exactly as the other service writes it."
        case "audience": "Give the aud of the tokens: without it, tokens for anybody's app would do."
        default: "Choose one of: sub, email."
        }
    }
}
