public import KeyturnBase

/// Stores audit events. Written after the request, in batches.
public protocol AuditStore: Sendable {
    /// Adds the events in order, at the end of the chain, in one transaction.
    func append(_ events: [AuditEvent]) async throws(StoreError)

    /// The newest events, newest first.
    func newest(limit: Int) async throws(StoreError) -> [AuditEvent]

    /// One page of the events that a query describes. One statement.
    func records(_ query: AuditQuery) async throws(StoreError) -> [AuditRecord]

    /// The next events by number, as the chain needs them: without what is known of their users.
    func chain(after number: Int64, through last: Int64, limit: Int) async throws(StoreError) -> [AuditRecord]

    /// How many events a query describes, whatever its page. One statement.
    func count(_ query: AuditQuery) async throws(StoreError) -> Int

    /// The newest event's number and digest, as of one moment.
    func head() async throws(StoreError) -> AuditHead

    /// Stores a checkpoint; the first one for an event stays.
    func add(_ checkpoint: AuditCheckpoint) async throws(StoreError)

    /// Every checkpoint, by the numbers of their events.
    func checkpoints() async throws(StoreError) -> [AuditCheckpoint]

    /// Removes events older than `moment`, from the beginning, at most `limit` in one call, and their checkpoints. An engine that keeps them by months may drop a
    /// month whole when it is over, and until then keep all of it.
    ///
    /// - Parameter now: the months to come are made.
    /// - Returns: how many were removed one by one.
    func remove(before moment: UnixTime, limit: Int, at now: UnixTime) async throws(StoreError) -> Int
}

extension AuditStore {
    /// One page of the events that a query describes.
    public func search(_ query: AuditQuery) async throws(StoreError) -> [AuditEvent] {
        try await records(query).map(\.event)
    }
}
