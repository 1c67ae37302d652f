public import KeyturnBase

/// Registered clients. The server reads all of them into a snapshot; a store is asked only when something changed.
public protocol ClientStore: Sendable {
    /// Every client, at most `limit`, ordered by identifier.
    func all(limit: Int) async throws(StoreError) -> [Client]

    /// Adds or replaces a client.
    func put(_ client: Client, at now: UnixTime) async throws(StoreError)

    /// Removes a client and ends its grants, in one transaction.
    ///
    /// - Returns: whether there was such a client.
    func remove(_ clientID: String, at now: UnixTime) async throws(StoreError) -> Bool
}
