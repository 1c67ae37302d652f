/// For whom a service asks for a token (Box, client credentials and JWT assertions).
public struct BoxSubject: Hashable, Sendable {
    /// What ``BoxSubject/id`` names.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A customer organisation: the token is for the service's own account there.
        case enterprise
        /// A person.
        case user
    }

    /// Whether it is a user or an enterprise.
    public let type: Kind
    /// The identifier, without its type.
    public let id: String

    /// A subject.
    public init(type: Kind, id: String) {
        self.type = type
        self.id = id
    }

    /// The service's own account in an enterprise.
    public static func enterprise(_ id: String) -> BoxSubject { BoxSubject(type: .enterprise, id: id) }
    /// A person's account.
    public static func user(_ id: String) -> BoxSubject { BoxSubject(type: .user, id: id) }
}
