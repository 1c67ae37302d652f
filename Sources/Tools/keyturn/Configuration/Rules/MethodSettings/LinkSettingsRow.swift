private import KeyturnBase
private import KeyturnWire
internal import SignIn

extension MethodSettingsRow {
    /// Links in messages.
    static let links = MethodSettingsRow(
        keys: ["approved_domains", "link_redirect_url"], scalars: [["link_redirect_url"]]
    ) { project, _, settings in
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
    }
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
