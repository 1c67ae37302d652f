internal import KeyturnBase
internal import KeyturnWire

/// Seals a message's content and recipient while it waits.
struct MessageSeal: Sendable {
    private let seal: Seal

    init(_ secrets: ServerSecrets, ambient: Ambient) {
        seal = Seal(secrets, purpose: .message, ambient: ambient)
    }

    func seal(_ message: OutgoingMessage, at now: UnixTime) -> WaitingMessage {
        let id = MessageID(idempotencyKey: message.idempotencyKey)
        let content = JSONWriter.object { json in
            json.member("to", message.to)
            json.member("locale", message.locale)
            json.member("values", .object(message.values.mapValues { .string($0) }))
            json.member("links", message.links)
            json.member("code", message.code)
            json.member("template", message.template)
            if !message.options.isEmpty {
                json.member("options", .object(message.options.mapValues { .string($0) }))
            }
            json.member("key", message.idempotencyKey)
        }
        return WaitingMessage(
            id: id, kind: message.kind, channel: message.channel, sealed: seal.seal(content, context: id.bytes),
            isDecoy: message.isDecoy, createdAt: now,
            expiresAt: message.expiresAt ?? now + Limits.messageSeconds)
    }

    /// `nil` if it was sealed by another server, or changed.
    func open(_ waiting: WaitingMessage) -> OutgoingMessage? {
        guard let content = seal.open(waiting.sealed, context: waiting.id.bytes),
            let json = try? JSONValue(parsing: content), let to = json["to"]?.stringValue,
            let key = json["key"]?.stringValue
        else { return nil }
        return OutgoingMessage(
            kind: waiting.kind, channel: waiting.channel, to: to, locale: json["locale"]?.stringValue,
            values: (json["values"]?.objectValue ?? [:]).compactMapValues(\.stringValue),
            links: json["links"]?.stringArrayValue ?? [], code: json["code"]?.stringValue,
            template: json["template"]?.stringValue,
            options: (json["options"]?.objectValue ?? [:]).compactMapValues(\.stringValue), idempotencyKey: key,
            isDecoy: waiting.isDecoy, expiresAt: waiting.expiresAt)
    }
}
