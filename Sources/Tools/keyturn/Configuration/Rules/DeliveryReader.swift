private import Delivery
private import KeyturnBase

/// Reads `delivery`.
enum DeliveryReader {
    static let keys = ["outbox", "smtp", "sms_webhook", "push_webhook", "templates"]

    static func read(_ section: Section?) -> DeliveryConfiguration {
        var delivery = DeliveryConfiguration()
        guard let section else { return delivery }
        delivery.outbox = section.boolean("outbox") ?? false
        delivery.smtp = section.section(
            "smtp", keys: ["host", "port", "from", "tls", "username", "password", "ca_file"]
        )
        .flatMap(smtp)
        delivery.smsWebhook = section.section("sms_webhook", keys: ["url", "secret"]).flatMap(webhook)
        delivery.pushWebhook = section.section("push_webhook", keys: ["url", "secret"]).flatMap(webhook)
        if let push = section.section("push_webhook", keys: ["url", "secret"]), push.has("url"), !push.has("secret") {
            push.warning(
                "url", "without a secret the push service cannot tell this server's requests from others",
                "Add a secret of 32 random bytes or more.")
        }
        delivery.templates = templates(section)
        return delivery
    }

    /// Every mistake in a folder of templates is one of the key that names it.
    private static func templates(_ section: Section) -> MessageTemplates? {
        guard let folder = section.text("templates") else { return nil }
        let (templates, flaws) = MessageTemplates.read(folder: folder.value)
        for flaw in flaws {
            // Below the folder: where that is stands in the file that is checked.
            let file = Printable.text(flaw.file.isEmpty ? folder.value : flaw.file)
            let place = flaw.line.map { "\(file):\($0)" } ?? file
            section.mistake("templates", "\(place): \(Printable.text(flaw.detail))", flaw.remedy)
        }
        return templates
    }

    private static func smtp(_ section: Section) -> SMTPConfiguration? {
        let security = section.choice("tls", of: SMTPConfiguration.Security.self) ?? .starttls
        let port = section.integer("port", within: 1...65_535) ?? (security == .tls ? 465 : 587)
        let username = section.text("username", bytesMax: ConfigurationLimits.nameBytesMax)
        let password = section.secret("password")
        if section.has("username") != section.has("password") {
            let missing = section.has("username") ? "password" : "username"
            section.mistake(missing, "it is missing", "A mail server wants username and password together, or neither.")
        }
        for key in ["host", "from"] where !section.has(key) {
            section.mistake(key, "it is missing", "Give it, or remove smtp.")
        }
        let host = section.text("host", bytesMax: ConfigurationLimits.nameBytesMax).flatMap { host in
            let refusal = URIHost(host.value) != nil ? nil : Refusal("it is not a host", "Write a name or an address.")
            return section.reading.check(refusal, host) ? host.value : nil
        }
        let from = section.text("from").flatMap { section.reading.check(mailbox($0.value), $0) ? $0.value : nil }
        if password != nil, security == .none {
            section.mistake("tls", "a password is sent under TLS only", "Use starttls or tls, or remove the password.")
        }
        let authorities = section.text("ca_file")
        guard let host, let from else { return nil }
        return SMTPConfiguration(
            host: host, port: port, from: from, security: security, username: username?.value, password: password,
            authoritiesFile: authorities?.value)
    }

    private static func webhook(_ section: Section) -> WebhookConfiguration? {
        let secret = section.secret("secret")
        guard section.has("url") else {
            section.mistake("url", "it is missing", "Give the address to which messages are posted.")
            return nil
        }
        guard let url = section.text("url") else { return nil }
        let refusal = URIRules.endpoint(url.value, isDevelopment: section.reading.isDevelopment)
        return section.reading.check(refusal, url) ? WebhookConfiguration(url: url.value, secret: secret) : nil
    }

    /// `Name <address>`, or an address alone.
    private static func mailbox(_ text: String) -> Refusal? {
        guard let open = text.lastIndex(of: "<"), text.hasSuffix(">") else { return TextRules.email(text) }
        return TextRules.email(String(text[text.index(after: open)...].dropLast()))
    }
}
