internal import KeyturnWire
internal import Model

/// Previews that say which message was asked for.
struct EchoedPreviews: MessagePreviews {
    func preview(_ kind: MessageKind, by channel: DeliveryMethod, in locale: String) -> MessagePreview {
        let text = "\(kind.rawValue) by \(channel.rawValue) in \(locale)"
        let isMail = channel == .email
        return MessagePreview(
            language: locale, subject: isMail ? "About \(text)" : "", text: text, html: isMail ? "<p>\(text)</p>" : nil)
    }
}
