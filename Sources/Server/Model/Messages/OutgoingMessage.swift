public import KeyturnBase
public import KeyturnWire

/// A message to one user: its kind and its content, before it is put into words.
///
/// Its code, links and values are secrets: they are sealed in the queue and never logged.
public struct OutgoingMessage: Hashable, Sendable {
    public var kind: MessageKind
    public var channel: DeliveryMethod
    /// An email address, or a telephone number with `+` and country code.
    public var to: String
    /// The requested language (BCP 47), such as `de-AT`; `nil` or an unsupported one: English.
    public var locale: String?
    /// The values in the text, by the names in ``MessageValue``. Others are kept for the operator's gateway.
    public var values: [String: String]
    /// The links in the message; an enchanted link has three, in the order in which they are shown.
    public var links: [String]
    /// The one-time code.
    public var code: String?
    /// The operator's template; `nil`: the project's own text.
    public var template: String?
    /// The request's options for the template. Any client may have written them: no built-in text uses them.
    public var options: [String: String]
    /// Two messages with the same key are one message. Not a secret, but unique: the identifier of the code or link,
    /// with the number of the sending.
    public var idempotencyKey: String
    /// Whether it must not be delivered. The same work is done for it, so that the response time reveals nothing.
    public var isDecoy: Bool
    /// After this moment it is not sent any more; `nil`: a day after it was enqueued.
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

extension OutgoingMessage {
    /// A message with an invented code, to see whether messages arrive.
    public static func test(to address: String, by channel: DeliveryMethod, in locale: String?, ambient: Ambient)
        -> Self
    {
        OutgoingMessage(
            kind: .code, channel: channel, to: address, locale: locale, values: [MessageValue.minutes: "10"],
            code: "000000", idempotencyKey: "test/\(ambient.randomToken())", expiresAt: ambient.now() + 600)
    }
}

/// The names of values in messages.
public enum MessageValue {
    /// The name of the app or project; without it: the project's name.
    public static let appName = "appName"
    /// How long the code or link is valid, in minutes.
    public static let minutes = "minutes"
    /// The number of the right one of three links. Belongs on the screen of the device that asked; a message to test
    /// users may carry it, no message text shows it.
    public static let linkID = "linkID"
    /// The numbers of the links, in their order, with spaces between them.
    public static let linkIDs = "linkIDs"
    /// The user's new address, masked.
    public static let newAddress = "newAddress"
    /// A description of the device, such as "Firefox on Linux".
    public static let device = "device"
    /// When it happened, for users to read.
    public static let when = "when"
    /// The user's former address, masked.
    public static let oldAddress = "oldAddress"
    /// The network address that a change came from.
    public static let networkAddress = "networkAddress"
    /// The country that a sign-in came from: ISO 3166-1, such as `DE`.
    public static let country = "country"
    /// The name of the app whose session ended.
    public static let clientName = "clientName"
    /// `binding_message` of a request for a sign-in, for the push service.
    public static let bindingMessage = "bindingMessage"
    /// Names a request for a sign-in in the settings, for the push service.
    public static let requestName = "requestName"
    /// When something will happen, for users to read.
    public static let readyAt = "readyAt"
    /// The name of a connection to an identity provider.
    public static let connectionName = "connectionName"
    /// When something ends, for users to read.
    public static let endsAt = "endsAt"
    /// The name of the inviting user.
    public static let inviter = "inviter"
    /// The host that a code in a text message is bound to; without it: the issuer's.
    public static let domain = "domain"
}

extension OutgoingMessage: CustomStringConvertible {
    public var description: String { "OutgoingMessage(\(kind.rawValue) by \(channel.rawValue))" }
}
