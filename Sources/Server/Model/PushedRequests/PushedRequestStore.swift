public import KeyturnBase

/// Requests that clients handed in beforehand.
public protocol PushedRequestStore: Sendable {
    /// Keeps a request. One statement.
    ///
    /// - Parameter max: how many of one client may wait at the same time; `nil`: its requests are counted elsewhere.
    /// - Returns: `false` if so many wait already; nothing is written then.
    func add(_ request: PushedRequest, max: Int?, at now: UnixTime) async throws(StoreError) -> Bool

    /// The request of a `request_uri`, whether its time has passed or not. One statement; changes nothing.
    func find(_ digest: SecretDigest) async throws(StoreError) -> PushedRequest?

    /// Whether a ticket is still unused. Changes nothing and promises nothing.
    func isUnused(_ ticket: TransactionTicket, of clientID: String) async throws(StoreError) -> Bool

    /// Uses a ticket up, in one guarded statement: of any number of concurrent calls one gets `true`. Journeys that end
    /// with a code do it in the transaction that writes their grant.
    @discardableResult
    func use(_ ticket: TransactionTicket, of clientID: String) async throws(StoreError) -> Bool
}
