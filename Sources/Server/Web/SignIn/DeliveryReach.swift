internal import KeyturnWire
internal import Model

/// The kinds of addresses to which pages can send messages: mail, text message, or none.
struct DeliveryReach: Sendable {
    /// The kind of address that a form asks for.
    enum Kind: Sendable, CaseIterable {
        case email, phone, emailOrPhone
    }

    /// The kind to ask for where an address is needed; `nil`: no message can be sent.
    let kind: Kind?

    init(_ channels: Set<DeliveryMethod>) {
        switch (channels.contains(.email), channels.contains(.sms)) {
        case (true, true): kind = .emailOrPhone
        case (true, false): kind = .email
        case (false, true): kind = .phone
        case (false, false): kind = nil
        }
    }

    /// The channel for a message to this identifier; `nil`: none. It depends only on the typed text, so that it does
    /// not reveal which accounts exist.
    func channel(to identifier: Identifier) -> DeliveryMethod? {
        switch identifier.kind {
        case .email: isReached(.email) ? .email : nil
        case .phone: isReached(.phone) ? .sms : nil
        // The account may have an address.
        case .username: isReached(.email) ? .email : isReached(.phone) ? .sms : nil
        }
    }

    /// The kinds of identifiers that are such addresses.
    var addresses: Set<Identifier.Kind> {
        Set([Identifier.Kind.email, .phone].filter { isReached($0 == .email ? .email : .phone) })
    }

    private func isReached(_ wanted: Kind) -> Bool { kind == wanted || kind == .emailOrPhone }
}
