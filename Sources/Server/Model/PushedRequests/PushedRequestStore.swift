public import KeyturnBase

/// Pushed authorization requests.
public protocol PushedRequestStore: Sendable {
    /// Keeps a request. One statement.
    ///
    /// - Parameter max: how many of one client may wait at the same time; `nil`: its requests are counted elsewhere.
    /// - Returns: `false` if the maximum is reached; nothing is written then.
    func add(_ request: PushedRequest, max: Int?, at now: UnixTime) async throws(StoreError) -> Bool

    /// The request of a `request_uri`, expired or not. One statement; changes nothing.
    func find(_ digest: SecretDigest) async throws(StoreError) -> PushedRequest?

    /// Whether a ticket is still unused. Changes and reserves nothing.
    func isUnused(_ ticket: TransactionTicket, of clientID: String) async throws(StoreError) -> Bool

    /// Uses a ticket up, in one guarded statement: of any number of concurrent calls one gets `true`. Transactions that
    /// end with a code do it together with writing their grant.
    @discardableResult
    func use(_ ticket: TransactionTicket, of clientID: String) async throws(StoreError) -> Bool
}
