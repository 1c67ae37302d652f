public import KeyturnBase
public import Model

/// What operators see of a stream of security events.
public struct SignalStreamState: Sendable {
    public let stream: SignalStream
    /// Events of the audit log behind the last one that was taken, also those that are not for the receiver.
    public let eventsBehind: Int64

    /// The streams of a client, the oldest first.
    public static func all(of clientID: String, _ stores: Stores) async throws(StoreError) -> [SignalStreamState] {
        let streams = try await stores.signalStreams.streams(of: clientID)
        guard !streams.isEmpty else { return [] }
        let head = try await stores.audit.head().number
        return streams.map { SignalStreamState(stream: $0, eventsBehind: max(0, head - $0.number)) }
    }

    /// The event types that the receiver gets, without the address of their profile.
    public var eventTypes: [String] { stream.delivered.map { String($0.split(separator: "/").last ?? "") } }

    /// For the management interface and the command line.
    public var json: JSONValue {
        var members: [String: JSONValue] = [
            "stream_id": .string(stream.id), "delivery": .string(stream.push == nil ? "poll" : "push"),
            "status": .string(stream.status.rawValue), "events": .array(eventTypes.map(JSONValue.string)),
            "events_behind": .integer(eventsBehind), "failures": .integer(stream.failures),
            "created_at": .integer(stream.createdAt.rawValue),
        ]
        members["endpoint_url"] = stream.push.map { .string($0.address) }
        members["reason"] = stream.reason.map(JSONValue.string)
        members["description"] = stream.description.map(JSONValue.string)
        return .object(members)
    }
}
