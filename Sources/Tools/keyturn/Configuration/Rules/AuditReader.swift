private import Delivery
private import KeyturnBase

/// Reads `audit`.
enum AuditReader {
    static let keys = ["streams", "retention_days"]
    /// Where the events go: one of them.
    private static let targets = ["webhook", "syslog", "receiver"]
    private static let streamKeys =
        ["name", "secret", "ca_file", "audience", "authorization", "actions"] + targets
    private static let nameBytesMax = 32

    static func read(_ section: Section?) -> AuditConfiguration {
        var audit = AuditConfiguration()
        guard let section else { return audit }
        if let days = section.integer("retention_days", within: ConfigurationLimits.auditRetentionDays) {
            audit.retentionDays = days
        }
        audit.streams = streams(section)
        return audit
    }

    private static func streams(_ section: Section) -> [AuditStreamConfiguration] {
        let nodes = section.nodes("streams") ?? []
        guard nodes.count <= ConfigurationLimits.auditStreamsMax else {
            section.mistake(
                "streams", "there are more than \(ConfigurationLimits.auditStreamsMax)",
                "Send to fewer programs, which hand the events on.")
            return []
        }
        var names: Set<String> = []
        return section.sections("streams", keys: streamKeys).compactMap { stream in
            guard let name = name(stream) else { return nil }
            guard names.insert(name).inserted else {
                stream.mistake("name", "another stream has this name", "Choose another one.")
                return nil
            }
            return target(stream).map {
                AuditStreamConfiguration(name: name, actions: actions(stream), target: $0)
            }
        }
    }

    private static func name(_ stream: Section) -> String? {
        guard stream.has("name") else {
            stream.mistake("name", "it is missing", "Name the stream: under its name it goes on where it was.")
            return nil
        }
        guard let name = stream.text("name", bytesMax: nameBytesMax) else { return nil }
        let isFine = name.value.utf8.allSatisfy { byte in
            switch byte {
            case 0x61...0x7A, 0x30...0x39, 0x2D: true
            default: false
            }
        }
        let refusal =
            isFine && !name.value.isEmpty
            ? nil : Refusal("it is no name of a stream", "Use small letters, digits and hyphens.")
        return stream.reading.check(refusal, name) ? name.value : nil
    }

    private static func target(_ stream: Section) -> AuditStreamConfiguration.Target? {
        let given = targets.filter(stream.has)
        guard let target = given.first, given.count == 1 else {
            stream.mistake(
                given.last ?? "webhook",
                given.first.map { "it stands beside \($0)" } ?? "it is missing, and so are syslog and receiver",
                "Give one of the three: webhook: https://…, syslog: tls://HOST:6514, or receiver: https://….")
            return nil
        }
        for (key, owner) in [("secret", "webhook"), ("ca_file", "syslog")] where stream.has(key) && target != owner {
            stream.mistake(key, "it is for \(owner) alone", "Remove it.")
        }
        for key in ["audience", "authorization"] where stream.has(key) && target != "receiver" {
            stream.mistake(key, "it is for receiver alone", "Remove it.")
        }
        switch target {
        case "webhook": return webhook(stream)
        case "syslog": return syslog(stream)
        default: return receiver(stream)
        }
    }

    /// A receiver of shared signals.
    private static func receiver(_ stream: Section) -> AuditStreamConfiguration.Target? {
        if !stream.has("audience") {
            stream.mistake("audience", "it is missing", "Give the receiver's identifier, as it expects it in aud.")
        }
        let authorization = stream.secret("authorization")
        guard let audience = stream.text("audience"), let url = stream.text("receiver") else { return nil }
        let refusal = URIRules.endpoint(url.value, isDevelopment: stream.reading.isDevelopment)
        guard stream.reading.check(refusal, url) else { return nil }
        return .receiver(url: url.value, audience: audience.value, authorization: authorization)
    }

    private static func webhook(_ stream: Section) -> AuditStreamConfiguration.Target? {
        if !stream.has("secret") {
            stream.warning(
                "webhook", "without a secret the program cannot tell this server's requests from others",
                "Add a secret, made with: openssl rand -base64 32")
        }
        let secret = stream.secret("secret")
        let key = secret.flatMap(WebhookKey.init)
        if secret != nil, key == nil {
            stream.mistake(
                "secret", "it is not base64 of 24 to 64 bytes", "Make one with: openssl rand -base64 32")
        }
        guard let url = stream.text("webhook") else { return nil }
        let refusal = URIRules.endpoint(url.value, isDevelopment: stream.reading.isDevelopment)
        guard stream.reading.check(refusal, url) else { return nil }
        return .webhook(url: url.value, key: key)
    }

    private static func syslog(_ stream: Section) -> AuditStreamConfiguration.Target? {
        let authorities = stream.text("ca_file")
        guard let address = stream.text("syslog") else { return nil }
        let parts = URIParts(address.value)
        guard let parts, let host = parts.host, let port = parts.port, parts.path.isEmpty, parts.userinfo == nil,
            let security = SyslogTransport.Settings.Security(rawValue: parts.scheme)
        else {
            stream.mistake(
                "syslog", "it is no address of a syslog server",
                "Write tls://HOST:6514, tcp://HOST:514 or udp://HOST:514.")
            return nil
        }
        if authorities != nil, security != .tls {
            stream.mistake("ca_file", "it is for tls alone", "Remove it, or write tls://.")
        }
        return .syslog(
            SyslogTransport.Settings(
                security: security, host: host.text, port: port, authoritiesFile: authorities?.value))
    }

    private static func actions(_ stream: Section) -> [String] {
        guard let texts = stream.texts("actions", bytesMax: ConfigurationLimits.nameBytesMax) else { return [] }
        guard (1...ConfigurationLimits.auditActionsMax).contains(texts.count) else {
            stream.mistake(
                "actions", "there are \(texts.count)",
                "Name 1 to \(ConfigurationLimits.auditActionsMax), or leave actions out for all.")
            return []
        }
        return texts.filter { text in
            let name = text.value.hasSuffix("*") ? text.value.dropLast() : text.value[...]
            let isAction = name.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x2E || $0 == 0x5F }
            let refusal =
                isAction && !text.value.isEmpty
                ? nil
                : Refusal(
                    "it is no action of the audit log", "Write sign_in.failed, or sign_in.* for all that begin so.")
            return stream.reading.check(refusal, text)
        }.map(\.value)
    }
}
