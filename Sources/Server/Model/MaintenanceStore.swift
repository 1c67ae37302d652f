public import KeyturnBase

/// Tables do not only grow: what is over is removed in small batches, beside the requests.
public protocol MaintenanceStore: Sendable {
    /// Removes at most `limit` rows of each kind that are over: expired sessions and grants, revoked tokens whose
    /// time has passed, forgotten attempts, messages that were sent or given up,
    /// codes, links, authenticators that were never confirmed, budgets, recoveries, devices and answered challenges whose time has
    /// passed, requests that were handed in and never answered.
    ///
    /// - Returns: how many rows went. Less than `limit` means that nothing is left for now.
    func removeExpired(limit: Int, at now: UnixTime) async throws(StoreError) -> Int

    /// A number that grows whenever any process changed what servers keep in memory (clients, tenants, roles, permissions,
    /// signing keys): the cheap question that a poll asks.
    func revision() async throws(StoreError) -> Int64

    /// Succeeds if the database answers.
    func ping() async throws(StoreError)
}
