public import KeyturnBase

/// Where audit events end up. Written behind the request, in batches.
public protocol AuditStore: Sendable {
    /// Adds the events in order, in one transaction.
    func append(_ events: [AuditEvent]) async throws(StoreError)

    /// The newest events, newest first.
    func newest(limit: Int) async throws(StoreError) -> [AuditEvent]

    /// One page of the events that a query describes, newest first. One statement.
    func search(_ query: AuditQuery) async throws(StoreError) -> [AuditEvent]

    /// Removes events older than `moment`, at most `limit` in one call.
    ///
    /// - Returns: how many were removed.
    func remove(before moment: UnixTime, limit: Int) async throws(StoreError) -> Int
}
