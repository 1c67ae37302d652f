internal import KeyturnWire
internal import Model

/// What one message says in one language, before it is laid out.
struct MessageWords: Hashable, Sendable {
    let subject: String
    let heading: String
    let paragraphs: [String]
    /// On the button that follows the link; numbered links show their numbers instead.
    var action: String?
    /// What to do if it was not the reader.
    let note: String
    /// All of it in one or two sentences, for a telephone.
    let short: String
}

/// A language that messages speak. One that lacks a kind of message does not compile.
struct MessageLanguage: Sendable {
    /// BCP 47, such as `de`.
    let code: String
    let words: @Sendable (MessageKind, MessageFacts) -> MessageWords
    /// Said by a machine before the digits of a code.
    let spokenCode: @Sendable (_ app: String, _ digits: String) -> String

    static let all = [english, german]

    /// The language of a tag such as `de-AT`; English if it is not spoken here.
    static func best(_ locale: String?) -> MessageLanguage {
        let primary = (locale ?? "").prefix { $0 != "-" && $0 != "_" }.lowercased()
        return all.first { $0.code == primary } ?? english
    }
}

/// What the words may mention: every text is one line, and bounded.
struct MessageFacts: Sendable {
    let app: String
    let code: String?
    let minutes: String?
    let hasLink: Bool
    let newAddress: String?
    let device: String?
    let when: String?
    /// The network address of the request.
    let networkAddress: String?
    /// ISO 3166-1.
    let country: String?
    let oldAddress: String?
    let clientName: String?
    let readyAt: String?
    let connectionName: String?
    let endsAt: String?
    let inviter: String?

    init(_ message: OutgoingMessage, projectName: String) {
        func value(_ name: String) -> String? {
            guard let text = message.values[name], !text.isEmpty else { return nil }
            return Self.clean(text)
        }
        app = value(MessageValue.appName) ?? Self.clean(projectName)
        code = message.code.map(Self.clean)
        minutes = value(MessageValue.minutes)
        hasLink = !message.links.isEmpty
        newAddress = value(MessageValue.newAddress)
        device = value(MessageValue.device)
        when = value(MessageValue.when)
        networkAddress = value(MessageValue.networkAddress)
        country = value(MessageValue.country)
        oldAddress = value(MessageValue.oldAddress)
        clientName = value(MessageValue.clientName)
        readyAt = value(MessageValue.readyAt)
        connectionName = value(MessageValue.connectionName)
        endsAt = value(MessageValue.endsAt)
        inviter = value(MessageValue.inviter)
    }

    static func clean(_ text: String) -> String {
        String(HeaderText.singleLine(text).prefix(DeliveryLimits.valueMax))
    }
}
