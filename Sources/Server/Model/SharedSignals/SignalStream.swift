public import KeyturnBase

/// A stream of security event tokens that a receiver registered (Shared Signals Framework 1.0 §8.1.1). The audit log is
/// its queue.
public struct SignalStream: Hashable, Sendable {
    /// What becomes of events (§8.1.2).
    public enum Status: String, Hashable, Sendable, CaseIterable {
        case enabled
        /// They wait.
        case paused
        /// Those that happen meanwhile are never sent.
        case disabled
    }

    /// Where tokens are pushed (RFC 8935).
    public struct Push: Hashable, Sendable {
        public var address: String
        /// The value of the header `Authorization`, sealed; `nil`: none.
        public var authorization: [UInt8]?

        public init(address: String, authorization: [UInt8]?) {
            self.address = address
            self.authorization = authorization
        }
    }

    /// A verification event that the receiver asked for, until it is taken.
    public struct Verification: Hashable, Sendable {
        /// The token's `jti`.
        public let id: String
        /// What the receiver wants to get back.
        public let state: String?

        public init(id: String, state: String?) {
            self.id = id
            self.state = state
        }
    }

    public let id: String
    /// The receiver.
    public let clientID: String
    /// `nil`: the receiver polls (RFC 8936).
    public var push: Push?
    /// The event types that the receiver asked for, also those that this server does not know.
    public var events: [String]
    public var description: String?
    public var status: Status
    /// Why the receiver set the status.
    public var reason: String?
    /// The number of the audit event up to which everything was taken.
    public var number: Int64
    /// The `jti` of tokens behind ``number`` that were taken before others.
    public var taken: Set<String>
    public var verification: Verification?
    /// When the last verification event was asked for.
    public var verifiedAt: UnixTime?
    /// Attempts to push that failed, since the last one that did not.
    public var failures: Int64
    public let createdAt: UnixTime

    public init(
        id: String, clientID: String, push: Push? = nil, events: [String] = [], description: String? = nil,
        status: Status = .enabled, reason: String? = nil, number: Int64, taken: Set<String> = [],
        verification: Verification? = nil, verifiedAt: UnixTime? = nil, failures: Int64 = 0, createdAt: UnixTime
    ) {
        self.id = id
        self.clientID = clientID
        self.push = push
        self.events = events
        self.description = description
        self.status = status
        self.reason = reason
        self.number = number
        self.taken = taken
        self.verification = verification
        self.verifiedAt = verifiedAt
        self.failures = failures
        self.createdAt = createdAt
    }
}

extension SignalStream: Audited {
    public func auditFields(_ roleName: (String) -> String) -> AuditFields {
        var fields = AuditFields()
        fields.set("delivery", .string(push == nil ? "poll" : "push"))
        fields.set("endpoint_url", push.map { .string($0.address) })
        // Sealed anew each time that it is given.
        fields.set(secret: "authorization_header", push?.authorization.map(Base16.encode))
        fields.set("events_requested", events)
        fields.set("description", description.map(JSONValue.string))
        fields.set("status", .string(status.rawValue))
        fields.set("reason", reason.map(JSONValue.string))
        return fields
    }
}

extension AuditEvent.Kind {
    /// A receiver of shared signals made a stream; the target is its identifier.
    public static let signalStreamCreated = Self(rawValue: "signal_stream.created")
    public static let signalStreamChanged = Self(rawValue: "signal_stream.changed")
    public static let signalStreamDeleted = Self(rawValue: "signal_stream.deleted")
    /// A receiver could not use a token; the reason is its error code.
    public static let signalRefused = Self(rawValue: "signal_stream.refused")
}
