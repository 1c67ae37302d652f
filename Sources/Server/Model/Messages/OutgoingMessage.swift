public import KeyturnBase
public import KeyturnWire

/// A message to one person: what it is about and what it says, before anybody put it into words.
///
/// Its code, links and values are secrets: they are sealed where the message waits and never logged.
public struct OutgoingMessage: Hashable, Sendable {
    public var kind: MessageKind
    public var channel: DeliveryMethod
    /// An email address, or a telephone number with `+` and country code.
    public var to: String
    /// The language wanted (BCP 47), such as `de-AT`; `nil` or one that nobody speaks here: English.
    public var locale: String?
    /// What the words mention, by the names in ``MessageValue``. Others are kept for the operator's gateway.
    public var values: [String: String]
    /// The addresses that the message leads to; an enchanted link has three, in the order in which they are shown.
    public var links: [String]
    /// The one-time code.
    public var code: String?
    /// Which of the operator's templates it is made from; `nil`: the project's own words.
    public var template: String?
    /// What the request sent along for the template. Anybody may have written it: no built-in words mention it.
    public var options: [String: String]
    /// Two messages with the same key are one message. Not a secret, but unique: the identifier of the code or link,
    /// with the number of the sending.
    public var idempotencyKey: String
    /// Whether it must reach nobody. The same work is done for it, so that an answer's time tells nothing.
    public var isDecoy: Bool
    /// After this moment it is of no use to anybody and is not sent any more; `nil`: a day after it was enqueued.
    public var expiresAt: UnixTime?

    public init(
        kind: MessageKind, channel: DeliveryMethod, to: String, locale: String? = nil, values: [String: String] = [:],
        links: [String] = [], code: String? = nil, template: String? = nil,
        options: [String: String] = [:], idempotencyKey: String, isDecoy: Bool = false,
        expiresAt: UnixTime? = nil
    ) {
        self.kind = kind
        self.channel = channel
        self.to = to
        self.locale = locale
        self.values = values
        self.links = links
        self.code = code
        self.template = template
        self.options = options
        self.idempotencyKey = idempotencyKey
        self.isDecoy = isDecoy
        self.expiresAt = expiresAt
    }
}

/// The names of what messages mention.
public enum MessageValue {
    /// What the app or project is called; without it: the project's name.
    public static let appName = "appName"
    /// For how long the code or link is good, in minutes.
    public static let minutes = "minutes"
    /// The number of the right one of three links. Belongs on the screen of the device that asked; a message to test
    /// users may carry it, the words of no message mention it.
    public static let linkID = "linkID"
    /// The numbers of the links, in their order, with spaces between them.
    public static let linkIDs = "linkIDs"
    /// The address that is the person's from now on, masked.
    public static let newAddress = "newAddress"
    /// What is known of the device, such as "Firefox on Linux".
    public static let device = "device"
    /// When it happened, for people to read.
    public static let when = "when"
    /// The address that is no longer the person's, masked.
    public static let oldAddress = "oldAddress"
    /// The network address that a change came from.
    public static let networkAddress = "networkAddress"
    /// What the app is called whose session ended.
    public static let clientName = "clientName"
    /// When something will happen, for people to read.
    public static let readyAt = "readyAt"
    /// Who invites.
    public static let inviter = "inviter"
    /// The host that a code in a text message is bound to; without it: the issuer's.
    public static let domain = "domain"
}

extension OutgoingMessage: CustomStringConvertible {
    public var description: String { "OutgoingMessage(\(kind.rawValue) by \(channel.rawValue))" }
}
