public import Authority
public import KeyturnBase

/// Registered clients. The server reads all of them into a snapshot; a store is asked only when something changed.
///
/// What writes takes a permission: for this client, and for what an owner alone gives if the change gives that. Without
/// it, `forbidden` is thrown and nothing written.
public protocol ClientStore: Sendable {
    /// Every client, at most `limit`, ordered by identifier.
    func all(limit: Int) async throws(StoreError) -> [Client]

    /// The client of this identifier, as it was registered.
    func find(_ clientID: String) async throws(StoreError) -> Client?

    /// Whether there is a client of this identifier.
    func contains(_ clientID: String) async throws(StoreError) -> Bool

    /// Adds or replaces a client, with an owner's rights.
    func put(_ client: Client, by permission: borrowing Allowed<Acts.ChangeClient>, at now: UnixTime)
        async throws(StoreError)

    /// Adds a client. One statement.
    ///
    /// - Returns: `false` if the identifier is taken; nothing is written then.
    func add(_ client: Client, by permission: borrowing Allowed<Acts.ChangeClient>, at now: UnixTime)
        async throws(StoreError) -> Bool

    /// Changes the metadata and the secrets of a client. Of several callers, each sees what the one before it wrote.
    ///
    /// - Throws: ``StoreError``, `missing` if there is no such client.
    func change(
        by permission: borrowing Allowed<Acts.ChangeClient>, at now: UnixTime,
        _ rule: @escaping @Sendable (inout Client) -> Void
    ) async throws(StoreError) -> Client

    /// Adds a client that registers itself. One statement.
    ///
    /// - Parameter max: how many such clients there may be.
    /// - Returns: `false` if the maximum is reached, or the identifier is taken; nothing is written then.
    func register(
        _ client: Client, by permission: borrowing Allowed<Acts.RegisterClient>, max: Int, at now: UnixTime
    ) async throws(StoreError) -> Bool

    /// Replaces the metadata of a client that registered itself, and none of the operator's settings. One guarded
    /// statement.
    ///
    /// - Returns: `false` if it is gone, or has another registration token.
    func replace(_ client: Client, by permission: borrowing Allowed<Acts.RegisterClient>, at now: UnixTime)
        async throws(StoreError) -> Bool

    /// Removes clients that registered themselves, were not changed since `time`, and have never had a grant or a
    /// consent. One statement. The permission is for the whole project.
    ///
    /// - Returns: the identifiers of the removed clients, at most `limit`.
    func removeUnused(by permission: borrowing Allowed<Acts.RemoveClient>, before time: UnixTime, limit: Int)
        async throws(StoreError) -> [String]

    /// Removes a client with the consents to it and the keys that devices keep for it, and ends its grants, in one
    /// transaction.
    ///
    /// - Returns: whether there was such a client.
    func remove(by permission: borrowing Allowed<Acts.RemoveClient>, at now: UnixTime) async throws(StoreError) -> Bool
}
