public import KeyturnWire

/// Shows what messages say, with invented values.
public protocol MessagePreviews: Sendable {
    /// A message as it would reach a user.
    ///
    /// - Parameter locale: the language (BCP 47).
    func preview(_ kind: MessageKind, by channel: DeliveryMethod, in locale: String) -> MessagePreview
}

/// What a message says.
public struct MessagePreview: Hashable, Sendable {
    /// The language that it is in (BCP 47).
    public let language: String
    /// Empty for a channel without subjects.
    public let subject: String
    public let text: String
    /// The page of a mail; `nil`: it has none.
    public let html: String?

    public init(language: String, subject: String, text: String, html: String?) {
        self.language = language
        self.subject = subject
        self.text = text
        self.html = html
    }
}
