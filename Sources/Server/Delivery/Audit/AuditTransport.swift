public import Model

/// How events reach a program that gets the audit log.
public protocol AuditTransport: Sendable {
    /// Sends events in their order, once. A failure may leave a part of them sent.
    func send(_ batch: AuditBatch) async -> DeliveryOutcome

    /// Lets go of connections. The next batch opens new ones.
    func close() async
}

/// Some events that follow each other.
public struct AuditBatch: Sendable {
    /// The stream's name.
    public let stream: String
    /// Not empty.
    public let records: [AuditRecord]
}

/// A program that gets the audit log as it grows.
public struct AuditStream: Sendable {
    /// Identifies it in the database: a stream that comes back under its name goes on where it was.
    public let name: String
    /// Kinds of events, or the beginning of kinds before `*`; empty: every event.
    public let actions: [String]
    public let transport: any AuditTransport

    public init(name: String, actions: [String], transport: any AuditTransport) {
        self.name = name
        self.actions = actions
        self.transport = transport
    }

    /// Whether the stream has this event.
    func takes(_ kind: AuditEvent.Kind) -> Bool {
        actions.isEmpty
            || actions.contains { action in
                action.hasSuffix("*") ? kind.rawValue.hasPrefix(action.dropLast()) : kind.rawValue == action
            }
    }
}
