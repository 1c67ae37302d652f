/// Why a text is not a message of the passkey service's wire.
public struct PasskeyMessageProblem: Error, Hashable, Sendable {
    /// The rule that was broken.
    public enum Rule: String, Hashable, Sendable {
        /// How the message differs from what the service describes.
        case notJSON, notAnObject, missing, wrongType, outOfBounds, inconsistent
    }

    /// The first rule that was broken.
    public let rule: Rule
    /// The member that breaks it, such as `user.id`; empty: the message as a whole. Never what the sender sent.
    public let member: String

    /// A refusal, and the member that it is about.
    public init(_ rule: Rule, _ member: String = "") {
        self.rule = rule
        self.member = member
    }

    /// A sentence for a developer.
    public var message: String {
        let name = member.isEmpty ? "The body" : "The \(member) field"
        return switch rule {
        case .notJSON: "\(name) is not JSON"
        case .notAnObject: "\(name) is not an object"
        case .missing: "\(name) is required"
        case .wrongType: "\(name) has the wrong type"
        case .outOfBounds: "\(name) is too short, too long or out of range"
        case .inconsistent: "\(name) contradicts the rest of the message"
        }
    }
}

extension PasskeyMessageProblem: CustomStringConvertible {
    public var description: String { "PasskeyMessageProblem(\(rule.rawValue), \(member))" }
}
