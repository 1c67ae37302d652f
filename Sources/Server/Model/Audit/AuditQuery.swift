public import KeyturnBase

/// A filter for audit events. Every condition that is given must hold; a list is met by any of its members.
public struct AuditQuery: Hashable, Sendable {
    /// Which events come first.
    public enum Order: Hashable, Sendable {
        case newestFirst, oldestFirst
    }

    public var kinds: [AuditEvent.Kind] = []
    public var excludedKinds: [AuditEvent.Kind] = []
    public var users: [UserID] = []
    /// Login IDs that the event's user has now.
    public var loginIDs: [Identifier] = []
    /// Tenants that the event's user belongs to now.
    public var tenants: [String] = []
    /// Whether events of users without a tenant, and of no user, meet ``tenants`` too.
    public var includesNoTenant = false
    public var clients: [String] = []
    public var actors: [String] = []
    public var addresses: [String] = []
    /// Words of which a sign-in's reason has at least one. Other events have no method.
    public var methods: [String] = []
    public var from: UnixTime?
    /// Includes events of this very second.
    public var to: UnixTime?
    /// Part of the kind, the reason, the address, the target, the user, the client or the actor.
    public var text: String?
    /// Only events with a greater number.
    public var after: Int64?
    /// Only events with a smaller number.
    public var before: Int64?
    public var order = Order.newestFirst
    /// 1 to ``Limits/auditOfPageMax``.
    public var limit = Limits.auditOfPageMax
    /// From 0.
    public var page = 0

    public init() {}
}

/// An event in the audit log, with what is known of its user now.
public struct AuditRecord: Hashable, Sendable {
    /// Grows from event to event, in the order of writing.
    public let number: Int64
    public let event: AuditEvent
    /// The login IDs that the event's user has now, in alphabetical order; empty if the user is gone.
    public let loginIDs: [String]
    /// The tenants that the event's user belongs to now, in alphabetical order.
    public let tenants: [String]
    /// The digest of the event before, of ``AuditChain``; `nil`: the event is in no chain.
    public let previous: [UInt8]?
    /// As the event was written with; ``AuditEvent/changes`` is `nil` if the values were removed with their user.
    public let changesDigest: [UInt8]?

    /// The event's own digest; `nil`: the event is in no chain.
    public var digest: [UInt8]? {
        previous.map { AuditChain.digest(of: event, changes: changesDigest, after: $0) }
    }

    public init(
        number: Int64, event: AuditEvent, loginIDs: [String], tenants: [String], previous: [UInt8]? = nil,
        changesDigest: [UInt8]? = nil
    ) {
        self.number = number
        self.event = event
        self.loginIDs = loginIDs
        self.tenants = tenants
        self.previous = previous
        self.changesDigest = changesDigest
    }
}
