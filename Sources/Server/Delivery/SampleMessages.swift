public import KeyturnBase
public import KeyturnWire
public import Model

/// Messages of every kind with invented values, as users would get them.
public struct SampleMessages: MessagePreviews {
    private let renderer: MessageRenderer
    private let issuer: String
    private let ambient: Ambient

    /// - Parameter issuer: where the links of the messages lead.
    public init(renderer: MessageRenderer, issuer: String, ambient: Ambient) {
        self.renderer = renderer
        self.issuer = issuer
        self.ambient = ambient
    }

    public func preview(_ kind: MessageKind, by channel: DeliveryMethod, in locale: String) -> MessagePreview {
        let message = sample(kind, by: channel, in: locale)
        let rendered = renderer.render(
            message, id: MessageID(idempotencyKey: message.idempotencyKey), createdAt: ambient.now())
        return MessagePreview(
            language: rendered.language, subject: rendered.subject, text: rendered.text, html: rendered.html)
    }

    private func sample(_ kind: MessageKind, by channel: DeliveryMethod, in locale: String) -> OutgoingMessage {
        var message = OutgoingMessage(
            kind: kind, channel: channel, to: channel.isPhone ? "+15550100" : "user@example.com", locale: locale,
            values: Self.values, idempotencyKey: "preview")
        switch kind {
        case .code, .recoveryProof, .verifyAddress: message.code = Self.code
        case .unknownAccount, .certificateExpiring: break
        case .enchantedLink:
            message.links = Self.numbers.map { link("verify?number=\($0)") }
            message.values[MessageValue.linkIDs] = Self.numbers.joined(separator: " ")
        case .magicLink, .passwordReset, .invitation, .alreadyRegistered: message.links = [link("verify")]
        // A notice leads to the settings.
        default: message.links = [link("settings")]
        }
        return message
    }

    private func link(_ path: String) -> String { "\(issuer)/\(path)" }

    private static let code = "123456"
    private static let numbers = ["17", "42", "68"]
    private static let values = [
        MessageValue.minutes: "10", MessageValue.newAddress: "n**@e******.com",
        MessageValue.oldAddress: "o**@e******.com",
        MessageValue.device: "Firefox, Linux", MessageValue.when: "2026-01-31 12:00 UTC",
        MessageValue.networkAddress: "192.0.2.1", MessageValue.country: "DE", MessageValue.clientName: "Example app",
        MessageValue.readyAt: "2026-02-02 12:00 UTC", MessageValue.connectionName: "Example",
        MessageValue.endsAt: "2026-02-14 12:00 UTC", MessageValue.inviter: "Ada Example",
        MessageValue.bindingMessage: "Till 4", MessageValue.requestName: "request",
    ]
}
