public import KeyturnBase

/// Which users somebody asks for. Every condition that is given must hold; a list is met by any of its members.
public struct UserQuery: Hashable, Sendable {
    /// Whether test users are among them.
    public enum TestUsers: Hashable, Sendable {
        case without, with, only
    }

    public var tenants: [String] = []
    /// Identifiers of roles, held anywhere.
    public var roles: [String] = []
    public var statuses: [User.Status] = []
    public var identifiers: [Identifier] = []
    /// Part of the name or of a login ID, in lower case.
    public var text: String?
    /// Members that the custom attributes must have.
    public var attributes: [String: JSONValue] = [:]
    public var testUsers = TestUsers.without
    public var createdFrom: UnixTime?
    /// Users of this very moment and later are left out.
    public var createdBefore: UnixTime?
    /// 1 to ``Limits/usersOfPageMax``.
    public var limit = Limits.usersOfPageMax
    /// From 0.
    public var page = 0

    public init() {}
}
