public import KeyturnBase

/// Removes expired rows in small batches, beside the requests.
public protocol MaintenanceStore: Sendable {
    /// Removes at most `limit` rows of each kind that are over: expired sessions, revoked tokens, forgotten attempts,
    /// messages that were sent or given up, codes, links, authenticators that were never confirmed, rate limits,
    /// recoveries, devices and answered challenges that have expired, pushed requests that were never answered; and ended
    /// grants as far as ``removeEndedGrants(rows:at:)`` comes with twenty times as many rows.
    ///
    /// - Returns: how many rows were removed. Less than `limit` means that nothing is left for now.
    func removeExpired(limit: Int, at now: UnixTime) async throws(StoreError) -> Int

    /// Goes on with the walk through all grants and removes those that ended a day ago. Of the servers of one database
    /// one walks at a time.
    ///
    /// - Parameter rows: about how many are looked at.
    /// - Returns: how many were removed; `nil` if the walk is at its end and begins again, or another server walks.
    func removeEndedGrants(rows: Int, at now: UnixTime) async throws(StoreError) -> Int?

    /// The time by the clock of the database's machine; `nil` if that is this one.
    func clock() async throws(StoreError) -> UnixTime?

    /// A number that grows whenever any process changed what servers keep in memory (clients, tenants, roles,
    /// permissions, signing keys): cheap to poll.
    func revision() async throws(StoreError) -> Int64

    /// How many messages and notices wait.
    ///
    /// - Parameter max: where counting ends.
    func queueLengths(upTo max: Int) async throws(StoreError) -> QueueLengths

    /// Succeeds if the database answers.
    func ping() async throws(StoreError)
}

/// What waits in the queues, due or not.
public struct QueueLengths: Hashable, Sendable {
    /// To users: emails, text messages, calls.
    public var messages: Int
    /// To relying parties.
    public var logoutNotices: Int
    /// To clients in ping mode.
    public var pingNotices: Int

    public init(messages: Int = 0, logoutNotices: Int = 0, pingNotices: Int = 0) {
        self.messages = messages
        self.logoutNotices = logoutNotices
        self.pingNotices = pingNotices
    }
}
