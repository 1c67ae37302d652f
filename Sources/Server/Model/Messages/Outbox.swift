public import KeyturnBase
public import KeyturnWire

/// Every message as text, for developers: what users would have received.
public protocol Outbox: Sendable {
    /// The newest messages, at most ``Limits/outboxMessagesMax``, the newest last.
    func messages() async throws(StoreError) -> [OutboxMessage]
}

/// A message as its recipient sees it.
public struct OutboxMessage: Hashable, Sendable {
    public let id: MessageID
    public let kind: MessageKind
    public let channel: DeliveryMethod
    public let to: String
    /// Empty for a channel without subjects.
    public let subject: String
    /// The text, as it is read or spoken.
    public let body: String
    public let code: String?
    public let links: [String]
    public let createdAt: UnixTime

    public init(
        id: MessageID, kind: MessageKind, channel: DeliveryMethod, to: String, subject: String, body: String,
        code: String?, links: [String], createdAt: UnixTime
    ) {
        self.id = id
        self.kind = kind
        self.channel = channel
        self.to = to
        self.subject = subject
        self.body = body
        self.code = code
        self.links = links
        self.createdAt = createdAt
    }
}
