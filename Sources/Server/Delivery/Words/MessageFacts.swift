internal import KeyturnWire
internal import Model
internal import Texts

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
