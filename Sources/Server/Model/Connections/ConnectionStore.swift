public import Authority
public import KeyturnBase

/// A connection as it is stored: sealed, since it holds secrets.
public struct StoredConnection: Hashable, Sendable {
    public let id: String
    /// `nil`: of the whole project.
    public let tenantID: String?
    /// The connection as JSON, sealed by ``ConnectionSeal``.
    public let sealed: [UInt8]

    public init(id: String, tenantID: String?, sealed: [UInt8]) {
        self.id = id
        self.tenantID = tenantID
        self.sealed = sealed
    }
}

/// Connections to identity providers that were made while the server ran. The server reads all of them into a snapshot;
/// a store is asked only when something changed. What writes takes the permission for this connection.
public protocol ConnectionStore: Sendable {
    /// Every connection, at most `limit`, ordered by identifier.
    func all(limit: Int) async throws(StoreError) -> [StoredConnection]

    /// Adds a connection, unless there are `max` already.
    ///
    /// - Returns: whether it was added.
    /// - Throws: `conflict` if there is one with this identifier; `missing` if there is no such tenant.
    func create(_ connection: StoredConnection, by permission: borrowing Allowed<Acts.ChangeConnection>, max: Int)
        async throws(StoreError) -> Bool

    /// Replaces a connection, if it is still as it was read: of any number of callers with the same `old`, one succeeds.
    ///
    /// - Returns: whether it was replaced.
    func replace(
        _ old: StoredConnection, with sealed: [UInt8], by permission: borrowing Allowed<Acts.ChangeConnection>
    ) async throws(StoreError) -> Bool

    /// Takes the roles that the connection's provider gave from its users; another source's stay.
    ///
    /// - Parameters:
    ///   - kept: the identifiers of roles that stay the provider's to give.
    ///   - last: the identity with which the call before ended; `nil`: none.
    ///   - limit: of how many identities at most.
    /// - Returns: the identity with which this call ended; `nil`: there are no more.
    func withdrawRoles(
        besides kept: Set<String>, by permission: borrowing Allowed<Acts.ChangeConnection>,
        after last: FederatedIdentity.Key?, limit: Int
    ) async throws(StoreError) -> FederatedIdentity.Key?

    /// Removes a connection. Its users' identities end, also those that came after it was removed, and that they had them
    /// stays known.
    ///
    /// - Returns: whether there was such a connection.
    func delete(by permission: borrowing Allowed<Acts.ChangeConnection>, at now: UnixTime)
        async throws(StoreError) -> Bool
}
