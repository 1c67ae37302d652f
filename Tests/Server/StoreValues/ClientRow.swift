public import KeyturnBase
public import Model

/// A registered client.
public struct ClientRow: Hashable, Sendable {
    public var client: Client
    public var updatedAt: UnixTime
}

extension Client {
    func created(at time: UnixTime?) -> Client {
        var client = self
        client.createdAt = time
        return client
    }
}
