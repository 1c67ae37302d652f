public import KeyturnBase
public import Model

/// A registered client.
public struct ClientRow: Hashable, Sendable {
    public var client: Client
    public var updatedAt: UnixTime
}
