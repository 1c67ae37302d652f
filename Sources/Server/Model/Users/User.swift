public import KeyturnBase

/// A person who can sign in.
public struct User: Hashable, Sendable {
    /// Whether the person may sign in at all.
    public enum Status: String, Hashable, Sendable, CaseIterable {
        case active, disabled
        /// Was asked to come, and has not yet shown who they are: the first proof of an identifier makes them active.
        case invited
        /// Kept out until somebody renews the account.
        case expired

        /// The word of the methods' wire: `enabled` for active users.
        public var wireName: String { self == .active ? "enabled" : rawValue }

        /// Reads ``wireName``.
        public init?(wireName: String) {
            self.init(rawValue: wireName == "enabled" ? "active" : wireName == "active" ? "" : wireName)
        }
    }

    public let id: UserID
    public var status: Status
    /// What is known about the person, by OpenID Connect's claim names (Core §5.1); custom claims beside them.
    public var claims: [String: JSONValue]
    /// What the operator keeps about the person. Told to the operator's own apps, never part of an ID token.
    public var attributes: [String: JSONValue]
    /// Made for automatic tests: an operator may ask for its codes and links.
    public var isTest: Bool
    public let createdAt: UnixTime
    public var updatedAt: UnixTime
    /// Raised by the store whenever the user's sessions end or a credential changes: what was proved in an earlier epoch
    /// opens nothing any more, even if it is on its way at this moment.
    public var epoch: Int64

    public init(
        id: UserID, status: Status = .active, claims: [String: JSONValue] = [:],
        attributes: [String: JSONValue] = [:], isTest: Bool = false, createdAt: UnixTime, updatedAt: UnixTime,
        epoch: Int64 = 0
    ) {
        self.id = id
        self.status = status
        self.claims = claims
        self.attributes = attributes
        self.isTest = isTest
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.epoch = epoch
    }

    /// How a page addresses the person: name, else email, else phone, else preferred user name.
    public var displayName: String? {
        ["name", "email", "phone_number", "preferred_username"].lazy.compactMap { self.claims[$0]?.stringValue }.first
    }
}
