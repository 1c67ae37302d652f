public import Model

/// How events reach a program that gets the audit log.
public protocol AuditTransport: Sendable {
    /// Events of one batch at most: few enough that they are sent while this node has the stream, however slow the
    /// program is.
    var eventsMax: Int { get }

    /// Whether the program has a use for an event at all.
    func takes(_ event: AuditEvent) -> Bool

    /// Sends events in their order, once. A failure may leave a part of them sent.
    func send(_ batch: AuditBatch) async -> DeliveryOutcome

    /// Lets go of connections. The next batch opens new ones.
    func close() async
}

extension AuditTransport {
    public var eventsMax: Int { DeliveryLimits.auditBatchMax }

    public func takes(_ event: AuditEvent) -> Bool { true }
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
    func takes(_ event: AuditEvent) -> Bool {
        let kind = event.kind.rawValue
        let isChosen =
            actions.isEmpty
            || actions.contains { $0.hasSuffix("*") ? kind.hasPrefix($0.dropLast()) : kind == $0 }
        return isChosen && transport.takes(event)
    }

    /// The first of some records, as many as are sent together, with those between them that the stream does not have.
    func batch(_ records: [AuditRecord]) -> (wanted: [AuditRecord], last: Int64?) {
        var wanted: [AuditRecord] = []
        var last: Int64?
        for record in records {
            let isWanted = takes(record.event)
            if isWanted, wanted.count == transport.eventsMax { break }
            if isWanted { wanted.append(record) }
            last = record.number
        }
        return (wanted, last)
    }
}
