public import KeyturnBase
public import KeyturnWire
public import Model

/// Hands messages of one kind to the next system: a mail server or a gateway.
public protocol MessageTransport: Sendable {
    /// Tries once, within the lease of a claim. Never throws: whatever happens is an outcome.
    func send(_ message: RenderedMessage) async -> DeliveryOutcome
}

/// What came of one try. Reasons name step and status; they hold nothing that belongs to the person.
public enum DeliveryOutcome: Hashable, Sendable {
    /// The other side answers for it now.
    case sent
    /// The other side asks to try later.
    case temporary(reason: String)
    /// There was no other side, or it went away; also when it went away after everything was said, because it is then
    /// unknown whether it took the message.
    case unreachable(reason: String)
    /// Trying again would not help this message.
    case permanent(reason: String)
}

/// A message in words, for one channel and in one language.
public struct RenderedMessage: Hashable, Sendable {
    public let id: MessageID
    public let kind: MessageKind
    public let channel: DeliveryMethod
    public let to: String
    /// BCP 47.
    public let language: String
    /// Empty where the channel has none.
    public let subject: String
    public let text: String
    /// The same for mail programs that show pages; `nil` where the channel has none.
    public let html: String?
    public let code: String?
    public let links: [String]
    /// Beside the text, for a push service; empty elsewhere.
    public let details: [String: String]
    /// When it was enqueued. A mail that is sent twice is the same mail to the last byte.
    public let createdAt: UnixTime

    public init(
        id: MessageID, kind: MessageKind, channel: DeliveryMethod, to: String, language: String, subject: String,
        text: String, html: String?, code: String?, links: [String], details: [String: String] = [:],
        createdAt: UnixTime
    ) {
        self.id = id
        self.kind = kind
        self.channel = channel
        self.to = to
        self.language = language
        self.subject = subject
        self.text = text
        self.html = html
        self.code = code
        self.links = links
        self.details = details
        self.createdAt = createdAt
    }
}
