/// How a code or a link reaches a person: the last part of a method's path.
public enum DeliveryMethod: String, CaseIterable, Hashable, Sendable {
    /// Email.
    case email
    /// A text message.
    case sms
    /// A message by WhatsApp.
    case whatsapp
    /// A telephone call.
    case voice
    /// The operator's push service, which knows a user's devices. Requests cannot name it.
    case push

    /// The channels that reach an address, which requests may name.
    public static let allCases: [DeliveryMethod] = [.email, .sms, .whatsapp, .voice]

    /// Whether it goes to a telephone number rather than to a mailbox.
    public var isPhone: Bool { self != .email && self != .push }
}
