public import KeyturnBase

/// Removes expired rows in small batches, beside the requests.
public protocol MaintenanceStore: Sendable {
    /// Removes at most `limit` rows of each kind that are over: expired sessions and grants, revoked tokens, forgotten
    /// attempts, messages that were sent or given up, codes, links, authenticators that were never confirmed, rate
    /// limits, recoveries, devices and answered challenges that have expired, pushed requests that were never answered.
    ///
    /// - Returns: how many rows were removed. Less than `limit` means that nothing is left for now.
    func removeExpired(limit: Int, at now: UnixTime) async throws(StoreError) -> Int

    /// A number that grows whenever any process changed what servers keep in memory (clients, tenants, roles,
    /// permissions, signing keys): cheap to poll.
    func revision() async throws(StoreError) -> Int64

    /// Succeeds if the database answers.
    func ping() async throws(StoreError)
}
