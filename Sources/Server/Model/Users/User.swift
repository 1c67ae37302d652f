public import KeyturnBase

/// A user who can sign in.
public struct User: Hashable, Sendable {
    /// Whether the user may sign in at all.
    public enum Status: String, Hashable, Sendable, CaseIterable {
        case active, disabled
        /// Was invited: the first verification of an identifier makes the user active.
        case invited
        /// Cannot sign in until an operator renews the account.
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
    /// The user's claims, by OpenID Connect's names (Core §5.1); custom claims beside them.
    public var claims: [String: JSONValue]
    /// The operator's custom attributes. Told to the operator's own apps, never part of an ID token.
    public var attributes: [String: JSONValue]
    /// The documents that the user accepted, by name (``JourneyDocument``).
    public var acceptances: [String: Acceptance]
    /// Made for automatic tests: an operator may ask for its codes and links.
    public var isTest: Bool
    /// When the user began without an account; `nil`: the user has one. The store forgets it when the user gets an
    /// identifier, or is promoted.
    public var anonymousAt: UnixTime?
    /// When others than the user first set up a way to sign in: an operator who is no owner, a tenant's directory, a
    /// provider that named another address, or a session that a provider alone opened. The store notes it, and forgets
    /// it when everything goes with a role in the console.
    public var othersAt: UnixTime?
    /// When an operator who is no owner first did: providers and directories speak for their users as it is.
    public var operatorsAt: UnixTime?
    /// When a sign-in was last disputed: what the account had to sign in with may have been removed. The store notes it, and
    /// forgets it when the account changes hands.
    public var disputedAt: UnixTime?
    public let createdAt: UnixTime
    public var updatedAt: UnixTime
    /// Raised by the store whenever the user's sessions end or a credential changes: verifications of an earlier epoch
    /// are refused, even those in progress.
    public var epoch: Int64
    /// When the store last ended the user's sessions; `nil`: never since that is recorded.
    public var endedAt: UnixTime?

    public init(
        id: UserID, status: Status = .active, claims: [String: JSONValue] = [:],
        attributes: [String: JSONValue] = [:], acceptances: [String: Acceptance] = [:], isTest: Bool = false,
        anonymousAt: UnixTime? = nil, othersAt: UnixTime? = nil, operatorsAt: UnixTime? = nil,
        disputedAt: UnixTime? = nil, createdAt: UnixTime, updatedAt: UnixTime,
        epoch: Int64 = 0, endedAt: UnixTime? = nil
    ) {
        self.id = id
        self.status = status
        self.claims = claims
        self.attributes = attributes
        self.acceptances = acceptances
        self.isTest = isTest
        self.anonymousAt = anonymousAt
        self.othersAt = othersAt
        self.operatorsAt = operatorsAt
        self.disputedAt = disputedAt
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.epoch = epoch
        self.endedAt = endedAt
    }

    /// Whether the user has no account: a key or a session is all that they are known by.
    public var isAnonymous: Bool { anonymousAt != nil }

    /// The user's name on pages: name, else email, else phone, else preferred user name.
    public var displayName: String? {
        ["name", "email", "phone_number", "preferred_username"].lazy.compactMap { self.claims[$0]?.stringValue }.first
    }
}

/// A version of a document that a user accepted.
public struct Acceptance: Hashable, Sendable {
    public let version: String
    public let at: UnixTime

    public init(version: String, at: UnixTime) {
        self.version = version
        self.at = at
    }
}
